/**
 * What the main agent of a run says, piece by piece as it is said, without tools, thoughts and sub-agents. Whoever the conversation is handed to speaks in
 * its place. Live pieces may be missed; every answer is made whole from the record, so that nothing is.
 */
import type { RetinueEvent, RunId, RunResult, SessionId } from "@retinue/protocol";
import type { Engine } from "@retinue/engine";
import { asksForTransfer } from "@retinue/protocol";

export type RunText = AsyncIterable<string> & {
  /** The last answer alone, when the run has settled. */
  readonly final: Promise<string>;
};

export type RunTextOptions = {
  readonly sessionId: SessionId;
  readonly runId: RunId;
  readonly afterSeq: number;
  readonly follow: Engine["follow"];
  readonly result: () => Promise<RunResult>;
};

export const createRunText = ({ sessionId, runId, afterSeq, follow, result }: RunTextOptions): RunText => ({
  get final() {
    return result().then(({ details }) => details);
  },
  [Symbol.asyncIterator]: async function* () {
    const stop = new AbortController();
    const pieces = createPieces(runId);
    // A run that is left open has nothing more to say here.
    result().catch(() => stop.abort());
    try {
      for await (const event of follow(sessionId, { afterSeq, signal: stop.signal })) {
        for (const piece of pieces(event)) if (piece !== "") yield piece;
        if (event.type === "run.settled" && event.runId === runId) return;
      }
    } finally {
      stop.abort();
    }
  },
});

const BETWEEN = "\n\n";

/** Makes pieces of text of events, in their order. */
const createPieces = (main: RunId): ((event: RetinueEvent) => readonly string[]) => {
  const speakers = new Set<RunId>([main]);
  /** Calls by which the conversation is handed over. */
  const transfers = new Set<string>();
  let hasSpoken = false;
  /** Of the answer that is under way; null where what was said of it is void. */
  let streamed: string | null = "";

  const speak = (text: string, isFirst: boolean): readonly string[] => {
    if (text === "") return [];
    const before = isFirst && hasSpoken ? [BETWEEN] : [];
    hasSpoken = true;
    return [...before, text];
  };

  const finish = (whole: string): readonly string[] => {
    const before = streamed;
    streamed = "";
    if (before === null || !whole.startsWith(before)) return speak(whole, true);
    return speak(whole.slice(before.length), before === "");
  };

  return (event) => {
    if (event.type === "run.requested") {
      const { parentRunId, parentCallId, runId } = event;
      if (parentRunId !== null && transfers.has(`${parentRunId} ${parentCallId ?? ""}`)) speakers.add(runId);
      return [];
    }
    if (!speakers.has(event.runId)) return [];
    if (event.type === "tool.started") {
      if (asksForTransfer(event.input)) transfers.add(`${event.runId} ${event.callId}`);
      return [];
    }
    if (event.type === "model.delta") {
      if (event.kind !== "text" || streamed === null) return [];
      const isFirst = streamed === "";
      streamed += event.text;
      return speak(event.text, isFirst);
    }
    if (event.type === "model.answered")
      return finish(event.content.map((part) => (part.type === "text" ? part.text : "")).join(""));
    if ((event.type === "model.retrying" || event.type === "model.failed") && streamed !== "") streamed = null;
    return [];
  };
};
