/** The ways in: a new run, and one that is resumed. A request is committed before it is answered; then the run is driven. */
import type { RunId, RunResult, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { RunState } from "@retinue/runtime";
import { createState } from "@retinue/runtime";
import { heldError } from "@retinue/store";
import type { Engine, RunHandle, RunOutcome } from "../contract.ts";
import type { Follower } from "../follower.ts";
import { createFollower } from "../follower.ts";
import type { ActiveRun } from "./active-run.ts";
import { toRequest } from "./children.ts";
import { drive } from "./drive.ts";
import type { Ground } from "./ground.ts";
import { leaveTree } from "./ground.ts";
import type { createInputs } from "./inputs.ts";
import type { ParkedRoot } from "./parking.ts";
import { createParking } from "./parking.ts";
import { readOpenRun } from "./read-state.ts";
import type { PreviousTurn } from "./previous-turn.ts";
import { createPreviousTurns } from "./previous-turn.ts";
import { historyAt } from "./session-history.ts";
import { allowInSession, enterSession } from "./sessions.ts";

/** What whoever started a main run waits for, across its drives. */
type Awaited = {
  readonly result: PromiseWithResolvers<RunResult>;
  readonly outcome: PromiseWithResolvers<RunOutcome>;
  readonly follower: Follower;
  readonly previous: PreviousTurn | null;
  /** Stops listening to the caller's signal. */
  readonly detach: () => void;
};

export type RunStarter = Pick<Engine, "start" | "resume"> & {
  /** Parked runs are driven on by others from now on; whoever waits here for one of them is told. */
  readonly letGo: (thrown: Error) => void;
};

export const createRunStarter = (ground: Ground, { cancel }: ReturnType<typeof createInputs>): RunStarter => {
  const { log, options } = ground;
  const awaited = new Map<RunId, Awaited>();
  let isClosed = false;
  const turns = createPreviousTurns(ground);

  const settle = (runId: RunId, ended: (one: Awaited) => void): void => {
    const one = awaited.get(runId);
    if (!one) return;
    awaited.delete(runId);
    one.detach();
    ended(one);
    one.follower.end();
  };

  const parking = createParking({
    ground,
    onNews: async (root) => {
      if (isClosed) return;
      try {
        await driveOn(root);
      } catch (thrown) {
        // Another process was faster and drives it: its end is waited for.
        if (thrown instanceof RetinueError && thrown.code === "session_running") parking.park(root);
        else settle(root.runId, ({ result }) => result.reject(thrown));
      }
    },
    onSettled: ({ runId }, result) => settleWith(runId, result),
  });

  const settleWith = (runId: RunId, result: RunResult): void =>
    settle(runId, (one) => {
      one.outcome.resolve({ type: "settled", result });
      one.result.resolve(result);
    });

  const driveOn = async ({ runId, sessionId }: ParkedRoot): Promise<void> => {
    const { known, state, allowed } = await readOpenRun(ground, runId);
    const session = enterSession(ground, sessionId);
    const one = awaited.get(runId);
    if (one) {
      session.followers.add(one.follower);
      one.follower.readAgain();
    }
    allowInSession(session, allowed);
    await refuseHeld(ground, toHeld(state), () => ground.floor.isAtWork(runId));
    attend(drive(ground, state, { parent: null, known, resumed: true, onlyIfFree: true }));
  };

  /** Sees to what is left when a drive of a main run ends. */
  const attend = (run: ActiveRun): void => {
    const { runId, sessionId } = run.state.identity;
    const one = awaited.get(runId);
    const end = async (): Promise<void> => {
      try {
        const driven = await run.driven;
        if (driven.type === "settled") {
          await keepTurn(run, one?.previous ?? null);
          return settleWith(runId, driven.result);
        }
        one?.outcome.resolve(driven);
        // What nobody has listened to yet need not wait in memory either.
        one?.follower.readAgain();
        parking.park({ sessionId, runId, runs: run.tree.parked });
      } catch (thrown) {
        settle(runId, ({ result, outcome }) => {
          outcome.reject(thrown);
          result.reject(thrown);
        });
      } finally {
        leave(run, one);
      }
    };
    void end();
  };

  /** For the next turn. Where it cannot be kept the next turn reads the record. */
  const keepTurn = async ({ state, session, settledSeq }: ActiveRun, before: PreviousTurn | null): Promise<void> => {
    if (settledSeq === 0) return;
    await turns.keep(state, { seq: settledSeq, allowed: session.allowed, before }).catch(() => undefined);
  };

  const leave = ({ session }: ActiveRun, one: Awaited | undefined): void => {
    if (one) session.followers.delete(one.follower);
    if (session.runs.size === 0 && session.followers.size === 0) ground.sessions.delete(session.sessionId);
  };

  type Begun = { readonly follower: Follower; readonly previous: PreviousTurn | null };

  const toHandle = (run: ActiveRun, { follower, previous }: Begun, outer?: AbortSignal): RunHandle => {
    const { sessionId, runId } = run.state.identity;
    run.session.followers.add(follower);
    const onAbort = (): void => void stop(outer?.reason);
    const stop = async (reason: unknown): Promise<void> => {
      try {
        await cancel(runId, { reason: toReason(reason) });
      } catch (thrown) {
        // Settled here, it is past being cancelled. Settled elsewhere, or not to be written to, it is not ours to drive any more.
        const driven = ground.active.get(runId);
        if (driven && !driven.state.result) leaveTree(ground, driven.tree, toLost(thrown, runId));
      }
    };
    const one: Awaited = {
      result: Promise.withResolvers(),
      outcome: Promise.withResolvers(),
      follower,
      previous,
      detach: () => outer?.removeEventListener("abort", onAbort),
    };
    for (const { promise } of [one.result, one.outcome]) promise.catch(() => undefined);
    awaited.set(runId, one);
    if (outer?.aborted) onAbort();
    else outer?.addEventListener("abort", onAbort, { once: true });
    attend(run);
    return {
      sessionId,
      runId,
      result: one.result.promise,
      outcome: one.outcome.promise,
      cancel: (reason) => void stop(reason),
      [Symbol.asyncIterator]: () => follower.events(),
    };
  };

  return {
    letGo: (thrown) => {
      isClosed = true;
      parking.close();
      for (const runId of awaited.keys()) if (!ground.active.has(runId)) settle(runId, ({ result }) => result.reject(thrown));
    },
    start: async ({ agent, task, spec, sessionId: given, newSessionId, forkedFrom, mergeOrder, signal }) => {
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
        ...(previous === null ? {} : { continues: previous.runId }),
        ...(forkedFrom === undefined ? {} : { forkedFrom, history: historyAt(await log.read(forkedFrom.sessionId), forkedFrom) }),
      });
      const [admitted] = await log.append([draft]);
      if (!admitted) throw new RetinueError("internal", "the log appended nothing");
      const follower = createFollower(admitted.seq - 1, (seq) => log.read(sessionId, seq));
      follower.push(admitted);
      options.observer?.(admitted);
      allowInSession(enterSession(ground, sessionId), previous?.allowed ?? []);
      const run = drive(ground, createState(draft, previous?.messages ?? []), {
        parent: null,
        known: { states: new Map(), seq: admitted.seq },
        resumed: false,
        order: mergeOrder,
      });
      return toHandle(run, { follower, previous }, signal);
    },
    resume: async (runId, { takeOver = false } = {}) => {
      const { known, state, allowed } = await readOpenRun(ground, runId);
      if (!takeOver) await refuseHeld(ground, toHeld(state), () => ground.floor.isAtWork(runId));
      const { sessionId } = state.identity;
      const follower = createFollower(known.seq, (seq) => log.read(sessionId, seq));
      allowInSession(enterSession(ground, sessionId), allowed);
      return toHandle(drive(ground, state, { parent: null, known, resumed: true, onlyIfFree: !takeOver }), {
        follower,
        previous: null,
      });
    },
  };
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
