/**
 * When a run heard of what it had started in the background, and what its result would be without the turns it took to hear of it after its end.
 * For comparing two records of which each had a letter come at another turn.
 */
import type { Bill, EventOf, RecordedEvent, RunId, RunResult } from "@retinue/protocol";

type Ending = Omit<RunResult, "durationMs">;

const answersOf = (events: readonly RecordedEvent[], runId: RunId): readonly EventOf<"model.answered">[] =>
  events.filter((event) => event.type === "model.answered").filter((event) => event.runId === runId);

/** Of every letter in the record, by its sender: how many answers of its reader's model came before it was delivered. */
export const lettersHeard = (events: readonly RecordedEvent[]): ReadonlyMap<string, number> => {
  const from = new Map<string, string>();
  const heard = new Map<string, number>();
  for (const [at, event] of events.entries()) {
    if (event.type === "message.received" && event.messageId !== undefined) from.set(event.messageId, event.from);
    if (event.type === "message.delivered")
      for (const messageId of event.messageIds)
        heard.set(from.get(messageId) ?? messageId, answersOf(events.slice(0, at), event.runId).length);
  }
  return heard;
};

/** Who has sent a letter that is in the record, delivered or not. */
export const sendersIn = (events: readonly RecordedEvent[]): ReadonlySet<string> =>
  new Set(events.flatMap((event) => (event.type === "message.received" ? [event.from] : [])));

const textOf = ({ content }: EventOf<"model.answered">): string =>
  content.map((part) => (part.type === "text" ? part.text : "")).join("");

const isEnd = ({ content }: EventOf<"model.answered">): boolean => content.every(({ type }) => type !== "tool-call");

const without = <B extends Bill>(bill: B, turns: readonly EventOf<"model.answered">[]): B => {
  const sum = (count: (turn: EventOf<"model.answered">) => number): number => turns.reduce((so, turn) => so + count(turn), 0);
  const { usage, costUsd } = bill;
  return {
    ...bill,
    iterations: bill.iterations - turns.length,
    usage: {
      input: usage.input - sum((turn) => turn.usage.input),
      output: usage.output - sum((turn) => turn.usage.output),
      cached: usage.cached - sum((turn) => turn.usage.cached),
      reasoning: usage.reasoning - sum((turn) => turn.usage.reasoning),
    },
    // Sums of dollars in another order differ in their last digit.
    costUsd: costUsd === null ? null : Number((costUsd - sum((turn) => turn.costUsd ?? 0)).toFixed(9)),
  };
};

/**
 * A run that had ended, was woken by a letter and only ended again, as if it had ended the first time. One that worked on after the letter is left as
 * it is: that work is no matter of when it heard.
 */
export const withoutWakings = (result: Ending, events: readonly RecordedEvent[], runId: RunId): Ending => {
  const answers = answersOf(events, runId);
  const first = answers.findLastIndex((answer) => !isEnd(answer)) + 1;
  const [ended, ...wakings] = answers.slice(first);
  const last = wakings.at(-1) ?? ended;
  const said = ended && last && result.details === textOf(last) ? textOf(ended) : result.details;
  const summary = last && result.summary === textOf(last) ? said : result.summary;
  return {
    ...without(result, wakings),
    details: said,
    summary,
    ...(result.total === undefined ? {} : { total: without(result.total, wakings) }),
  };
};
