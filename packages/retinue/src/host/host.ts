/** A host: what the workspaces of one process share. Models and their queues, the record, and what the user trusts are there once. */
import type { Approver, Engine } from "@retinue/engine";
import type { TrafficTap } from "@retinue/model";
import type { InputSource, RunId, SessionId } from "@retinue/protocol";
import type { ReadSide } from "@retinue/store";
import type { Run } from "../library/run.ts";
import type { RetinueStore } from "../open-record.ts";
import type { Settings } from "../settings/settings.ts";
import type { GivenModel, ResumeRunOptions, Workspace, WorkspaceOptions } from "./workspace.ts";

export type HostOptions = {
  /** That of the process by default. It says where the user's own folder is, and holds the keys of providers. */
  readonly env?: NodeJS.ProcessEnv;
  /** Where sessions are recorded; by default where `settings` say. The host closes it. */
  readonly store?: RetinueStore;
  /** Of these the host takes only where sessions are recorded; by default those of `folder`. */
  readonly settings?: Pick<Settings, "store">;
  /** The folder whose settings say where sessions are recorded, and that a relative path of them is relative to; the current one by default. */
  readonly folder?: string;
  /** Used by workspaces that name none. */
  readonly model?: GivenModel;
  /** Asked before acts that need it, where a workspace has none of its own. */
  readonly approver?: Approver;
  /** Told of what went wrong and changes no run, such as something that a tool held open and that could not be closed. */
  readonly onProblem?: (problem: string) => void;
  /** Sees all traffic with providers, as a cassette does. */
  readonly tap?: TrafficTap;
  /** Who gives the inputs that come from this process: answers of the approver, and cancels. */
  readonly source?: InputSource;
};

export type Host = {
  /** Throws where something is wrong with the configuration, before anything runs. One folder may be opened more than once. */
  readonly openWorkspace: (folder: string, options?: WorkspaceOptions) => Promise<Workspace>;
  /** Those that are open, in the order in which they were opened. */
  readonly workspaces: () => readonly Workspace[];
  /** Goes on with a session in the folder that it works in: through the workspace that is open there, or one that is opened for it. */
  readonly resume: (id: SessionId | RunId, options?: ResumeRunOptions) => Promise<Run>;
  /** The record of all workspaces. */
  readonly sessions: ReadSide;
  /** The questions of all workspaces that wait for an answer. */
  readonly approvals: Engine["approvals"];
  /** Follows a session of any workspace. */
  readonly follow: Engine["follow"];
  /** Closes every workspace, then the record. */
  readonly close: () => Promise<void>;
};
