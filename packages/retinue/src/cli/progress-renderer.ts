/** What runs do, line by line, for people who watch: agents, tool calls, retries, limits, and the bill at the end. Drawn from the view. */
import { formatPlanEvent } from "./format-plan-event.ts";
import { createSessionView, type RunView, type SessionStore } from "@retinue/client";
import type { EventOf, Json, MergeOutcome, RetinueEvent, RunId, RunResult } from "@retinue/protocol";
import { toPrintable } from "../terminal/printable.ts";
import { cutToWidth } from "../terminal/text-width.ts";
import { count, money, seconds } from "./amounts.ts";
import type { Redact } from "./format-error.ts";
import { formatTakeOver } from "./format-transfer.ts";
import { treeBillOf } from "./tree-bill.ts";

const MOST_CHARS = 160;

const shorten = (text: string): string =>
  text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS - 1).replace(/[\ud800-\udbff]$/, "")}…` : text;

/** On one line, made safe after it was cut, so that no escape is cut in two. */
const show = (text: string, redact: Redact): string =>
  toPrintable(
    shorten(
      redact(text)
        .replace(/(?:\r\n|[\n\t ])+/g, " ")
        .trim(),
    ),
    "line",
  );

const showValue = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value));

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const showInput = (input: Json): string =>
  isObject(input)
    ? Object.entries(input)
        .map(([key, value]) => `${key}=${showValue(value)}`)
        .join(" ")
    : showValue(input);

/** The bill of a run: with everything below it, and its own share where that is another; and what its limits leave of money and tokens. */
export const formatBill = (result: RunResult): string => {
  const { total = result, remaining } = result;
  const isShared = total.usage.input !== result.usage.input || total.usage.output !== result.usage.output;
  const left = [
    ...(remaining?.tokens === undefined ? [] : [`${remaining.tokens} tokens`]),
    ...(remaining?.costUsd === undefined ? [] : [money(remaining.costUsd)]),
  ];
  return [
    `${result.status} in ${seconds(result.durationMs)}`,
    count(total.iterations, "model call"),
    count(total.toolCalls, "tool call"),
    `${total.usage.input} tokens in, ${total.usage.output} out`,
    money(total.costUsd),
    ...(isShared ? [`of which its own: ${result.usage.input} in, ${result.usage.output} out, ${money(result.costUsd)}`] : []),
    ...(left.length > 0 ? [`left: ${left.join(" and ")}`] : []),
  ].join(", ");
};

type Runs = ReadonlyMap<RunId, RunView>;

const NO_RUNS: Runs = new Map();

export type ProgressRenderer = {
  /** The line for an event, if it is worth one. What is done often is told in no more than `columns`, so that it takes one line of a terminal. */
  readonly take: (event: RetinueEvent, columns?: number) => string | undefined;
  /** Runs as far as they have been told of. */
  readonly runs: () => Runs;
};

/** For the events of one session; those of other runs of it may be left out. */
export const createProgressRenderer = (redact: Redact): ProgressRenderer => {
  let store: SessionStore | undefined;
  return {
    take: (event, columns) => {
      store ??= createSessionView(event.sessionId, { isPartial: true, keepsLog: false });
      store.apply(event);
      return formatProgress({ event, runs: store.view.runs, redact, columns: columns ?? Infinity });
    },
    runs: () => store?.view.runs ?? NO_RUNS,
  };
};

type Told = {
  readonly event: RetinueEvent;
  readonly runs: Runs;
  readonly redact: Redact;
  readonly columns: number;
};

/** The same for who has the runs already. */
export const formatProgress = ({ event, runs, redact, columns }: Told): string | undefined => {
  const who = `${"  ".repeat(Math.min(event.depth, 16))}${show(event.agent, redact)}`;
  const line = (text: string): string => `${who}: ${show(text, redact)}`;
  const shortLine = (text: string): string => cutToWidth(line(text), columns);
  switch (event.type) {
    case "run.requested":
      return line(
        [formatTakeOver(event, runs), `starts with ${event.spec.model}`].filter((part) => part !== undefined).join(", "),
      );
    case "tool.started":
      // The parts of a plan are runs, which speak for themselves.
      return event.aside === "plan" ? undefined : shortLine(`${event.tool} ${showInput(event.input)}`);
    case "tool.settled":
      return event.outcome === "ok" || event.aside === "plan"
        ? undefined
        : line(`${event.tool} ${event.outcome}: ${event.error?.message ?? "no reason given"}`);
    case "tool.progress":
      return shortLine(event.text);
    case "model.answered":
      return event.leftOut === undefined
        ? undefined
        : line(`${event.model} does not take ${event.leftOut.join(", ")}: left out of its requests`);
    case "model.retrying":
      return line(formatRetrying(event));
    case "model.failed":
      // A model that is asked again is told of when it is waited for.
      return event.next === null || (event.next === event.model && event.learnedWindow === undefined)
        ? undefined
        : line(`${event.model} failed (${event.error.code}: ${event.error.message}), asking ${event.next}`);
    case "limit.reached":
      return line(`reached its limit ${event.limit} (${event.used} of ${event.max}) and hands in what it has`);
    case "context.fitted":
      return line(`context fitted from ${event.beforeTokens} to ${event.afterTokens} tokens`);
    case "message.received":
      return line(
        `hears from ${event.from}: ${event.content.map((part) => (part.type === "text" ? part.text : "(image)")).join(" ")}`,
      );
    case "message.withdrawn":
      return line("a message to it was taken back");
    case "turn.queued":
      return line(
        `queued for the next turn: ${event.task.map((part) => (part.type === "text" ? part.text : "(image)")).join(" ")}`,
      );
    case "turn.withdrawn":
      return line("a queued turn was taken back");
    case "result.rejected":
      return line(`its result was not accepted: ${event.reason}`);
    case "guardrail.refused":
      return line(`is refused by the guardrail ${event.guardrail}: ${event.reason}`);
    case "worktree.refused":
      return line(`gets no worktree: ${event.error.message}`);
    case "worktree.merged":
      return line(formatMerge(event));
    case "approval.answered":
      if (event.text !== undefined) return line(`is answered: ${event.text}`);
      return event.allowed ? undefined : line(`not allowed: ${event.reason ?? "no reason given"}`);
    case "run.settled":
      return event.parentRunId === null
        ? undefined
        : line(`${formatWholeBill(event.result, runs.get(event.runId))}: ${event.result.summary}`);
    case "cancel.requested":
      return line(
        `is asked to ${event.finish === true ? "finish" : "stop"}${event.reason === undefined ? "" : `: ${event.reason}`}`,
      );
    case "run.parked":
      return line(`waits for ${formatWaiting(event)} and has left memory`);
    case "run.finishing":
      return line("hands in what it has");
    case "plan.made":
    case "plan.step":
    case "plan.decided":
    case "plan.settled":
      return line(formatPlanEvent(event));
    case "message.delivered":
    case "worktree.made":
    case "worktree.merging":
    case "run.started":
    case "model.requested":
    case "model.delta":
    case "approval.requested":
      return undefined;
    default:
      return event satisfies never;
  }
};

const formatRetrying = ({ model, error, waitMs, giveUpAt, at }: EventOf<"model.retrying">): string =>
  giveUpAt === undefined
    ? `${model} failed (${error.code}: ${error.message}), again in ${seconds(waitMs)}`
    : `cannot reach ${model}, trying again in ${seconds(waitMs)}, for ${seconds(Date.parse(giveUpAt) - Date.parse(at))} at most: ${error.message}`;

/** The bill of a run, and of its tree where it has one. */
export const formatWholeBill = (result: RunResult, run: RunView | undefined): string =>
  [formatBill(result), run && treeBillOf(run, result)].filter((part) => part !== undefined).join("; ");

const formatWaiting = ({ on }: EventOf<"run.parked">): string => {
  const questions = on.filter(({ type }) => type === "approval").length;
  const parts = [
    ...(questions > 0 ? [count(questions, "approval")] : []),
    ...(on.length > questions ? [`${count(on.length - questions, "run")} below`] : []),
  ];
  return parts.length === 0 ? "nothing" : parts.join(" and ");
};

const formatMerge = ({ created, modified, deleted, conflicts, ref, notMerged }: MergeOutcome): string => {
  const merged = created.length + modified.length + deleted.length;
  const kept = ref === null ? "" : `; kept as ${ref}`;
  if (notMerged !== undefined) return `its changes were not merged: ${notMerged}${kept}`;
  return `${count(merged, "changed file")} merged${conflicts.length > 0 ? `, not merged: ${conflicts.map(({ path }) => path).join(", ")}` : ""}${kept}`;
};
