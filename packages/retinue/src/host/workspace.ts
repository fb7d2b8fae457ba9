/** A workspace: one folder with its tools, agents, instructions, secrets and rules, in which tasks are run. */
import type { Approver, DefinitionDifference, Engine, MergeOrder, ReplayVerdict, ResumeOptions } from "@retinue/engine";
import type { AiSdkModel, Model } from "@retinue/model";
import type {
  ApproveMode,
  ForkPoint,
  Guardrails,
  InputSource,
  Limits,
  RecordedEvent,
  RunId,
  RunResult,
  SessionId,
  TurnId,
  UserPart,
} from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import type { AnyTool, Hooks, Outage } from "@retinue/runtime";
import type { ReadSide } from "@retinue/store";
import type { TrustClaim } from "@retinue/confine/trust";
import type { AskUser } from "./ask-user-approver.ts";
import type { Browsers, Desktops, McpServerSettings } from "@retinue/tools";
import type { z } from "zod";
import type { Agent } from "../library/define-agent.ts";
import type { GivenAgent } from "../library/given-agent.ts";
import type { GivenSkill } from "../library/given-skills.ts";
import type { Run, RunResultOf } from "../library/run.ts";
import type { MessageRecording } from "../library/message-recording.ts";
import type { Plans } from "../plans.ts";
import type { Settings } from "../settings/settings.ts";
import type { TurnUndo } from "./undo-turn.ts";

export type { AiSdkModel } from "@retinue/model";

/** A name as in settings, one of our models, or any AI SDK model as it is. */
export type GivenModel = string | Model | AiSdkModel;

export type WorkspaceOptions = {
  /** By default what the user's file, the folder's `retinue.yaml` and the environment say. Its `store` is not looked at: the host has one. */
  readonly settings?: Settings;
  /** The host's by default. */
  readonly env?: NodeJS.ProcessEnv;
  /** In addition to the built-in ones. */
  readonly tools?: readonly AnyTool[];
  /** In addition to the built-in ones; one of the same name takes its place. */
  readonly agents?: readonly GivenAgent[];
  /** Servers of tools, by name, in addition to those of the settings and the project; one of the same name takes its place. */
  readonly mcpServers?: Readonly<Record<string, McpServerSettings>>;
  /** Skills, in addition to those of files: a folder with a `SKILL.md`, or one that is written here. */
  readonly skills?: readonly (string | GivenSkill)[];
  /** Asked about what comes from outside, and about what is handed back there; those of an agent are asked for each of its runs. */
  readonly guardrails?: Guardrails;
  /** Stands at the end of the prompt of every agent of this workspace. */
  readonly instructions?: string;
  /** The host's by default, then that of the settings. */
  readonly model?: GivenModel;
  /** Asked before acts that need it; the host's by default. */
  readonly approver?: Approver;
  /** Answers the questions that agents put to the user; by default the approver is asked, and an answer may come from elsewhere. */
  readonly askUser?: AskUser;
  /** See tool calls before and after they run; in addition to the commands of the settings. */
  readonly hooks?: Hooks;
  /** Told when a run begins to wait for models that cannot be reached, and for how long it waits at most. */
  readonly onOutage?: (outage: Outage, waitMs: number) => void;
  /** Whether there are tools of the browser; as the settings say by default. */
  readonly browser?: boolean;
  /** Whether there are tools of the screen; as the settings say by default. */
  readonly desktop?: boolean;
  /** Values that may never be recorded, shown or sent to a model, beside those that are found in the environment, settings and files. */
  readonly secrets?: readonly string[];
};

export type RunOptions<Output = unknown> = {
  /**
   * By its name, or as it was defined. `main` by default; a session whose conversation was handed over goes on with whoever has it.
   */
  readonly agent?: string | Agent<Output>;
  /** What it hands in, in place of what the agent's definition says. It is told once what is wrong with a result that does not fit. */
  readonly output?: z.ZodType<Output>;
  readonly model?: string;
  readonly limits?: Limits;
  readonly approve?: ApproveMode;
  /** The only tools it may use, out of those it has. Globs are allowed. */
  readonly tools?: readonly string[];
  /** `worktree`: it works in a git worktree of its own, and its changes are merged into the workspace when it is done. By default as the agent's file says. */
  readonly isolation?: AgentDefinition["isolation"];
  /** The folder of the workspace that it works in, and sees nothing outside of. The whole workspace by default. */
  readonly workingDirectory?: string;
  /** Runs in worktrees that share one are merged in the order in which they were started. */
  readonly mergeOrder?: MergeOrder;
  /** Goes on with the conversation of this session. */
  readonly sessionId?: SessionId;
  /** The turn of the session's queue that this is; it begins once, whoever tries. */
  readonly queuedTurn?: TurnId;
  /** Who asked for it, where that is to be recorded. */
  readonly source?: InputSource;
  /** What was said in the session before is summarised ahead of the first turn, by the same means as a conversation that no longer fits. */
  readonly compact?: boolean;
  /** The id of the session that the run begins, where it is known before; one that there is already is `session_exists`. */
  readonly newSessionId?: SessionId;
  readonly signal?: AbortSignal;
};

/** A text, or texts and pictures in their order. */
export type Task = string | readonly UserPart[];

export type ForkOptions = Omit<RunOptions, "sessionId" | "newSessionId" | "output"> & {
  /** What is said next; without it the run goes on without a word. */
  readonly task?: string;
  /** In place of the agent's prompt. */
  readonly prompt?: string;
};

/** What a run that continues may do unasked. */
export type ResumedApprove = {
  readonly approve: ApproveMode;
  /** Never stricter than `approve`. */
  readonly begunWith: ApproveMode;
};

export type ResumeRunOptions = Pick<RunOptions, "signal" | "approve" | "limits"> & ResumeOptions;

export type FanOutTask = { readonly agent: string | Agent; readonly task: string } & Pick<
  RunOptions,
  "approve" | "isolation" | "limits" | "model" | "tools" | "workingDirectory"
>;

export type SessionVerdict = ReplayVerdict & {
  /** In what the agents of today differ from those that the session was recorded with. */
  readonly definitions: readonly DefinitionDifference[];
};

export type Workspace = Plans &
  MessageRecording & {
    /** Its real path. */
    readonly folder: string;
    /** Resolves when the request is recorded; the run then works on its own. */
    readonly run: <Output = unknown>(task: Task, options?: RunOptions<Output>) => Promise<Run<Output>>;
    /** Runs an agent and waits for its result. Called inside a tool of this workspace, it is a run below the one that called the tool. */
    readonly spawn: <Output = unknown>(
      agent: string | Agent<Output>,
      task: string,
      options?: Omit<RunOptions, "agent" | "output" | "sessionId">,
    ) => Promise<RunResultOf<Output>>;
    /** Several at once; results in the order of the tasks, and a failing one never loses the others. */
    readonly fanOut: (
      tasks: readonly FanOutTask[],
      options?: { readonly maxConcurrent?: number; readonly signal?: AbortSignal },
    ) => Promise<readonly RunResult[]>;
    /**
     * Goes on with the latest run of a session, or with one run of it and what is below, where a crash left it. A run that is settled gives
     * its result. One that a living process works on is refused with `session_running`, unless it is to be taken over. It goes on with no more
     * rights than a run that is started now; what a session that was imported has in hand is asked about. A session of another folder is
     * `session_elsewhere`.
     */
    readonly resume: (id: SessionId | RunId, options?: ResumeRunOptions) => Promise<Run & ResumedApprove>;
    /** Leaves a run at one of its events, in a session of its own; the run may be one of another folder. */
    readonly fork: (point: ForkPoint, options?: ForkOptions) => Promise<Run>;
    /** The recorded events of a session. */
    readonly events: (sessionId: SessionId, afterSeq?: number) => Promise<readonly RecordedEvent[]>;
    /** Whether a model is known to read images; the one that is used by default, or another by name. */
    readonly readsImages: (model?: string) => Promise<boolean>;
    /** Takes the file changes of a session's latest turn back. */
    readonly undo: TurnUndo;
    /** Runs the loop again on the record, without models or tools, says where it would differ, and in what today's definitions differ from the record. */
    readonly verify: (sessionId: SessionId) => Promise<SessionVerdict>;
    /** The whole record, that of other folders, too. */
    readonly sessions: ReadSide;
    readonly agents: ReadonlyMap<string, AgentDefinition>;
    /**
     * Adds an agent, for runs that begin after it; one of the same name takes its place. Agents whose `delegates` are globs may start it, as `main` may.
     * Throws `agent_invalid`.
     */
    readonly registerAgent: (agent: GivenAgent) => Promise<AgentDefinition>;
    readonly tools: ReadonlyMap<string, AnyTool>;
    /** The browsers of its sessions; undefined where it has no tools of the browser. */
    readonly browsers: Browsers | undefined;
    /** The screens of its sessions; undefined where it has no tools of the screen. */
    readonly desktops: Desktops | undefined;
    /** Stopping, speaking to, answering and following runs of this folder, whichever process drives them. */
    readonly live: Pick<
      Engine,
      | "cancel"
      | "send"
      | "withdraw"
      | "approvals"
      | "answer"
      | "follow"
      | "queueTurn"
      | "withdrawTurn"
      | "queuedTurns"
      | "nextTurn"
    >;
    /** The files of instructions that agents are given, the user's and the project's. */
    readonly instructions: readonly string[];
    /** Settings of other programs whose permissions hold for every agent. */
    readonly permissions: readonly string[];
    /** Settings of other programs whose hooks are run. */
    readonly hookFiles: readonly string[];
    /** What was found to be wrong with files of tools, skills, servers and agents, and is left out. */
    readonly problems: readonly string[];
    /** Said where nothing confines commands; undefined where something does. */
    readonly unsandboxed: string | undefined;
    /** What passes without a question here, unless a run says otherwise. */
    readonly approve: ApproveMode;
    /** What the project would have loaded or started if it were trusted. */
    readonly untrusted: readonly TrustClaim[];
    /** The model that is used where neither agent nor run names one. */
    readonly model: string;
    /** Stops driving and lets go of the workspace's tools; what has not settled is left open in the record, to be resumed. */
    readonly close: () => Promise<void>;
  };
