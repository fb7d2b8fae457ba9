/**
 * Drives one run: takes its lease, takes over what others recorded, gives the loop its ports and sees to what is left when the drive ends. Whoever drives
 * a run holds its lease, and everything the loop writes carries the lease's epoch.
 */
import type { ApprovalId, EventDraft, RecordedBody, RunId, WaitingFor } from "@retinue/protocol";
import { RetinueError, toErrorValue } from "@retinue/protocol";
import type { Driven, LoopOptions, Ports, RunState, Stopwatch } from "@retinue/runtime";
import {
  apply,
  createRunPurse,
  createStopwatch,
  driveRun,
  executeCall,
  fold,
  LeftOpen,
  isAlikeAllowed,
  settledMessages,
  spentBy,
  toResult,
} from "@retinue/runtime";
import type { AppendOptions, Lease } from "@retinue/store";
import type { MergeOrder } from "../worktree/merge-order.ts";
import { createMergeOrder } from "../worktree/merge-order.ts";
import type { ActiveRun, Known, Tree } from "./active-run.ts";
import { countChildren } from "./active-run.ts";
import { ring, waitForRing } from "./bell.ts";
import { findEarlierDrive, isAboveOthers, takePlaceOf } from "./earlier-drive.ts";
import { guardPortsOf } from "./guard-ports.ts";
import { inCall, inRun } from "./current-run.ts";
import type { Ground } from "./ground.ts";
import { leaveTree, publish, write } from "./ground.ts";
import { takeInputs, watchInputs } from "./inputs.ts";
import { hasNews } from "./parking.ts";
import { createAskPort } from "./questions.ts";
import { closeAfter, createResources, releaseOf } from "./run-resources.ts";
import { enterSession, leaveSession } from "./sessions.ts";
import { spentBelow } from "./spent-below.ts";

export type DriveOptions = {
  readonly parent: ActiveRun | null;
  readonly known: Known;
  readonly resumed: boolean;
  /** It is not taken from a living process. */
  readonly onlyIfFree?: boolean;
  readonly order?: MergeOrder | undefined;
};

/** Begins to drive a run. Its `driven` says how that ends; it rejects where the run is left open. */
export const drive = (ground: Ground, state: RunState, options: DriveOptions): ActiveRun => {
  const { parent, known, resumed, onlyIfFree = false, order } = options;
  const { sessionId, runId } = state.identity;
  const session = enterSession(ground, sessionId);
  // Below another, only one that parked here can have had an earlier drive: a thousand that are resumed are not looked for among each other.
  const earlier = resumed && (!parent || parent.tree.parked.has(runId)) ? findEarlierDrive(session, runId) : undefined;
  const tree: Tree = parent?.tree ?? earlier?.tree ?? { fault: null, parked: new Map() };
  const run: ActiveRun = {
    state,
    session,
    parent,
    tree,
    purse:
      earlier?.purse ??
      createRunPurse(state.spec, parent?.purse ?? null, resumed ? spentBelow(state, known.states) : spentBy(state)),
    lease: null,
    watch: null,
    pacer: null,
    shelf: null,
    waiting: null,
    inputSeq: known.seq,
    taken: 0,
    takenAtPark: 0,
    calls: 0,
    waitingCalls: 0,
    taking: null,
    prompts: null,
    background: null,
    stop: new AbortController(),
    known,
    children: countChildren(runId, known),
    spawned: null,
    mergeTurn: state.spec.worktree ? (order ?? createMergeOrder()).join() : null,
    orders: null,
    settledSeq: 0,
    driven: Promise.resolve() as never,
  };
  tree.parked.delete(runId);
  if (earlier) takePlaceOf(earlier, run);
  session.runs.add(run);
  ground.active.set(runId, run);
  watchInputs(ground, session, (one) => void hearBelow(ground, one));
  run.driven = closeAfter(ground, run, () => inRun(state.identity, () => execute(ground, run, { resumed, onlyIfFree }))).finally(
    () => {
      ground.active.delete(runId);
      run.mergeTurn?.leave();
      leaveSession(ground, run);
    },
  );
  // Whoever does not wait for the end of the drive must not be ended by its rejection.
  run.driven.catch(() => undefined);
  return run;
};

type How = { readonly resumed: boolean; readonly onlyIfFree: boolean };

const execute = async (ground: Ground, run: ActiveRun, how: How): Promise<Driven> => {
  if (run.state.result) return putAway(ground, run, { type: "settled", result: run.state.result });
  const lease = await takeOver(ground, run, how);
  if (run.state.result) return putAway(ground, run, { type: "settled", result: run.state.result });
  if (run.state.cancelRequested)
    run.stop.abort(new RetinueError("cancelled", run.state.cancelRequested.reason ?? "The run was cancelled."));
  await takeInputs(ground, run);
  // The process that drove the tree before may have ended before it took away what was merged.
  if (how.resumed && !run.parent && hasWorktreesBelow(run.known)) await sweepOnce(ground);
  // One that has started nothing has nothing to find, and need not read the session for it.
  if (how.resumed && run.children > 0) await ground.below.findBackground(ground, run);
  const emit: Ports["emit"] = (drafts) =>
    write(ground, run.tree, () => ground.log.append(drafts, lease, drafts.some(isIrrevocable) ? DURABLE : undefined));
  await prepareWorktree(ground, run, emit);
  try {
    for (let { resumed } = how; ; resumed = true) {
      const driven = await driveRun(toLoopOptions(ground, run, { lease, emit, resumed }), (event) => {
        if (event.type === "run.settled") run.settledSeq = event.seq;
        else if (event.type === "model.answered") ground.answered.add(providerOf(event.model));
        publish(ground, run.session, event);
      });
      if (driven.type === "settled") return await putAway(ground, run, driven);
      if (!(await hasMoved(ground, run))) return leaveMemory(run, driven);
    }
  } catch (thrown) {
    return fail(ground, run, emit, thrown);
  }
};

const DURABLE: AppendOptions = { durable: true };

/** It stands before an effect that leaves the machine and may not be made twice: not even a power cut takes it back. */
const isIrrevocable = (draft: EventDraft): boolean =>
  draft.type === "tool.started" && !draft.repeatable && (draft.effect === "execute" || draft.effect === "network");

/** Whether something was taken in, or heard of a run below, since the loop decided to park. */
const hasMoved = async (ground: Ground, run: ActiveRun): Promise<boolean> => {
  await takeInputs(ground, run);
  return run.taken !== run.takenAtPark || (await hasNews(ground, run.tree, run.state.identity.runId));
};

const leaveMemory = (run: ActiveRun, driven: Driven): Driven => {
  const above: RunId[] = [];
  for (let one = run.parent; one; one = one.parent) above.push(one.state.identity.runId);
  run.tree.parked.set(run.state.identity.runId, { inputSeq: run.inputSeq, above });
  return driven;
};

/** Takes the run over. Whoever drove it until then may have added to its record since it was read. */
const takeOver = async (ground: Ground, run: ActiveRun, { resumed, onlyIfFree }: How): Promise<Lease> => {
  const { log, active } = ground;
  const { sessionId, runId } = run.state.identity;
  const lease = await write(ground, run.tree, () => log.lease(runId, { onlyIfFree }));
  run.lease = lease;
  if (!resumed && lease.epoch === 1) return lease;
  const added = await log.read(sessionId, run.known.seq);
  // What is at work here beside it takes its own events in as it writes them, into its own state.
  const beside = new Map<RunId, RunState>();
  const changed = new Set<RunId>();
  for (const { runId: id } of added) {
    const live = id === runId ? undefined : active.get(id);
    if (live) beside.set(id, live.state);
    else changed.add(id);
  }
  if (changed.size === 0) return lease;
  const states = new Map([...run.known.states, ...(await readChanged(ground, run, changed)), ...beside]);
  run.state = states.get(runId) ?? run.state;
  run.known = { states, seq: added.at(-1)?.seq ?? run.known.seq };
  run.inputSeq = run.known.seq;
  // Those at work below spend from the purse that it has.
  if (!isAboveOthers(run)) run.purse = createRunPurse(run.state.spec, run.parent?.purse ?? null, spentBelow(run.state, states));
  run.children = countChildren(runId, run.known);
  return lease;
};

/** The runs as they stand now. Of a session that is known only they are read; what they go on with stands in it unchanged. */
const readChanged = async (
  { log }: Ground,
  { state, known }: ActiveRun,
  changed: ReadonlySet<RunId>,
): Promise<ReadonlyMap<RunId, RunState>> => {
  const { sessionId } = state.identity;
  if (known.states.size === 0) return fold(await log.read(sessionId));
  const said = new Map([...known.states].map(([id, earlier]) => [id, settledMessages(earlier)]));
  return fold(await log.readRuns(sessionId, [...changed]), said);
};

const prepareWorktree = async (ground: Ground, run: ActiveRun, emit: Ports["emit"]): Promise<void> => {
  if (!run.mergeTurn) return;
  await sweepOnce(ground);
  await record(ground, run, emit, ground.worktreeRuns.prepare(run.state, run.stop.signal));
};

const hasWorktreesBelow = ({ states }: Known): boolean => {
  for (const { spec } of states.values()) if (spec.worktree) return true;
  return false;
};

const swept = new WeakMap<Ground, Promise<void>>();

/** The engine sweeps worktrees left by runs that are no longer active, once. */
const sweepOnce = (ground: Ground): Promise<void> => {
  let sweep = swept.get(ground);
  if (!sweep) {
    sweep = ground.worktreeRuns.sweep(ground.floor.isAtWork).catch(() => undefined);
    swept.set(ground, sweep);
  }
  return sweep;
};

const record = async (
  ground: Ground,
  { state, session }: ActiveRun,
  emit: Ports["emit"],
  bodies: AsyncIterable<RecordedBody>,
): Promise<void> => {
  for await (const body of bodies)
    for (const event of await emit([{ ...state.identity, at: ground.ports.clock.date(), ...ground.clean(body) }])) {
      apply(state, event);
      publish(ground, session, event);
    }
};

type Driving = { readonly lease: Lease; readonly emit: Ports["emit"]; readonly resumed: boolean };

const toLoopOptions = (ground: Ground, run: ActiveRun, { lease, emit, resumed }: Driving): LoopOptions => {
  const { ports, options, log, clean, worktreeRuns } = ground;
  const { state, tree, mergeTurn } = run;
  const { sessionId } = state.identity;
  const watch = (run.watch = createStopwatch(ports.clock, state.used.activeMs));
  const ask = createAskPort(ground, run);
  const guard = guardPortsOf(ground, run);
  return {
    state,
    signal: run.stop.signal,
    purse: run.purse,
    watch,
    epoch: lease.epoch,
    resumed,
    ports: {
      emit,
      model: ports.model,
      clock: ports.clock,
      realPath: ports.realPath,
      ...(ports.judge === undefined ? {} : { judge: ports.judge }),
      ...(ports.outage === undefined ? {} : { outage: ports.outage }),
      hasAnswered: (model) => hasAnswered(ground, run, model),
      tools: ground.below.toolsOf(ground, state, run),
      execute: (tool, input, context) =>
        inCall(state.identity, context.callId, () => counted(run, () => executeCall(ports.clock, tool, input, context))),
      artifacts: {
        write: async (data, mediaType) =>
          write(ground, tree, () => log.writeArtifact(sessionId, typeof data === "string" ? clean(data) : data, mediaType)),
        read: async (artifactId) => log.readArtifact(sessionId, artifactId),
      },
      resources: createResources(ground, run),
      release: () => releaseOf(run),
      isAllowed: (act) => run.session.allowed.size > 0 && isAllowed(run, act),
      background: () => (run.background ? [...run.background.keys()].filter((id) => !run.state.heardFrom.has(id)) : []),
      wait: (on, signal) => wait(ground, run, on, signal),
      pauseAbove: () => pauseAbove(run),
      stopBelow: () => ground.below.stopBelow(ground, run),
      ...(options.hooks === undefined ? {} : { hooks: options.hooks }),
      ...(ports.redactor === undefined ? {} : { redactor: ports.redactor }),
      accept: ground.below.acceptPorts(ground, run),
      ...(guard === undefined ? {} : { guard }),
      ...(mergeTurn ? { bringBack: (status, signal) => worktreeRuns.bringBack(state, { status, mergeTurn, signal }) } : {}),
      ...(ask === undefined ? {} : { ask }),
      ...(options.approvalExpiresMs === undefined ? {} : { approvalExpiresMs: options.approvalExpiresMs }),
    },
  };
};

/** Whoever waits beside other calls of the turn hears when one of them has ended. */
const counted = async <T>(run: ActiveRun, call: () => T | Promise<T>): Promise<T> => {
  run.calls += 1;
  try {
    return await call();
  } finally {
    run.calls -= 1;
    if (run.waitingCalls > 0) ring(run);
  }
};

const providerOf = (model: string): string => {
  const slash = model.indexOf("/");
  return slash === -1 ? model : model.slice(0, slash);
};

/** In this process, or by what the record of the session says. */
const hasAnswered = ({ answered }: Ground, { known }: ActiveRun, model: string): boolean => {
  const provider = providerOf(model);
  if (answered.has(provider)) return true;
  for (const { spec, used } of known.states.values()) if (used.iterations > 0 && providerOf(spec.model) === provider) return true;
  return false;
};

const isAllowed = ({ session }: ActiveRun, act: Parameters<typeof isAlikeAllowed>[1]): boolean =>
  isAlikeAllowed(session.allowed, act);

/** A question parks the run where nobody answers here; a run below that is at work here is waited for in memory. */
const wait = async (
  ground: Ground,
  run: ActiveRun,
  on: readonly WaitingFor[],
  signal: AbortSignal,
): Promise<"input" | "park"> => {
  if (on.some((one) => one.type === "approval" && !isOpen(run, one.approvalId))) return "input";
  const { taken } = run;
  const isHere = on.some((one) => (one.type === "run" ? isAtWork(ground, run, one.runId) : !ground.parks));
  if (isHere) {
    await waitForRing(run, signal);
    return "input";
  }
  await ground.below.wakeBackground(ground, run);
  if (signal.aborted || (await hasNews(ground, run.tree, run.state.identity.runId)) || run.taken !== taken) return "input";
  run.takenAtPark = run.taken;
  return "park";
};

/** Whether something comes of a run below without an input from elsewhere. */
const isAtWork = ({ active }: Ground, { background }: ActiveRun, runId: RunId): boolean =>
  active.has(runId) || background?.get(runId)?.isParked === false;

const isOpen = ({ state }: ActiveRun, approvalId: ApprovalId): boolean => {
  for (const asked of state.pendingApprovals.values()) if (asked.approvalId === approvalId) return true;
  return false;
};

/** Something was said in the session: what is parked below a run may go on. */
const hearBelow = async (ground: Ground, run: ActiveRun): Promise<void> => {
  if (run.tree.parked.size === 0) return;
  try {
    await ground.below.wakeBackground(ground, run);
    if (await hasNews(ground, run.tree, run.state.identity.runId)) ring(run);
  } catch {
    // The log cannot be read now; the run looks again before it parks.
  }
};

const pauseAbove = (run: ActiveRun): (() => void) => {
  const watches: Stopwatch[] = [];
  for (let above = run.parent; above; above = above.parent) if (above.watch) watches.push(above.watch);
  for (const watch of watches) watch.pause();
  return () => {
    for (const watch of watches) watch.resume();
  };
};

/** What is left to do when a run is over and the record knows it. */
const putAway = async ({ worktreeRuns }: Ground, run: ActiveRun, driven: Driven): Promise<Driven> => {
  run.mergeTurn?.leave();
  if (run.mergeTurn) await worktreeRuns.clear(run.state);
  return driven;
};

/** A drive that failed leaves its tree open where the record cannot be written or the process leaves; anything else ends the run. */
const fail = async (ground: Ground, run: ActiveRun, emit: Ports["emit"], thrown: unknown): Promise<never> => {
  const { state, tree, mergeTurn, session } = run;
  if (thrown instanceof LeftOpen) leaveTree(ground, tree, thrown);
  if (tree.fault) throw tree.fault.thrown;
  if (mergeTurn)
    await record(
      ground,
      run,
      emit,
      ground.worktreeRuns.bringBack(state, { status: "failed", mergeTurn, signal: run.stop.signal }),
    ).catch(() => undefined);
  const error = toErrorValue(thrown);
  const result = ground.clean(
    toResult(state, { status: "failed", bailoutReason: "error", error }, state.used.activeMs, run.purse),
  );
  try {
    const draft = { ...state.identity, at: ground.ports.clock.date(), type: "run.settled" as const, result };
    for (const event of await emit([draft])) publish(ground, session, event);
  } catch {
    // What the caller gets is the first fault; that the record could not take it either adds nothing.
  }
  throw thrown;
};
