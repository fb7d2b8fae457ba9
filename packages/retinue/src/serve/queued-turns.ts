/**
 * What people say for after the turn that runs: kept in a file beside the record until that turn has ended, then begun as the next one. What waited while a
 * person stopped the turn goes on waiting: it is theirs to send or to take back.
 */
import type { SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { createHash } from "node:crypto";
import { listLater, readLater, writeLater } from "../host/later-messages.ts";
import type { RetinueStore } from "../open-record.ts";

export type QueuedTurn = { readonly turnId: string; readonly text: string };

export type QueuedTurns = {
  readonly list: (sessionId: SessionId) => Promise<readonly QueuedTurn[]>;
  /** False where no turn runs, so that it was begun. */
  readonly add: (sessionId: SessionId, text: string) => Promise<boolean>;
  /** Throws `message_unknown`. */
  readonly drop: (sessionId: SessionId, turnId: string) => Promise<void>;
  readonly close: () => void;
};

export type QueuedTurnsOptions = {
  readonly home: string;
  readonly store: Pick<RetinueStore, "readSide" | "watchAny">;
  /** Begins a turn of the session. */
  readonly start: (sessionId: SessionId, text: string) => Promise<unknown>;
};

/** The same words said twice are two turns, of which either may be taken back. */
const toTurnId = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

const isWorking = (status: string): boolean => status === "pending" || status === "running";

export const createQueuedTurns = ({ home, store, start }: QueuedTurnsOptions): QueuedTurns => {
  const tracked = new Set<SessionId>();
  const tails = new Map<SessionId, Promise<unknown>>();

  /** One thing after the other is done to the queue of a session. */
  const inTurn = <T>(sessionId: SessionId, work: () => Promise<T>): Promise<T> => {
    const done = (tails.get(sessionId) ?? Promise.resolve()).then(work);
    tails.set(
      sessionId,
      done.catch(() => undefined),
    );
    return done;
  };

  const statusOf = async (sessionId: SessionId): Promise<string> => (await store.readSide.session(sessionId))?.status ?? "gone";

  const beginNext = async (sessionId: SessionId): Promise<void> => {
    const [next, ...rest] = await readLater(home, sessionId);
    if (next === undefined) return void tracked.delete(sessionId);
    const status = await statusOf(sessionId);
    if (isWorking(status) || status === "cancelled" || status === "gone") return;
    await writeLater(home, sessionId, rest);
    try {
      await start(sessionId, next);
    } catch {
      // Somebody else has begun a turn: it waits for the end of that one.
      await writeLater(home, sessionId, [next, ...rest]);
    }
  };

  const unwatch = store.watchAny(
    tracked,
    (sessionId) => void inTurn(sessionId, () => beginNext(sessionId)).catch(() => undefined),
  );
  const trackKept = async (): Promise<void> => {
    for (const sessionId of await listLater(home)) tracked.add(sessionId);
  };
  void trackKept();

  return {
    list: async (sessionId) => (await readLater(home, sessionId)).map((text) => ({ turnId: toTurnId(text), text })),
    add: (sessionId, text) =>
      inTurn(sessionId, async () => {
        const waiting = await readLater(home, sessionId);
        if (waiting.length === 0 && !isWorking(await statusOf(sessionId))) {
          await start(sessionId, text);
          return false;
        }
        await writeLater(home, sessionId, [...waiting, text]);
        tracked.add(sessionId);
        // The turn may have ended meanwhile.
        await beginNext(sessionId);
        return true;
      }),
    drop: (sessionId, turnId) =>
      inTurn(sessionId, async () => {
        const waiting = await readLater(home, sessionId);
        const at = waiting.findIndex((text) => toTurnId(text) === turnId);
        if (at === -1)
          throw new RetinueError("message_unknown", "It does not wait any more: its turn has begun, or it was taken back.");
        await writeLater(home, sessionId, waiting.toSpliced(at, 1));
      }),
    close: () => unwatch(),
  };
};
