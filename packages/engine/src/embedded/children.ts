/**
 * Runs below others: same loop, same log, a smaller grant, a purse inside their parent's, and an id derived from the call that started them, so that a
 * parent that is resumed, or makes the call again after it has parked, finds its children.
 */
import type { CallId, EventDraft, RunId, RunIdentity, RunResult, RunSpec, UserPart } from "@retinue/protocol";
import { RetinueError, toErrorValue } from "@retinue/protocol";
import type { ChildRun, Driven, InBackground, RunState, WorktreePlace } from "@retinue/runtime";
import { createReport, createState, isNarrowed, LeftOpen, Parked, toHandedText, toResult } from "@retinue/runtime";
import type { ActiveRun, BackgroundRun } from "./active-run.ts";
import { childRunId, ordersOf } from "./active-run.ts";
import { ring, waitForRing } from "./bell.ts";
import { drive } from "./drive.ts";
import type { Ground } from "./ground.ts";
import { publish, write } from "./ground.ts";
import { appendInput } from "./inputs.ts";
import { createPacer } from "./pacer.ts";
import { hasNews } from "./parking.ts";
import { readKnown } from "./read-state.ts";

/** Starts a child, or finds it again, and waits for it; one in the background is only started. Throws `Parked` where the child waits outside of memory. */
export const startChild = async (
  ground: Ground,
  parent: ActiveRun,
  child: ChildRun,
  signal: AbortSignal,
): Promise<RunResult | InBackground> => {
  const runId = childRunId(parent.state.identity.runId, child.callId);
  const known = await findChild(ground, parent, runId);
  if (known?.result && !child.background) return known.result;
  // Whoever made the spec, and also where a record says what it was.
  if (!isNarrowed(parent.state.spec.grant, known?.spec ?? child.spec))
    throw new RetinueError("grant_exceeded", `${child.agent} was to hold more than the run above it may hand on.`);
  if (!known) countChild(ground, parent);
  if (child.background) return startInBackground(ground, parent, child, { runId, state: known });
  const pace = (parent.pacer ??= createPacer(ground.options.maxConcurrent));
  for (let state = known; ; state = await findChild(ground, parent, runId)) {
    const found = { runId, state };
    const driven = await pace(() => driveChild(ground, parent, child, found, signal), signal);
    if (driven.type !== "parked") return driven.result;
    if (!(await hearWhileOthersWork(ground, parent, runId, signal))) throw new Parked([{ type: "run", runId }]);
  }
};

/**
 * A child parked. While anything else of its parent's turn is at work, its parent stays in memory, and the child goes on as soon as somebody speaks to it. False
 * where nothing else is at work: then the parent parks with it.
 */
const hearWhileOthersWork = async (ground: Ground, parent: ActiveRun, runId: RunId, signal: AbortSignal): Promise<boolean> => {
  parent.waitingCalls += 1;
  // Another that waits like this may have waited for this one alone.
  ring(parent);
  try {
    while (!signal.aborted && !parent.tree.fault) {
      if (await hasNews(ground, parent.tree, runId)) return true;
      if (parent.calls <= parent.waitingCalls && !hasChildAtWork(parent)) return false;
      await waitForRing(parent, signal);
    }
    return false;
  } finally {
    parent.waitingCalls -= 1;
  }
};

const hasChildAtWork = (parent: ActiveRun): boolean => {
  for (const run of parent.session.runs)
    if (run.parent === parent && !parent.background?.has(run.state.identity.runId)) return true;
  return false;
};

const countChild = ({ options }: Ground, parent: ActiveRun): void => {
  if (parent.children >= options.maxChildren)
    throw new RetinueError(
      "too_many_children",
      `This run has started ${parent.children} sub-agents, and ${options.maxChildren} is the most.`,
    );
  parent.children += 1;
};

/** As its record stands: what was parked in this process is known to the log alone. */
const findChild = async (ground: Ground, parent: ActiveRun, runId: RunId): Promise<RunState | undefined> => {
  if (!parent.tree.parked.has(runId)) return parent.known.states.get(runId);
  parent.known = await readKnown(ground, runId);
  return parent.known.states.get(runId);
};

type Found = { readonly runId: RunId; readonly state: RunState | undefined };

/** Runs a child in the background. It is admitted before the parent is told that it is at work, so that a resumed parent finds it. */
const startInBackground = async (
  ground: Ground,
  parent: ActiveRun,
  child: ChildRun,
  { runId, state }: Found,
): Promise<InBackground> => {
  if (parent.background?.has(runId)) return { inBackground: runId };
  const admitted: Found = { runId, state: state ?? (await admitChild(ground, parent, child, runId)) };
  const isNew = state === undefined;
  const stop = new AbortController();
  const until = AbortSignal.any([parent.stop.signal, stop.signal]);
  const pace = (parent.pacer ??= createPacer(ground.options.maxConcurrent));
  const run = (): Promise<Driven> =>
    admitted.state?.result
      ? Promise.resolve({ type: "settled", result: admitted.state.result })
      : driveChild(ground, parent, child, admitted, until, isNew);
  // Stopped while it waited for its turn, it is driven to its end at once; with its tree, it is left where its record stands.
  const work = pace(run, until).catch((thrown: unknown) =>
    until.aborted && !parent.tree.fault ? run() : Promise.reject(thrown),
  );
  const background = (parent.background ??= new Map());
  const entry: BackgroundRun = { stop, work, isParked: false };
  background.set(runId, entry);
  /** Its parent hears of it when it has settled; until then the parent waits for it, in memory or outside. */
  const tell = async (): Promise<void> => {
    try {
      const driven = await work;
      entry.isParked = driven.type === "parked";
      if (driven.type === "parked") return;
      await tellParent(ground, parent, { runId, agent: child.agent, result: driven.result });
      background.delete(runId);
    } catch {
      // Its tree was left, or its parent has ended meanwhile: nobody waits to hear of it.
      background.delete(runId);
    } finally {
      ring(parent);
    }
  };
  void tell();
  return { inBackground: runId };
};

/** Drives those of a run's children in the background on that are parked and were said something to. Several inputs may wake the same child at once. */
export const wakeBackground = async (ground: Ground, parent: ActiveRun): Promise<void> => {
  const parked = [...(parent.background ?? [])].filter(([, entry]) => entry.isParked);
  for (const [runId, entry] of parked) {
    if (!entry.isParked || !(await hasNews(ground, parent.tree, runId))) continue;
    const state = await findChild(ground, parent, runId);
    const callId = state && (await callOf(ground, state));
    if (!state || callId === undefined || parent.background?.get(runId) !== entry) continue;
    parent.background.delete(runId);
    const { identity, spec } = state;
    const child = { callId, agent: identity.agent, task: "", spec, background: true };
    await startInBackground(ground, parent, child, { runId, state });
  }
};

const callOf = async ({ log }: Ground, { identity: { sessionId, runId } }: RunState): Promise<CallId | undefined> => {
  const [first] = await log.readRuns(sessionId, [runId]);
  return first?.type === "run.requested" ? first.parentCallId : undefined;
};

type Told = { readonly runId: RunId; readonly agent: string; readonly result: RunResult };

/** Once: who drove the parent before and still waits for the child is refused by the lease, and whoever drives it now tells. */
const tellParent = async (ground: Ground, parent: ActiveRun, { runId, agent, result }: Told): Promise<void> => {
  if (parent.state.result || parent.state.heardFrom.has(runId)) return;
  const content = [await toLetter(ground, parent, { runId, agent, result })];
  // Of a tree that was left nothing is told that its record does not hold.
  if (parent.tree.fault) throw parent.tree.fault.thrown;
  await appendInput(
    ground,
    parent.state.identity,
    { type: "message.received", messageId: `msg_${runId.slice(4)}`, from: runId, content, source: { via: "run" } },
    parent.lease ?? undefined,
  );
};

/** Of the runs that an earlier drive started in the background, goes on with those that have not settled, and tells of the others. */
export const findBackground = async (ground: Ground, parent: ActiveRun): Promise<void> => {
  const { state, known } = parent;
  const { runId } = state.identity;
  for (const callId of state.sentToBackground) {
    const id = childRunId(runId, callId);
    const child = known.states.get(id);
    if (!child || state.heardFrom.has(id)) continue;
    const { agent } = child.identity;
    await startChild(ground, parent, { callId, agent, task: "", spec: child.spec, background: true }, parent.stop.signal);
  }
};

/** How a run hears of what it started in the background. */
const toLetter = async (ground: Ground, parent: ActiveRun, { runId, agent, result }: Told): Promise<UserPart> => {
  const { options, log, clean } = ground;
  const { sessionId } = parent.state.identity;
  const { report } = await createReport(result, {
    mostTokens: options.agents.get(agent)?.resultTokens ?? options.resultTokens,
    artifacts: {
      write: async (data, mediaType) =>
        write(ground, parent.tree, () => log.writeArtifact(sessionId, typeof data === "string" ? clean(data) : data, mediaType)),
      read: async (artifactId) => log.readArtifact(sessionId, artifactId),
    },
  });
  return { type: "text", text: `[result of ${agent}, ${runId}]\n${toHandedText(report)}` };
};

const admitChild = async (ground: Ground, parent: ActiveRun, child: ChildRun, runId: RunId): Promise<RunState> => {
  const { sessionId, runId: parentRunId, depth } = parent.state.identity;
  const draft = toRequest(ground, {
    identity: { sessionId, runId, parentRunId, depth: depth + 1, agent: child.agent },
    task: [{ type: "text", text: child.task }],
    spec: child.spec,
    parentCallId: child.callId,
    ...(child.history === undefined ? {} : { history: child.history }),
  });
  const admitted = await write(ground, parent.tree, () => ground.log.append([draft], parent.lease ?? undefined));
  for (const event of admitted) publish(ground, parent.session, event);
  return createState(draft);
};

export type Requested = EventDraft & { readonly type: "run.requested" };

export type NewRun = Partial<
  Pick<Requested, "parentCallId" | "continues" | "forkedFrom" | "history" | "queuedTurn" | "source">
> & {
  readonly identity: RunIdentity;
  readonly task: readonly UserPart[];
  readonly spec: RunSpec;
};

export const toRequest = ({ ports, clean }: Ground, { identity, task, spec, ...more }: NewRun): Requested => ({
  ...identity,
  at: ports.clock.date(),
  type: "run.requested",
  task: clean(task),
  // The folder is where it is, whatever its name.
  spec: { ...clean(spec), workspace: spec.workspace, ...(spec.worktree === undefined ? {} : { worktree: spec.worktree }) },
  ...clean(more),
});

/** Drives a child to where it settles or parks. A failing child gives a result; it throws only where its whole tree is left. */
const driveChild = async (
  ground: Ground,
  parent: ActiveRun,
  child: ChildRun,
  { runId, state }: Found,
  signal: AbortSignal,
  isNew = state === undefined,
): Promise<Driven> => {
  const order = child.spec.worktree && ordersOf(parent)[child.background ? "background" : "foreground"];
  const run =
    ground.active.get(runId) ??
    drive(ground, state ?? (await admitChild(ground, parent, child, runId)), {
      parent,
      known: parent.known,
      resumed: !isNew,
      order,
    });
  const onAbort = (): void => run.stop.abort(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  askToFinish(ground, parent, run);
  try {
    return await run.driven;
  } catch (thrown) {
    if (parent.tree.fault || thrown instanceof LeftOpen) throw thrown;
    const error = toErrorValue(thrown);
    return {
      type: "settled",
      result: toResult(run.state, { status: "failed", bailoutReason: "error", error }, run.state.used.activeMs, run.purse),
    };
  } finally {
    signal.removeEventListener("abort", onAbort);
    if (parent.waitingCalls > 0) ring(parent);
  }
};

/** Whoever asked the parent to finish may have done so before the child was at work here. */
const askToFinish = (ground: Ground, { state: { finishRequested } }: ActiveRun, { state }: ActiveRun): void => {
  if (!finishRequested || state.finishRequested || state.result) return;
  const { reason } = finishRequested;
  // A run that settles meanwhile needs no word any more.
  appendInput(ground, state.identity, {
    type: "cancel.requested",
    finish: true,
    ...(reason === undefined ? {} : { reason }),
    source: { via: "run" },
  }).catch(() => undefined);
};

/** A child that is known has its place already. */
export const placeBelow = async (ground: Ground, parent: ActiveRun, callId: CallId): Promise<WorktreePlace> => {
  const { identity, spec } = parent.state;
  const runId = childRunId(identity.runId, callId);
  const known = (await findChild(ground, parent, runId))?.spec;
  if (known?.worktree) return { workspace: known.workspace, worktree: known.worktree };
  return ground.worktreeRuns.place(spec.workspace, runId, parent.stop.signal);
};

/** What a run has started does not outlive it: what is at work is stopped, what waits outside of memory is settled as cancelled. */
export const stopBelow = (ground: Ground, run: ActiveRun): Promise<unknown> | undefined => {
  const parked = [...run.tree.parked].filter(([, { above }]) => above[0] === run.state.identity.runId).map(([runId]) => runId);
  const open = openBelow(run);
  const { background } = run;
  if ((background?.size ?? 0) === 0 && parked.length === 0 && open.length === 0) return undefined;
  const reason = new RetinueError("cancelled", "The run that started it has ended.");
  for (const { stop } of background?.values() ?? []) stop.abort(reason);
  const work = [...(background?.values() ?? [])].map((one) => one.work);
  return Promise.allSettled([...work, settleLeft(ground, run, new Set([...parked, ...open]), reason)]);
};

/** Runs directly below that a record knows and that have not settled. */
const openBelow = ({ state, known, background }: ActiveRun): readonly RunId[] => {
  if (known.states.size === 0) return [];
  const open: RunId[] = [];
  for (const { identity, result } of known.states.values())
    if (identity.parentRunId === state.identity.runId && !result && !background?.has(identity.runId)) open.push(identity.runId);
  return open;
};

const settleLeft = async (ground: Ground, run: ActiveRun, left: ReadonlySet<RunId>, reason: RetinueError): Promise<void> => {
  if (left.size === 0) return;
  const known = await readKnown(ground, run.state.identity.runId);
  for (const runId of left) {
    const state = known.states.get(runId);
    if (!state || state.result || ground.active.has(runId) || !isNarrowed(run.state.spec.grant, state.spec)) continue;
    const child = drive(ground, state, { parent: run, known, resumed: true });
    child.stop.abort(reason);
    await child.driven.catch(() => undefined);
  }
};
