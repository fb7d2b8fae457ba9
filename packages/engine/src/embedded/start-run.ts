/** The ways in: a new run, and one that is resumed. A request is committed before it is answered; then the run is driven. */
import type { RunId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { RunState } from "@retinue/runtime";
import { createState, LeftOpen } from "@retinue/runtime";
import type { Lease } from "@retinue/store";
import { heldError } from "@retinue/store";
import type { Engine, RunHandle, RunRequest } from "../contract.ts";
import type { Follower } from "../follower.ts";
import { createFollower } from "../follower.ts";
import type { ActiveRun } from "./active-run.ts";
import type { Awaited, AwaitedRuns } from "./awaited-runs.ts";
import { createAwaitedRuns } from "./awaited-runs.ts";
import { toRequest } from "./children.ts";
import { drive } from "./drive.ts";
import type { Ground } from "./ground.ts";
import { leaveTree } from "./ground.ts";
import type { createInputs } from "./inputs.ts";
import type { ParkedRoot, Parking } from "./parking.ts";
import { createParking, toParkedRoot } from "./parking.ts";
import type { PreviousTurn, PreviousTurns } from "./previous-turn.ts";
import { createPreviousTurns } from "./previous-turn.ts";
import { readOpenRun } from "./read-state.ts";
import { historyAt } from "./session-history.ts";
import { allowInSession, enterSession } from "./sessions.ts";

export type RunStarter = Pick<Engine, "start" | "resume" | "heldBy"> & {
  /** Parked runs are driven on by others from now on; whoever waits here for one of them is told. */
  readonly letGo: (thrown: Error) => void;
};

/** What the main runs of one engine have in common. */
type MainRuns = {
  readonly ground: Ground;
  readonly cancel: Engine["cancel"];
  readonly awaited: AwaitedRuns;
  readonly parking: Parking;
  /** Parked runs that are about to be driven on. */
  readonly waking: Set<RunId>;
  readonly turns: PreviousTurns;
  closedBy: Error | null;
};

export const createRunStarter = (ground: Ground, { cancel }: ReturnType<typeof createInputs>): RunStarter => {
  const awaited = createAwaitedRuns();
  const main: MainRuns = {
    ground,
    cancel,
    awaited,
    parking: createParking({
      ground,
      onNews: (root) => wake(main, root),
      onSettled: ({ runId }, result) => awaited.settle(runId, result),
    }),
    waking: new Set(),
    turns: createPreviousTurns(ground),
    closedBy: null,
  };
  return {
    letGo: (thrown) => {
      main.closedBy = thrown;
      main.parking.close();
      for (const runId of awaited.keys()) if (!ground.active.has(runId)) awaited.reject(runId, thrown);
    },
    start: (request) => start(main, request),
    heldBy: async (sessionId) => (await main.turns.read(sessionId)).heldBy,
    resume: (runId, { takeOver = false } = {}) => resume(main, runId, takeOver),
  };
};

const start = async (main: MainRuns, request: RunRequest): Promise<RunHandle> => {
  const { ground, turns } = main;
  const { log, options } = ground;
  const {
    agent,
    task,
    spec,
    sessionId: given,
    newSessionId,
    forkedFrom,
    mergeOrder,
    parseOutput,
    signal,
    queuedTurn,
    source,
  } = request;
  const sessionId: SessionId = given ?? newSessionId ?? `ses_${options.createId()}`;
  if (given === undefined && newSessionId !== undefined && (await log.latestRoot(newSessionId)))
    throw new RetinueError("session_exists", `There is a session ${newSessionId} already; nothing was started.`);
  const previous = given === undefined ? null : await turns.read(given);
  // In this process a session may be given its next turn before the one before is done.
  if (previous) await refuseHeld(ground, { ...previous, sessionId }, () => false);
  const draft = toRequest(ground, {
    identity: { sessionId, runId: `run_${options.createId()}`, parentRunId: null, depth: 0, agent },
    task,
    spec,
    ...(previous === null ? {} : { continues: previous.conversation }),
    ...(queuedTurn === undefined ? {} : { queuedTurn }),
    ...(source === undefined ? {} : { source }),
    ...(forkedFrom === undefined ? {} : { forkedFrom, history: historyAt(await log.read(forkedFrom.sessionId), forkedFrom) }),
  });
  const [admitted] = await log.append([draft]);
  if (!admitted) throw new RetinueError("internal", "the log appended nothing");
  const follower = createFollower(admitted.seq - 1, (seq) => log.read(sessionId, seq));
  follower.push(admitted);
  options.observer?.(admitted);
  allowInSession(enterSession(ground, sessionId), previous?.allowed ?? []);
  if (parseOutput) ground.outputParsers.set(draft.runId, parseOutput);
  const run = drive(ground, createState(draft, previous?.messages ?? []), {
    parent: null,
    known: { states: new Map(), seq: admitted.seq },
    resumed: false,
    order: mergeOrder,
  });
  return toHandle(main, run, { follower, previous, afterSeq: admitted.seq - 1 }, signal);
};

const resume = async (main: MainRuns, runId: RunId, takeOver: boolean): Promise<RunHandle> => {
  const { ground } = main;
  const { known, state, allowed } = await readOpenRun(ground, runId);
  if (!takeOver) await refuseHeld(ground, toHeld(state), () => ground.floor.isAtWork(runId));
  const { sessionId } = state.identity;
  const follower = createFollower(known.seq, (seq) => ground.log.read(sessionId, seq));
  allowInSession(enterSession(ground, sessionId), allowed);
  const run = drive(ground, state, { parent: null, known, resumed: true, onlyIfFree: !takeOver });
  return toHandle(main, run, { follower, previous: null, afterSeq: known.seq });
};

/** Something came that a parked run waits for. */
const wake = async (main: MainRuns, root: ParkedRoot): Promise<void> => {
  if (main.closedBy) return;
  main.waking.add(root.runId);
  try {
    await driveOn(main, root);
  } catch (thrown) {
    if (mayPass(thrown)) main.parking.waitBeside(root);
    else main.awaited.reject(root.runId, thrown);
  } finally {
    main.waking.delete(root.runId);
  }
};

/** Another process was faster and drives the run, or the store is away; both may be otherwise in a moment. */
const mayPass = (thrown: unknown): boolean =>
  thrown instanceof RetinueError && ["session_running", "store_busy", "store_failed", "store_full"].includes(thrown.code);

const driveOn = async (main: MainRuns, root: ParkedRoot): Promise<void> => {
  const { ground, awaited } = main;
  const { runId, sessionId } = root;
  // Before anything is read: while another process drives the run, each of its events wakes us.
  await refuseHeld(ground, { runId, sessionId, isSettled: false }, () => ground.floor.isAtWork(runId));
  const { known, state, allowed } = await readOpenRun(ground, runId);
  const session = enterSession(ground, sessionId);
  const one = awaited.get(runId);
  if (one) {
    session.followers.add(one.follower);
    one.follower.readAgain();
  }
  allowInSession(session, allowed);
  void attend(main, drive(ground, state, { parent: null, known, resumed: true, onlyIfFree: true }), root);
};

/** Sees to what is left when a drive of a main run ends. One that was parked, and could not be taken up, stays parked. */
const attend = async (main: MainRuns, run: ActiveRun, root?: ParkedRoot): Promise<void> => {
  const { awaited, parking } = main;
  const { runId, sessionId } = run.state.identity;
  let one = awaited.get(runId);
  try {
    const driven = await run.driven;
    // Somebody may have asked for it meanwhile.
    one = awaited.get(runId);
    if (driven.type === "settled") {
      main.ground.outputParsers.delete(runId);
      await keepTurn(main, run, one?.previous ?? null);
      return awaited.settle(runId, driven.result);
    }
    one?.outcome.resolve(driven);
    // What nobody has listened to yet need not wait in memory either.
    one?.follower.readAgain();
    if (one?.isWanted === false) awaited.forget(runId);
    parking.park(toParkedRoot(sessionId, runId, run.tree.parked));
  } catch (thrown) {
    one = awaited.get(runId);
    if (root && run.lease === null && !main.closedBy && mayPass(thrown)) parking.waitBeside(root);
    else {
      if (run.lease) releaseUntilDone(main, run.lease);
      awaited.fail(runId, thrown);
    }
  } finally {
    leave(main, run, one);
  }
};

/** How soon it is tried again to release a run, while the store is away. */
const RELEASE_AGAIN_MS = 500;

/** The run was left where its record stands: nobody need wait for this process to end before it is driven on. */
const releaseUntilDone = (main: MainRuns, lease: Lease): void => {
  const { log, ports } = main.ground;
  // A store that is closed says of all runs that they are free.
  if (main.closedBy) return;
  const release = async (): Promise<void> => log.release(lease);
  release().catch((thrown: unknown) => {
    if (mayPass(thrown)) ports.clock.after(RELEASE_AGAIN_MS, () => releaseUntilDone(main, lease), { idle: true });
  });
};

/** For the next turn. Where it cannot be kept the next turn reads the record. */
const keepTurn = async (
  { turns }: MainRuns,
  { state, session, settledSeq }: ActiveRun,
  before: PreviousTurn | null,
): Promise<void> => {
  if (settledSeq === 0) return;
  await turns.keep(state, { seq: settledSeq, allowed: session.allowed, before }).catch(() => undefined);
};

const leave = ({ ground }: MainRuns, { session }: ActiveRun, one: Awaited | undefined): void => {
  if (one) session.followers.delete(one.follower);
  if (session.runs.size === 0 && session.followers.size === 0) ground.sessions.delete(session.sessionId);
};

type Begun = { readonly follower: Follower; readonly afterSeq: number; readonly previous: PreviousTurn | null };

const toHandle = (main: MainRuns, run: ActiveRun, { follower, previous, afterSeq }: Begun, outer?: AbortSignal): RunHandle => {
  const { sessionId, runId } = run.state.identity;
  run.session.followers.add(follower);
  const onAbort = (): void => void stop(main, runId, outer?.reason);
  const one: Awaited = {
    result: Promise.withResolvers(),
    outcome: Promise.withResolvers(),
    follower,
    previous,
    isWanted: outer !== undefined,
    detach: () => outer?.removeEventListener("abort", onAbort),
  };
  for (const { promise } of [one.result, one.outcome]) promise.catch(() => undefined);
  main.awaited.add(runId, one);
  if (outer?.aborted) onAbort();
  else outer?.addEventListener("abort", onAbort, { once: true });
  void attend(main, run);
  return {
    sessionId,
    runId,
    afterSeq,
    get result() {
      want(main, { sessionId, runId }, one);
      return one.result.promise;
    },
    outcome: one.outcome.promise,
    cancel: (reason) => void stop(main, runId, reason),
    [Symbol.asyncIterator]() {
      want(main, { sessionId, runId }, one);
      return follower.events();
    },
  };
};

/** Cancels a run for whoever started it. */
const stop = async ({ ground, cancel }: MainRuns, runId: RunId, reason: unknown): Promise<void> => {
  try {
    await cancel(runId, { reason: toReason(reason) });
  } catch (thrown) {
    // Settled here, it is past being cancelled. Settled elsewhere, or not to be written to, it is not ours to drive any more.
    const driven = ground.active.get(runId);
    if (driven && !driven.state.result) leaveTree(ground, driven.tree, toLost(thrown, runId));
  }
};

/** Somebody wants to know of the run, who did not before. The engine may have parked it, and forgotten whoever started it. */
const want = (main: MainRuns, run: Pick<RunHandle, "runId" | "sessionId">, one: Awaited): void => {
  const { ground, awaited, parking, waking, closedBy } = main;
  const { runId } = run;
  if (one.isWanted) return;
  one.isWanted = true;
  if (awaited.get(runId) === one) return;
  if (closedBy) return one.result.reject(closedBy);
  awaited.add(runId, one);
  one.follower.readAgain();
  ground.active.get(runId)?.session.followers.add(one.follower);
  if (!ground.active.has(runId) && !waking.has(runId) && !parking.has(run))
    settleAsRecorded(main, runId).catch((thrown: unknown) => awaited.reject(runId, thrown));
};

/** The run was driven on and left memory while nobody wanted to know of it. */
const settleAsRecorded = async ({ ground, awaited }: MainRuns, runId: RunId): Promise<void> => {
  const { state } = await readOpenRun(ground, runId);
  if (!state.result) throw new LeftOpen("The run was left open. Resume it to go on.");
  awaited.settle(runId, state.result);
};

const toReason = (reason: unknown): string => {
  if (typeof reason === "string") return reason;
  return reason instanceof RetinueError ? reason.message : "The run was cancelled.";
};

const toLost = (thrown: unknown, runId: RunId): unknown =>
  thrown instanceof RetinueError && thrown.code === "run_settled"
    ? new RetinueError("lease_lost", `Run ${runId} was taken over and driven to its end by another process.`)
    : thrown;

/** Throws `session_running` where a living process works on the run: another one, or this one. */
const refuseHeld = async ({ log }: Ground, { runId, sessionId, isSettled }: Held, isHere: () => boolean): Promise<void> => {
  if (isSettled) return;
  const holder = await log.holder(runId);
  if (holder && (!holder.isSelf || isHere())) throw heldError(sessionId, holder);
};

type Held = { readonly runId: RunId; readonly sessionId: SessionId; readonly isSettled: boolean };

const toHeld = ({ identity: { runId, sessionId }, result }: RunState): Held => ({ runId, sessionId, isSettled: result !== null });
