/**
 * What a session has said and done, as rows that are written once: the words of whoever has the conversation as Markdown, its calls, the agents that have ended, and how each
 * turn came out. The same events give the same rows, live or read from the record.
 */
import { hasConversation, type RunView, type SessionView } from "@retinue/client";
import { withoutCalls, type EventOf, type RetinueEvent, type RunId, type UserPart } from "@retinue/protocol";
import type { AnswerRenderer } from "../../cli/answer-renderer.ts";
import { createAnswerRenderer } from "../../cli/answer-renderer.ts";
import { formatErrorValue } from "../../cli/format-error.ts";
import { formatMeasured } from "../../cli/format-measured.ts";
import type { KnownSecret } from "../../secrets/create-redactor.ts";
import { createEndedAgents } from "../draw/ended-agents.ts";
import { drawAnswered } from "../draw/draw-answered.ts";
import { drawBill } from "../draw/draw-bill.ts";
import { describeCall } from "../draw/describe-call.ts";
import { createMarkdownStream, renderMarkdown } from "../draw/markdown-stream.ts";
import { createToldRows } from "../draw/told-rows.ts";
import { drawToolCard } from "../draw/tool-card.ts";
import { wrapRow } from "../screen/fit-row.ts";
import type { Row } from "../screen/row.ts";
import { row, safeName, safeText, span } from "../screen/row.ts";

export type TranscriptOptions = {
  readonly width: () => number;
  readonly secrets: () => readonly KnownSecret[];
  readonly redact: (text: string) => string;
  /** `side`: only how it began and what it handed in, as of an agent that was started beside the conversation. */
  readonly kind: "conversation" | "side";
};

export type Transcript = {
  /** The rows that this event finishes; the view has taken it already. */
  readonly take: (event: RetinueEvent, view: SessionView) => readonly Row[];
  /** What is being said, and not finished. */
  readonly tail: () => readonly Row[];
  /** The latest words of the main run as they were written, for who wants to copy them. */
  readonly lastSource: () => string;
};

const MOST_TASK_ROWS = 12;

/** An image that has its mark in the text is not told twice. */
const plainText = (parts: readonly UserPart[]): string => {
  const texts = parts.flatMap((part) => (part.type === "text" ? [withoutCalls(part.text)] : []));
  const isMarked = texts.some((text) => text.includes("[image "));
  return [...texts, ...parts.flatMap((part) => (part.type === "image" && !isMarked ? ["[image]"] : []))].join(" ");
};

/** Events that words come with. */
const SAID: ReadonlySet<RetinueEvent["type"]> = new Set<RetinueEvent["type"]>([
  "model.requested",
  "model.delta",
  "model.retrying",
  "model.answered",
]);

export const createTranscript = ({ width, secrets, redact, kind }: TranscriptOptions): Transcript => {
  const tellEvent = createToldRows({
    redact,
    width,
    inset: "  ",
    alsoTold: ({ type }) => type === "plan.made" || type === "plan.step",
  });
  const words = createMarkdownStream(() => width() - 2);
  const ended = createEndedAgents();
  let answer: { readonly runId: RunId; readonly renderer: AnswerRenderer } | undefined;
  let lastSource = "";
  /** Something was said in this step; before that, empty lines are left out. */
  let hasWords = false;
  /** What stands at the end of what was written, so that paragraphs, calls and turns are kept apart by one empty row. */
  let last: "none" | "words" | "calls" | "other" = kind === "side" ? "other" : "none";

  const apart = (next: typeof last, rows: readonly Row[]): readonly Row[] => {
    if (rows.length === 0) return [];
    const isApart = last !== "none" && (last !== next || next === "other");
    last = next;
    return isApart ? [[], ...rows] : rows;
  };

  const rendererOf = (runId: RunId): AnswerRenderer => {
    if (answer?.runId !== runId) answer = { runId, renderer: createAnswerRenderer({ runId, secrets: secrets() }) };
    return answer.renderer;
  };

  const takeWords = (event: RetinueEvent): readonly Row[] => {
    const renderer = rendererOf(event.runId);
    if (event.type === "model.requested") hasWords = false;
    const text = renderer.take(event);
    const told = hasWords ? text : text.replace(/^\s*\n/, "");
    hasWords ||= told !== "";
    const rows = words.push(told);
    if (event.type !== "model.answered") return apart("words", inset(rows));
    const whole = event.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    if (whole.trim() !== "") lastSource = redact(whole);
    return apart("words", trimEmpty(inset([...rows, ...words.push(renderer.end()), ...words.end()])));
  };

  /** What was being said when the run ended stays in its turn. */
  const endWords = (): readonly Row[] => {
    const rest = answer === undefined ? [] : words.push(answer.renderer.end());
    answer = undefined;
    return [...rest, ...words.end()];
  };

  const drawAsked = (label: string, text: string): readonly Row[] => {
    const lines = redact(text).split("\n");
    const indent = " ".repeat(label.length + 3);
    const rows = lines.flatMap((line, index) =>
      wrapRow(row(index === 0 ? span(` ${label}  `, "user") : indent, safeText(line)), width(), indent),
    );
    const left = rows.length - MOST_TASK_ROWS;
    return left <= 1 ? rows : [...rows.slice(0, MOST_TASK_ROWS), [span(`${indent}… ${left} more rows`, "dim")]];
  };

  const drawEnd = (event: EventOf<"run.settled">, root: RunView): readonly Row[] => {
    const { result } = event;
    const measured = [
      ...formatMeasured(result, redact).split("\n"),
      ...(result.error ? formatErrorValue(result.error, redact).split("\n") : []),
    ].filter((line) => line.trim() !== "");
    const own = kind === "side" ? renderMarkdown(redact(result.details), width() - 2) : [];
    return [
      ...apart("words", trimEmpty(inset(endWords()))),
      ...apart("calls", ended.take(root, width())),
      ...apart("words", trimEmpty(inset(own))),
      ...apart("other", [
        ...measured.flatMap((line) => wrapRow([span(` ${safeText(line)}`, result.error ? "failed" : "dim")], width(), "   ")),
        ...wrapRow([span(` ${drawBill(result)}`, "dim")], width(), "   "),
      ]),
    ];
  };

  const drawTask = (event: EventOf<"run.requested">): readonly Row[] => {
    const text = plainText(event.task);
    return text === "" ? [] : apart("other", drawAsked(kind === "side" ? safeName(event.agent) : "you", text));
  };

  const drawCall = ({ callId }: EventOf<"tool.settled">, root: RunView): readonly Row[] => {
    const call = root.calls.get(callId);
    // Those whose body are runs stand in the tree.
    if (!call || call.children.length > 0 || call.aside !== null) return [];
    return apart("calls", drawToolCard(call, redact, width()));
  };

  const takeRoot = (event: RetinueEvent, root: RunView): readonly Row[] => {
    if (event.type === "run.requested") return drawTask(event);
    if (event.type === "run.settled") return drawEnd(event, root);
    const before = event.type === "model.requested" ? apart("calls", ended.take(root, width())) : [];
    if (kind === "side") return before;
    if (event.type === "tool.settled") return drawCall(event, root);
    return SAID.has(event.type) ? [...before, ...takeWords(event)] : before;
  };

  /** Whoever the conversation was handed to speaks and acts in it as its first run did; those below it stand in the tree. */
  const takeHeir = (event: RetinueEvent, heir: RunView): readonly Row[] => {
    if (kind === "side") return [];
    if (event.type === "tool.settled") return drawCall(event, heir);
    return SAID.has(event.type) ? takeWords(event) : [];
  };

  /** What was said to a run that ended before it could read it. */
  const drawUndelivered = (run: RunView | undefined): readonly Row[] =>
    [...(run?.queuedMessages.values() ?? [])]
      .filter(({ from, withdrawnAt }) => from === "human" && withdrawnAt === null)
      .flatMap(({ content }) =>
        wrapRow(
          row(
            "  ",
            span("✗ undeliverable ", "failed"),
            span(`${safeName(run?.agent ?? "")} ended before it could read: `, "dim"),
            safeText(redact(plainText(content))),
          ),
          width(),
          "    ",
        ),
      );

  const takeAny = (event: RetinueEvent, view: SessionView): readonly Row[] => {
    const lines = tellEvent(event, view.runs);
    if (lines.length > 0) return apart("calls", lines);
    if (event.type === "message.received" && event.from === "human")
      return apart("other", drawAsked(`you → ${safeName(event.agent)}`, plainText(event.content)));
    if (event.type === "run.settled") return apart("calls", drawUndelivered(view.runs.get(event.runId)));
    if (event.type !== "approval.answered") return [];
    const question = view.approvals.get(event.approvalId);
    if (question?.act.question !== undefined && event.text !== undefined)
      return drawAnswered(redact(question.act.question.text), redact(event.text), width());
    const what = question ? redact(describeCall(question.act)) : "a call";
    const scope = { once: "once", run: "for this run", session: "for this session" }[event.scope];
    const by = event.source?.via === "rule" ? ", by a rule" : "";
    const answered = event.allowed
      ? row("  ", span("✓ allowed ", "completed"), span(`${scope}${by}: `, "dim"), `${safeName(event.agent)} ${what}`)
      : row(
          "  ",
          span("⊘ denied ", "waiting"),
          `${safeName(event.agent)} ${what}`,
          span(event.reason === undefined ? "" : `: ${safeName(redact(event.reason))}`, "dim"),
        );
    return apart("calls", wrapRow(answered, width(), "    "));
  };

  return {
    take: (event, view) => {
      const rows = takeAny(event, view);
      const run = view.runs.get(event.runId);
      if (!run) return rows;
      if (event.depth === 0) return [...rows, ...takeRoot(event, run)];
      return hasConversation(run, view.runs) ? [...rows, ...takeHeir(event, run)] : rows;
    },
    tail: () => inset(words.tail()),
    lastSource: () => lastSource,
  };
};

const inset = (rows: readonly Row[]): readonly Row[] => rows.map((one) => (one.length === 0 ? one : [span(" "), ...one]));

/** Empty rows at the end would be doubled by what follows. */
const trimEmpty = (rows: readonly Row[]): readonly Row[] => {
  const end = rows.findLastIndex((one) => one.length > 0);
  return rows.slice(0, end + 1);
};
