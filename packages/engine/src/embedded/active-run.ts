/** A run while it is at work in this process: what the engine holds of it, and what can be read off its place in the tree. */
import { hash } from "node:crypto";
import type { ApprovalId, CallId, RunId, SessionId } from "@retinue/protocol";
import type { Driven, Purse, RunState, Stopwatch } from "@retinue/runtime";
import type { Lease } from "@retinue/store";
import type { Follower } from "../follower.ts";
import type { MergeOrder, MergeTurn } from "../worktree/merge-order.ts";
import { createMergeOrder } from "../worktree/merge-order.ts";
import type { CurrentCall } from "./current-run.ts";
import type { Pacer } from "./pacer.ts";
import type { Shelf } from "./shelf.ts";

export type Session = {
  readonly sessionId: SessionId;
  readonly followers: Set<Follower>;
  /** Those of its runs that are at work here. */
  readonly runs: Set<ActiveRun>;
  /** Kinds of acts that a human has allowed for the session. */
  readonly allowed: Set<string>;
  /** Stops listening for inputs; null while nothing of the session is at work here. */
  unwatch: (() => void) | null;
};

/** Runs of this process that stop together: a main run and everything below it. */
export type Tree = {
  /** What made its record unwritable here. After that nothing is written: it would rest on what is not there. */
  fault: { readonly thrown: unknown } | null;
  /** Runs of it that wait outside of memory. */
  readonly parked: Map<RunId, ParkedRun>;
};

/** All that is kept in memory of a run that waits outside of it. */
export type ParkedRun = {
  /** The last input that its last drive knew. */
  readonly inputSeq: number;
  /** The runs above it, the nearest first. */
  readonly above: readonly RunId[];
};

/** What a record said of the runs of a session, up to an event. */
export type Known = { readonly states: ReadonlyMap<RunId, RunState>; readonly seq: number };

export type ActiveRun = {
  state: RunState;
  readonly session: Session;
  /** As it is driven now: one that parked and is driven on takes the place that its earlier drive had. */
  parent: ActiveRun | null;
  readonly tree: Tree;
  purse: Purse;
  lease: Lease | null;
  /** Measures its working time; made when its loop starts. */
  watch: Stopwatch | null;
  /** Made when it first starts a sub-agent. */
  pacer: Pacer | null;
  /** What its tools hold open; made when the first of them opens something. */
  shelf: Shelf | null;
  /** Who is woken by the next ring. */
  waiting: (() => void)[] | null;
  /** The last input that its state knows. */
  inputSeq: number;
  /** How many inputs were taken in since it was driven, and how many when it last decided to park. */
  taken: number;
  takenAtPark: number;
  /** How many calls of its turn are under way, and how many of them only wait for a child that parked. */
  calls: number;
  waitingCalls: number;
  /** Inputs are taken in one after the other. */
  taking: Promise<void> | null;
  /** Prompts that are open for its questions, by question. */
  prompts: Map<ApprovalId, AbortController> | null;
  /** Runs below it that work in the background and whose results it was not told; made when the first of them is started. */
  background: Map<RunId, BackgroundRun> | null;
  readonly stop: AbortController;
  /** Has the runs below it that a record already knows. */
  known: Known;
  children: number;
  /** How often code outside of any call has started a run below it, by agent and task; made when it first does. */
  spawned: Map<string, number> | null;
  /** Its turn to be merged, where it works in a worktree of its own. */
  readonly mergeTurn: MergeTurn | null;
  /** Those of the runs below it; what works in the background holds nobody up. */
  orders: { readonly foreground: MergeOrder; readonly background: MergeOrder } | null;
  /** The number of its `run.settled`; 0 until it was recorded here. */
  settledSeq: number;
  driven: Promise<Driven>;
};

export type BackgroundRun = {
  readonly stop: AbortController;
  readonly work: Promise<unknown>;
  /** It waits outside of memory. Until then it is at work, waits for its turn, or has settled and its parent is about to be told. */
  isParked: boolean;
};

/** The same parent and call always give the same child. */
export const childRunId = (parent: RunId, callId: CallId): RunId =>
  `run_${hash("sha256", `${parent}\0${callId}`, "hex").slice(0, 24)}`;

/**
 * The same for the same call, agent and task, in the order in which they are started, so that a call that is made again finds its runs again, in
 * this process as in another, and code of another call does not.
 */
export const spawnCallId = (parent: ActiveRun, call: CurrentCall | null, agent: string, task: string): CallId => {
  const key = hash("sha256", `${call?.callId ?? ""}\0${agent}\0${task}`, "hex").slice(0, 16);
  const spawned = ((call ?? parent).spawned ??= new Map());
  const times = (spawned.get(key) ?? 0) + 1;
  spawned.set(key, times);
  return `spawn_${key}_${times}`;
};

export const isBelow = (run: ActiveRun | undefined, ancestor: RunId): boolean => {
  for (let one = run?.parent; one; one = one.parent) if (one.state.identity.runId === ancestor) return true;
  return false;
};

export const countChildren = (runId: RunId, { states }: Known): number =>
  [...states.values()].filter(({ identity }) => identity.parentRunId === runId).length;

/** The agents and tasks from the main agent down to this run. */
export const chainOf = (run: ActiveRun): readonly { readonly agent: string; readonly task: string }[] => {
  const chain: { readonly agent: string; readonly task: string }[] = [];
  for (let one: ActiveRun | null = run; one; one = one.parent) {
    const [part] = one.state.messages[one.state.taskIndex]?.content ?? [];
    chain.unshift({ agent: one.state.identity.agent, task: part?.type === "text" ? part.text : "" });
  }
  return chain;
};

/** Made when the first run below it is started that works in a worktree. */
export const ordersOf = (run: ActiveRun): NonNullable<ActiveRun["orders"]> =>
  (run.orders ??= { foreground: createMergeOrder(), background: createMergeOrder() });
