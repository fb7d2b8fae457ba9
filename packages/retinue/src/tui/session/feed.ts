/** One session that is followed: its view, what of it stands in the conversation, and when each of its runs was last heard of. Whichever process drives it. */
import { createSessionView, type RunView, type SessionView } from "@retinue/client";
import type { RunId, SessionId } from "@retinue/protocol";
import type { Retinue } from "../../create-retinue.ts";
import type { Row } from "../screen/row.ts";
import type { Transcript } from "./transcript.ts";

export type Feed = {
  readonly sessionId: SessionId;
  readonly view: SessionView;
  readonly transcript: Transcript;
  readonly lastEventAt: (runId: RunId) => number | undefined;
  /** The latest run at depth 0. */
  readonly root: () => RunView | undefined;
  readonly isWorking: () => boolean;
  readonly close: () => void;
};

export type FeedOptions = {
  readonly sessionId: SessionId;
  readonly follow: Retinue["live"]["follow"];
  readonly transcript: Transcript;
  /** Rows that are finished; called after each event, also where there are none. */
  readonly onRows: (rows: readonly Row[]) => void;
  readonly onFailed: (thrown: unknown) => void;
  /** Events up to this one are history: they are folded, and not written. */
  readonly silentUntil?: number;
  readonly now: () => number;
};

export const openFeed = ({ sessionId, follow, transcript, onRows, onFailed, silentUntil = 0, now }: FeedOptions): Feed => {
  const store = createSessionView(sessionId, { keepsLog: false });
  const heardAt = new Map<RunId, number>();
  const ended = new AbortController();

  const listen = async (): Promise<void> => {
    for await (const event of follow(sessionId, { signal: ended.signal })) {
      const outcome = store.apply(event);
      if (outcome !== "applied") continue;
      heardAt.set(event.runId, Math.max(Date.parse(event.at) || 0, silentUntil > 0 ? 0 : now()));
      const rows = transcript.take(event, store.view);
      onRows("seq" in event && event.seq <= silentUntil ? [] : rows);
    }
  };
  void listen().catch((thrown: unknown) => {
    if (!ended.signal.aborted) onFailed(thrown);
  });

  const root = (): RunView | undefined => store.view.roots.at(-1);
  return {
    sessionId,
    view: store.view,
    transcript,
    lastEventAt: (runId) => heardAt.get(runId),
    root,
    isWorking: () => {
      const latest = root();
      return latest !== undefined && latest.state.type !== "settled";
    },
    close: () => ended.abort(),
  };
};
