/**
 * What the next turn of a session goes on from, without reading all that went before. In the process that drove the last turn the conversation is in
 * memory; elsewhere it comes from a snapshot and the few events since. Snapshots only save time: without them, or where they do not fit, the
 * record is read whole.
 */
import type { Message, RecordedEvent, RunId, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { RunState } from "@retinue/runtime";
import { fold, settledMessages } from "@retinue/runtime";
import type { HeldConversation } from "../contract.ts";
import type { Ground } from "./ground.ts";
import { latestConversation } from "./session-history.ts";
import { allowedIn } from "./sessions.ts";

/** The last main run of a session, as far as the next one needs it. */
export type PreviousTurn = {
  readonly runId: RunId;
  readonly isSettled: boolean;
  /** The run whose conversation goes on: the main run, or the one that it was handed to. */
  readonly conversation: RunId;
  /** Who it was handed to, and the rights of whoever handed it over. */
  readonly heldBy: HeldConversation | null;
  readonly messages: readonly Message[];
  /** Kinds of acts that a human has allowed for the session. */
  readonly allowed: readonly string[];
  /** Up to which event this is known. */
  readonly seq: number;
  /** The run of the last whole snapshot. */
  readonly base: { readonly runId: RunId; readonly seq: number } | null;
};

const FORMAT = "turn-1";
/** So many events after a whole snapshot the next one is written; until then a word leads to it. */
const EVENTS_BETWEEN = 256;
const MOST_CACHED = 64;

type Whole = { readonly messages: readonly Message[]; readonly allowed: readonly string[] };
type Stored = Whole | { readonly base: RunId };

export type PreviousTurns = {
  /** Throws `session_unknown`. */
  readonly read: (sessionId: SessionId) => Promise<PreviousTurn>;
  /** Keeps what a main run has come to. */
  readonly keep: (
    state: RunState,
    known: { readonly seq: number; readonly allowed: Iterable<string>; readonly before: PreviousTurn | null },
  ) => Promise<void>;
};

export const createPreviousTurns = ({ log }: Pick<Ground, "log">): PreviousTurns => {
  const cache = new Map<SessionId, PreviousTurn>();

  const remember = (sessionId: SessionId, turn: PreviousTurn): void => {
    cache.delete(sessionId);
    cache.set(sessionId, turn);
    const [oldest] = cache.keys();
    if (cache.size > MOST_CACHED && oldest !== undefined) cache.delete(oldest);
  };

  const readWhole = async (sessionId: SessionId): Promise<PreviousTurn> => {
    const events = await log.read(sessionId);
    const { root, holder, from } = latestConversation(events, sessionId);
    return {
      runId: root.identity.runId,
      isSettled: root.result !== null,
      conversation: holder.identity.runId,
      heldBy: from && { agent: holder.identity.agent, from: from.spec },
      messages: settledMessages(holder),
      allowed: [...allowedIn(events)],
      seq: events.at(-1)?.seq ?? 0,
      base: null,
    };
  };

  /** Undefined where no snapshot leads there. */
  const readSnapshots = async (sessionId: SessionId, runId: RunId): Promise<PreviousTurn | undefined> => {
    const own = await log.readSnapshot(runId, FORMAT);
    if (!own) return undefined;
    const stored = toStored(own.state);
    const baseId = "base" in stored ? stored.base : runId;
    const base = baseId === runId ? own : await log.readSnapshot(baseId, FORMAT);
    const whole = base && toStored(base.state);
    if (!base || !whole || "base" in whole) return undefined;
    const events = await log.read(sessionId, base.seq);
    const state = baseId === runId ? null : foldOnto(events, baseId, whole.messages).get(runId);
    if (state === undefined) return undefined;
    return {
      runId,
      isSettled: true,
      conversation: runId,
      heldBy: null,
      messages: state === null ? whole.messages : settledMessages(state),
      allowed: [...new Set([...whole.allowed, ...allowedIn(events)])],
      seq: events.at(-1)?.seq ?? base.seq,
      base: { runId: baseId, seq: base.seq },
    };
  };

  return {
    read: async (sessionId) => {
      const root = await log.latestRoot(sessionId);
      if (!root) throw new RetinueError("session_unknown", `There is no session ${sessionId}.`);
      const cached = cache.get(sessionId);
      if (cached?.runId === root.runId) return cached;
      return (root.isSettled ? await readSnapshots(sessionId, root.runId) : undefined) ?? readWhole(sessionId);
    },
    keep: async (state, { seq, allowed, before }) => {
      const { sessionId, runId } = state.identity;
      // Whoever it was handed to has the conversation; the record is read for that.
      if (state.transferredTo) return void cache.delete(sessionId);
      const messages = settledMessages(state);
      const kept = [...allowed];
      const isWhole = !before?.base || seq - before.base.seq >= EVENTS_BETWEEN;
      const base = isWhole ? { runId, seq } : before.base;
      const heldBy = before?.heldBy?.agent === state.identity.agent ? before.heldBy : null;
      remember(sessionId, {
        runId,
        isSettled: true,
        conversation: runId,
        heldBy,
        messages,
        allowed: kept,
        seq,
        base: before ? base : null,
      });
      // The first turn of a session is quickly read; most sessions have no second. Of one that was handed over the record is read whole.
      if (!before || !base || heldBy) return;
      const stored: Stored = isWhole ? { messages, allowed: kept } : { base: base.runId };
      await log.writeSnapshot({ sessionId, runId, seq, format: FORMAT, state: JSON.stringify(stored) });
    },
  };
};

/** Written by `keep` and by nobody else; the store has checked that it is what was written. */
const toStored = (text: string): Stored => JSON.parse(text) as Stored;

/** The states of the runs that were requested in these events, where one of them goes on from a run whose conversation is known. */
const foldOnto = (
  events: readonly RecordedEvent[],
  baseId: RunId,
  messages: readonly Message[],
): ReadonlyMap<RunId, RunState> => {
  const requested = new Set(events.flatMap((event) => (event.type === "run.requested" ? [event.runId] : [])));
  return fold(
    events.filter(({ runId }) => requested.has(runId)),
    new Map([[baseId, messages]]),
  );
};
