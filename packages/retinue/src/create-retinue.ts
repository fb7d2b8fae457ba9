/**
 * The composition root: models, tools, agents, log and engine become one thing that runs tasks. Everything that is wrong with the
 * configuration is thrown here, before anything runs.
 */
import { readFile, realpath } from "node:fs/promises";
import path from "node:path";
import type { Approver, Engine, MergeOrder, ReplayVerdict, ResumeOptions, RunHandle } from "@retinue/engine";
import { createEmbeddedEngine, createMergeOrder, currentRun, verifyReplay } from "@retinue/engine";
import type { Model, TrafficTap } from "@retinue/model";
import { chooseModel, createModels, detectProviders, fromAiSdk, isAiSdkModel } from "@retinue/model";
import type {
  ApproveMode,
  ForkPoint,
  Grant,
  InputSource,
  Limits,
  RecordedEvent,
  RunId,
  RunResult,
  RunSpec,
  SessionId,
} from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import type { AnyTool, GrantedNow, Hooks, SandboxObstacle } from "@retinue/runtime";
import { combineHooks, createJudge, createSpec, findAgentNamed, resolveToolName, stricter } from "@retinue/runtime";
import type { ReadSide } from "@retinue/store";
import { applyAgentSettings } from "./apply-agent-settings.ts";
import { assembleTools, codeOptions, toNetworkOptions, toProblemLine } from "./assemble-tools.ts";
import { createCommandHooks } from "./command-hooks.ts";
import type { TrustClaim } from "@retinue/confine";
import type { AskUserOptions } from "@retinue/tools";
import {
  createGitWorktrees,
  createTrustStore,
  digestFile,
  digestTree,
  isUnsandboxedAllowed,
  probeSandbox,
} from "@retinue/confine";
import { runShellLine, toCodeIndexes } from "@retinue/tools";
import { createId } from "./create-id.ts";
import { fanOut } from "./fan-out.ts";
import { describeFigures } from "./figures.ts";
import type { RetinueStore } from "./open-record.ts";
import { loadTrustedAgents } from "./load-trusted-agents.ts";
import { createNarrowedLog } from "./narrowed-log.ts";
import { openRecord } from "./open-record.ts";
import { createRedactor } from "./secrets/create-redactor.ts";
import { findSecrets } from "./secrets/find-secrets.ts";
import { workspaceSecrets } from "./secrets/workspace-secrets.ts";
import { loadSettings } from "./settings/load-settings.ts";
import { retinueHome } from "./settings/retinue-home.ts";
import type { Settings } from "./settings/settings.ts";
import { realPath, systemClock } from "./system-ports.ts";

/** Any `LanguageModelV4`, whoever provides it. */
type AiSdkModel = Parameters<typeof fromAiSdk>[0];

export type RetinueOptions = {
  /** The folder that agents work in; the current one by default. */
  readonly workspace?: string;
  /** By default what `retinue.yaml`, the environment and the defaults say. */
  readonly settings?: Settings;
  readonly env?: NodeJS.ProcessEnv;
  /** In addition to the built-in ones. */
  readonly tools?: readonly AnyTool[];
  /** In addition to the built-in ones; one of the same name takes its place. */
  readonly agents?: readonly AgentDefinition[];
  /** A name as in settings, one of our models, or any AI SDK model as it is. */
  readonly model?: string | Model | AiSdkModel;
  /** Where sessions are recorded; the SQLite file of the settings by default. */
  readonly store?: RetinueStore;
  /** Asked before acts that need it. */
  readonly approver?: Approver;
  /** Answers the questions that agents put to the user. */
  readonly askUser?: AskUserOptions["ask"];
  /** See tool calls before and after they run; in addition to the commands of the settings. */
  readonly hooks?: Hooks;
  /** Values that may never be recorded, shown or sent to a model, beside those that are found in the environment, settings and files. */
  readonly secrets?: readonly string[];
  /** Sees all traffic with providers, as a cassette does. */
  readonly tap?: TrafficTap;
  /** Who gives the inputs that come from this process: answers of the approver, and cancels. */
  readonly source?: InputSource;
};

export type RunOptions = {
  /** `main` by default. */
  readonly agent?: string;
  readonly model?: string;
  readonly limits?: Limits;
  readonly approve?: ApproveMode;
  /** The only tools it may use, out of those it has. Globs are allowed. */
  readonly tools?: readonly string[];
  /** `worktree`: it works in a git worktree of its own, and its changes are merged into the workspace when it is done. By default as the agent's file says. */
  readonly isolation?: AgentDefinition["isolation"];
  /** Runs in worktrees that share one are merged in the order in which they were started. */
  readonly mergeOrder?: MergeOrder;
  /** Goes on with the conversation of this session. */
  readonly sessionId?: SessionId;
  /** The id of the session that the run begins, where it is known before; one that there is already is `session_exists`. */
  readonly newSessionId?: SessionId;
  readonly signal?: AbortSignal;
};

export type ForkOptions = Omit<RunOptions, "sessionId" | "newSessionId"> & {
  /** What is said next; without it the run goes on without a word. */
  readonly task?: string;
  /** In place of the agent's prompt. */
  readonly prompt?: string;
};

export type FanOutTask = { readonly agent: string; readonly task: string } & Pick<
  RunOptions,
  "isolation" | "limits" | "model" | "tools"
>;

export type Retinue = {
  /** Resolves when the request is recorded; the run then works on its own. */
  readonly run: (task: string, options?: RunOptions) => Promise<RunHandle>;
  /** Runs an agent and waits for its result. Called inside a tool, it is a run below the one that called the tool. */
  readonly spawn: (agent: string, task: string, options?: Omit<RunOptions, "agent" | "sessionId">) => Promise<RunResult>;
  /** Several at once; results in the order of the tasks, and a failing one never loses the others. */
  readonly fanOut: (
    tasks: readonly FanOutTask[],
    options?: { readonly maxConcurrent?: number; readonly signal?: AbortSignal },
  ) => Promise<readonly RunResult[]>;
  /**
   * Goes on with the latest run of a session, or with one run of it and what is below, where a crash left it. A run that is settled gives
   * its result. One that a living process works on is refused with `session_running`, unless it is to be taken over. It goes on with no more
   * rights than a run that is started now; what a session that was imported has in hand is asked about.
   */
  readonly resume: (
    id: SessionId | RunId,
    options?: Pick<RunOptions, "signal" | "approve" | "limits"> & ResumeOptions,
  ) => Promise<RunHandle>;
  /** Leaves a run at one of its events, in a session of its own. */
  readonly fork: (point: ForkPoint, options?: ForkOptions) => Promise<RunHandle>;
  /** The recorded events of a session. */
  readonly events: (sessionId: SessionId, afterSeq?: number) => Promise<readonly RecordedEvent[]>;
  /** Runs the loop again on the record, without models or tools, and says where it would differ. */
  readonly verify: (sessionId: SessionId) => Promise<ReplayVerdict>;
  readonly sessions: ReadSide;
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly tools: ReadonlyMap<string, AnyTool>;
  /** Stopping, speaking to, answering and following runs, whichever process drives them. */
  readonly live: Pick<Engine, "cancel" | "send" | "approvals" | "answer" | "follow">;
  /** What was found to be wrong with files of tools, skills, servers and agents, and is left out. */
  readonly problems: readonly string[];
  /** What the project would have loaded or started if it were trusted. */
  readonly untrusted: readonly TrustClaim[];
  /** The model that is used where neither agent nor run names one. */
  readonly model: string;
  /** Stops driving and lets go of everything; what has not settled is left open in the record, to be resumed. */
  readonly close: () => Promise<void>;
};

const MOST_TASK_BYTES = 8 * 1024 * 1024;
const DETECT_MS = 500;

export const createRetinue = async (options: RetinueOptions = {}): Promise<Retinue> => {
  const env = options.env ?? process.env;
  const workspace = await realWorkspace(options.workspace ?? process.cwd());
  const settings = options.settings ?? (await loadSettings({ workspace, env })).settings;
  const home = retinueHome(env);
  const assembled = await assembleTools({
    workspace,
    home,
    env,
    settings,
    askUser: options.askUser,
    secrets: await workspaceSecrets(workspace),
  });
  const secrets = [...(options.secrets ?? []), ...(await findSecrets({ env, settings, workspace, servers: assembled.servers }))];
  const tools = collectTools([...assembled.tools, ...(options.tools ?? [])]);
  const {
    loaded: found,
    untrusted: untrustedAgents,
    problems: agentProblems,
  } = await loadTrustedAgents(
    {
      userDir: home,
      projectDir: workspace,
      modelNames: Object.keys(settings.models),
      presets: settings.agent.presets,
      ...(env["HOME"] === undefined ? {} : { homeDir: env["HOME"] }),
    },
    createTrustStore({ file: path.join(home, "trust.json") }),
  );
  const maxDepth = Math.min(settings.agent.maxDepth, found.maxDepth ?? Infinity);
  const defined = new Map([...found.agents, ...(options.agents ?? []).map((agent) => [agent.name, agent] as const)]);
  const { agents, applied, problems: settingsProblems } = applyAgentSettings(defined, settings);
  const { tap } = options;
  const models = createModels({
    providers: settings.providers,
    models: settings.models,
    retry: settings.retry,
    streamIdleMs: settings.streamIdleMs,
    env,
    ...(tap === undefined ? {} : { tap }),
  });
  const given = typeof options.model === "object" ? toModel(options.model, settings) : undefined;
  const model =
    given?.id ??
    (typeof options.model === "string" ? options.model : undefined) ??
    settings.model ??
    chooseModel(await detectProviders({ env, providers: settings.providers, timeoutMs: DETECT_MS }));
  const resolve = async (name: string): Promise<Model> => (name === given?.id ? given : models.resolve(name));
  const store = options.store ?? (await openRecord({ settings, env, workspace }));
  const record = createNarrowedLog(store);
  const summaryModel = settings.models["cheap"] === undefined ? undefined : "cheap";

  const commandHooks = createCommandHooks(settings.hooks, {
    workspace,
    env,
    network: toNetworkOptions(settings),
    unprotected: settings.unprotected,
  });
  const engine = createEmbeddedEngine({
    log: record.log,
    createId,
    ports: {
      model: resolve,
      tool: (name) => tools.get(name),
      clock: systemClock,
      realPath,
      judge: createJudge({
        digest: digestFile,
        digestTree,
        sandboxObstacle,
        allowUnsandboxed: settings.allowUnsandboxed,
        unprotected: settings.unprotected,
      }),
      shell: (command, spec, signal, act) =>
        runShellLine({
          command,
          workspace: spec.workspace,
          scope: spec.grant,
          signal,
          unprotected: settings.unprotected,
          allowUnsandboxed: isUnsandboxedAllowed(settings, act),
          network: toNetworkOptions(settings),
        }),
      readFile: (file, from) => readFile(path.resolve(from, file), "utf8"),
      worktrees: createGitWorktrees({
        folder: path.join(home, "worktrees"),
        // Nobody can be asked about these calls of git; so they need a sandbox, or a user who wants to be asked about nothing.
        allowUnsandboxed: settings.allowUnsandboxed,
        allowsAbsent: settings.approve === "all",
        environment: env,
        unprotected: settings.unprotected,
        onRemove: (folder) => toCodeIndexes(codeOptions(home)).forget(folder),
      }),
      ...(secrets.length === 0 ? {} : { redactor: createRedactor(secrets) }),
    },
    agents,
    model,
    maxConcurrent: settings.agent.maxConcurrent,
    maxChildren: settings.agent.maxChildren,
    resultTokens: settings.agent.resultTokens,
    approver: options.approver,
    unattended: settings.approvals.unattended,
    approvalExpiresMs: settings.approvals.expiresMs,
    hooks: combineHooks([commandHooks.hooks, options.hooks].filter((hooks) => hooks !== undefined)),
    observer: commandHooks.observer,
    source: options.source,
  });

  const agentOf = (name: string): AgentDefinition => {
    const agent = agents.get(name) ?? agents.get(found.aliases.get(name) ?? "") ?? findAgentNamed(name, agents.values());
    if (!agent)
      throw new RetinueError("agent_unknown", `There is no agent "${name}". There are: ${[...agents.keys()].join(", ")}.`);
    return agent;
  };

  /** Told on request only, and never on tape: what is asked would differ from one recording to the next. */
  const figuresFor = async ({ delegates }: AgentDefinition): Promise<string | undefined> =>
    settings.agent.statsInPrompt && tap === undefined
      ? describeFigures(await store.readSide.stats({ by: "agent" }), delegates)
      : undefined;

  /** What a run at depth 0 may be given at most. */
  const grantOf = (run: Pick<RunOptions, "approve">): Grant => ({
    tools: [...tools.keys()],
    writes: [],
    hosts: [],
    approve: run.approve ?? settings.approve,
    maxDepth,
  });

  /** What a run at depth 0 is frozen to. A model that nobody configured is told before the run is admitted. */
  const specOf = async (agent: AgentDefinition, run: RunOptions): Promise<RunSpec> => {
    const place = (run.isolation ?? agent.isolation) === "worktree" ? await engine.placeWorktree(workspace) : undefined;
    // A person's call stands above the settings, and those above the agent's file.
    const limits = { ...agent.limits, ...settings.limits, ...applied.get(agent.name)?.set.limits, ...run.limits };
    const spec = createSpec({
      agent: { ...agent, limits, ...(run.model === undefined ? {} : { model: run.model }) },
      agents,
      grant: grantOf(run),
      model,
      workspace: place?.workspace ?? workspace,
      worktree: place?.worktree,
      depth: 0,
      request: { limits: { ...settings.limits, ...run.limits }, tools: run.tools?.map(resolveToolName) },
      summaryModel,
      figures: await figuresFor(agent),
    });
    await resolve(spec.model);
    return spec;
  };

  const grantedNow = (run: Pick<RunOptions, "approve" | "limits">): Omit<GrantedNow, "isImported"> => ({
    grant: grantOf(run),
    limits: stricter(settings.limits, run.limits ?? {}),
    agents,
    workspace,
  });

  /** Asked once a session; of those that began here it is known. */
  const imports = new Map<SessionId, boolean>();
  const isImported = async (sessionId: SessionId): Promise<boolean> => {
    const known = imports.get(sessionId) ?? (await store.readSide.session(sessionId))?.importedAt !== null;
    imports.set(sessionId, known);
    return known;
  };

  /** A session that goes on with a task brings what was said in it, and no approval that nobody gave here. */
  const believeNoImport = async (sessionId: SessionId, run: RunOptions): Promise<void> => {
    if (imports.has(sessionId) || !(await isImported(sessionId))) return;
    await record.narrow(sessionId, { ...grantedNow(run), isImported: true });
  };

  const start = async (agent: AgentDefinition, task: string, run: RunOptions): Promise<RunHandle> => {
    checkTask(task);
    const spec = await specOf(agent, run);
    const { sessionId, newSessionId, mergeOrder, signal } = run;
    if (sessionId !== undefined) await believeNoImport(sessionId, run);
    const started = await engine.start({
      agent: agent.name,
      task: [{ type: "text", text: task }],
      spec,
      ...(mergeOrder === undefined ? {} : { mergeOrder }),
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(newSessionId === undefined ? {} : { newSessionId }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (sessionId === undefined) imports.set(started.sessionId, false);
    return started;
  };

  const spawn: Retinue["spawn"] = async (name, task, run = {}) => {
    const agent = agentOf(name);
    const parent = currentRun();
    if (!parent) return (await start(agent, task, run)).result;
    checkTask(task);
    return engine.spawnBelow(
      parent.runId,
      { agent, task, limits: run.limits ?? {}, tools: run.tools, isolation: run.isolation },
      run.signal ?? new AbortController().signal,
    );
  };

  return {
    model,
    agents,
    tools,
    problems: [
      ...assembled.problems.filter(({ code }) => code !== "project_untrusted").map(toProblemLine),
      ...agentProblems,
      ...settingsProblems,
    ],
    untrusted: [...assembled.untrusted, ...untrustedAgents],
    sessions: store.readSide,
    live: engine,
    run: async (task, run = {}) => start(agentOf(run.agent ?? "main"), task, run),
    spawn,
    fanOut: (tasks, { maxConcurrent = settings.agent.maxConcurrent, signal } = {}) => {
      const mergeOrder = createMergeOrder();
      return fanOut(tasks, maxConcurrent, ({ agent, task, ...rest }) =>
        spawn(agent, task, { ...rest, mergeOrder, ...(signal === undefined ? {} : { signal }) }),
      );
    },
    resume: async (id, { signal, approve, limits, ...how } = {}) => {
      const sessionId = isRunId(id) ? await store.sessionOf(id) : id;
      const events = sessionId === undefined ? [] : await store.read(sessionId);
      const root = events.findLast(
        ({ type, depth, runId }) => type === "run.requested" && (isRunId(id) ? runId === id : depth === 0),
      );
      if (root?.type !== "run.requested")
        throw new RetinueError(
          isRunId(id) ? "run_unknown" : "session_unknown",
          `There is no ${isRunId(id) ? "run" : "session"} ${id}.`,
        );
      const ofRoot = events.filter(({ runId }) => runId === root.runId);
      const isSettled = ofRoot.some(({ type }) => type === "run.settled");
      const isCancelled = ofRoot.some((event) => event.type === "cancel.requested" && event.finish !== true);
      // A missing key is told before the run is taken up; taken up, it would fail and be over. One that is only to be settled needs none.
      if (!isSettled && !isCancelled) await resolve(root.spec.model);
      if (!isSettled)
        await record.narrow(root.sessionId, {
          ...grantedNow({ ...(approve === undefined ? {} : { approve }), ...(limits === undefined ? {} : { limits }) }),
          isImported: await isImported(root.sessionId),
        });
      const run = await engine.resume(root.runId, how);
      if (signal) cancelWith(run, signal);
      return run;
    },
    fork: async (point, { task = "", prompt, ...run } = {}) => {
      const origin = (await store.read(point.sessionId)).find(
        ({ type, runId }) => type === "run.requested" && runId === point.runId,
      );
      if (!origin) throw new RetinueError("run_unknown", `There is no run ${point.runId} in ${point.sessionId}.`);
      const agent = agentOf(run.agent ?? origin.agent);
      const spec = await specOf(prompt === undefined ? agent : { ...agent, prompt }, run);
      return engine.start({
        agent: agent.name,
        task: task === "" ? [] : [{ type: "text", text: task }],
        spec,
        forkedFrom: point,
        ...(run.signal === undefined ? {} : { signal: run.signal }),
      });
    },
    events: async (sessionId, afterSeq) => store.read(sessionId, afterSeq),
    verify: async (sessionId) => verifyReplay(await store.read(sessionId), engine.toolsFor),
    close: async () => {
      await engine.close();
      await commandHooks.settled();
      await assembled.close();
      await store.close();
    },
  };
};

/** What stands against a sandbox for commands now. */
const sandboxObstacle = async (): Promise<SandboxObstacle | undefined> => {
  const sandbox = await probeSandbox();
  return sandbox.backend === "none" ? sandbox : undefined;
};

const cancelWith = (run: RunHandle, signal: AbortSignal): void => {
  const cancel = (): void => run.cancel(signal.reason instanceof Error ? signal.reason.message : undefined);
  if (signal.aborted) cancel();
  else signal.addEventListener("abort", cancel, { once: true });
};

const isRunId = (id: SessionId | RunId): id is RunId => id.startsWith("run_");

const checkTask = (task: string): void => {
  if (task.trim() === "") throw new RetinueError("task_empty", "There is no task.");
  const bytes = Buffer.byteLength(task);
  if (bytes > MOST_TASK_BYTES)
    throw new RetinueError("task_too_large", `The task has ${bytes} bytes; ${MOST_TASK_BYTES} is the most.`);
};

const realWorkspace = async (folder: string): Promise<string> => {
  try {
    return await realpath(folder);
  } catch (cause) {
    throw new RetinueError("usage", `The workspace ${folder} cannot be opened.`, { hint: "Name a folder that exists.", cause });
  }
};

const collectTools = (all: readonly AnyTool[]): ReadonlyMap<string, AnyTool> => {
  const tools = new Map<string, AnyTool>();
  for (const tool of all) {
    if (tools.has(tool.name)) throw new RetinueError("tool_name_taken", `There are two tools named "${tool.name}".`);
    tools.set(tool.name, tool);
  }
  return tools;
};

const toModel = (model: Model | AiSdkModel, { retry, streamIdleMs }: Settings): Model =>
  isAiSdkModel(model) ? fromAiSdk(model, { retry, streamIdleMs }) : model;
