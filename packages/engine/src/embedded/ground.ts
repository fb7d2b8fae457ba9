/** What all parts of the embedded engine stand on: its options, the runs that are at work in this process, and the ways to write and to show. */
import type { ApprovalId, RetinueEvent, RunId, SessionId } from "@retinue/protocol";
import type { ParseOutput } from "@retinue/protocol/agent-file";
import type { EventLog } from "@retinue/store";
import type { AcceptPorts, AnyTool, RunState } from "@retinue/runtime";
import { createCleaner } from "@retinue/runtime";
import type { EngineOptions, HostPorts } from "../contract.ts";
import type { WorktreeRuns } from "../worktree/worktree-runs.ts";
import { createWorktreeRuns } from "../worktree/worktree-runs.ts";
import type { ActiveRun, Session, Tree } from "./active-run.ts";
import type { EngineFloor } from "./floor.ts";
import type { SessionShelves } from "./session-shelves.ts";
import { createSessionShelves } from "./session-shelves.ts";
import { createEngineFloor } from "./floor.ts";

/** What a run that is driven needs of the runs below it. Children are driven as their parents are, so that this is put in by whoever builds the engine. */
export type Below = {
  readonly toolsOf: (ground: Ground, state: RunState, run?: ActiveRun) => ReadonlyMap<string, AnyTool>;
  readonly acceptPorts: (ground: Ground, run: ActiveRun) => AcceptPorts;
  readonly findBackground: (ground: Ground, run: ActiveRun) => Promise<void>;
  readonly wakeBackground: (ground: Ground, run: ActiveRun) => Promise<void>;
  readonly stopBelow: (ground: Ground, run: ActiveRun) => Promise<unknown> | undefined;
};

export type Ground = {
  readonly below: Below;
  readonly options: EngineOptions;
  readonly log: EventLog;
  readonly ports: HostPorts;
  readonly active: Map<RunId, ActiveRun>;
  /** Knows of the runs of the other engines of this process, too. */
  readonly floor: EngineFloor;
  readonly sessions: Map<SessionId, Session>;
  readonly worktreeRuns: WorktreeRuns;
  /** What tools hold open for whole sessions. */
  readonly sessionShelves: SessionShelves;
  /** What waits here for open questions to expire, by run, also for those of parked runs: each takes back its wait. */
  readonly expiries: Map<RunId, Map<ApprovalId, () => void>>;
  /** How results of runs that were asked for with a schema of their own are read, until they settle. */
  readonly outputParsers: Map<RunId, ParseOutput>;
  /** Providers that have answered a run here. */
  readonly answered: Set<string>;
  /** The value without the secrets that are known. */
  readonly clean: <T>(value: T) => T;
  /** Whether somebody can be asked: at once, or later from elsewhere. */
  readonly canAsk: boolean;
  /** Questions are waited for in the log alone. */
  readonly parks: boolean;
};

export const createGround = (options: EngineOptions, below: Below): Ground => ({
  below,
  options,
  log: options.log,
  ports: options.ports,
  active: new Map(),
  floor: options.floor ?? createEngineFloor(),
  sessions: new Map(),
  worktreeRuns: createWorktreeRuns(options.ports.worktrees, options.log),
  sessionShelves: createSessionShelves({ clock: options.ports.clock, told: options.onProblem }),
  expiries: new Map(),
  outputParsers: new Map(),
  answered: new Set(),
  clean: createCleaner(options.ports.redactor),
  canAsk: options.approver !== undefined || options.unattended === "park",
  parks: options.approver === undefined && options.unattended === "park",
});

export const publish = ({ options }: Ground, session: Session, event: RetinueEvent): void => {
  options.observer?.(event);
  for (const follower of session.followers) follower.push(event);
};

/** When a write fails, the whole tree stops where its record ends; it can be resumed from there. */
export const write = <T>(ground: Ground, tree: Tree, act: () => T | Promise<T>): T | Promise<T> => {
  if (tree.fault) throw tree.fault.thrown;
  let written: T | Promise<T>;
  try {
    written = act();
  } catch (thrown) {
    return failTree(ground, tree, thrown);
  }
  return written instanceof Promise ? written.catch((thrown: unknown) => failTree(ground, tree, thrown)) : written;
};

const failTree = (ground: Ground, tree: Tree, thrown: unknown): never => {
  leaveTree(ground, tree, thrown);
  throw thrown;
};

/** Stops everything of the tree where its record stands. Nothing of it is written any more. */
export const leaveTree = ({ active }: Pick<Ground, "active">, tree: Tree, thrown: unknown): void => {
  tree.fault ??= { thrown };
  for (const run of active.values()) if (run.tree === tree) run.stop.abort(thrown);
};
