/** A run opened: who it is, what its limits leave, what it cost alone and with all below, what was said to it, and what it did, the latest at the end. */
import { toLimitUses, toMessageState, type LimitUse, type MessageState, type MessageView, type RunView } from "@retinue/client";
import { withoutCalls } from "@retinue/protocol";
import { brief, count, money } from "../../cli/amounts.ts";
import { formatHandedOver } from "../../cli/format-transfer.ts";
import { wrapRow } from "../screen/fit-row.ts";
import type { Row } from "../screen/row.ts";
import { row, safeName, safeText, span } from "../screen/row.ts";
import { clock } from "./clock.ts";
import { renderMarkdown } from "./markdown-stream.ts";
import type { RunNames } from "./run-names.ts";
import { elapsedOf } from "./run-row.ts";
import { statusSign } from "./status-sign.ts";
import { drawToolCard } from "./tool-card.ts";
import { describeCall } from "./describe-call.ts";

export type DetailsOptions = {
  readonly names: RunNames;
  readonly redact: (text: string) => string;
  readonly now: number;
  readonly width: number;
};

const formatLimit = ({ limit, of, remaining }: LimitUse): string => {
  const whose = of === "tree" ? "left with all below" : "left";
  if (limit === "durationMs") return `${clock(remaining)} ${whose}`;
  return limit === "costUsd" ? `${money(remaining)} ${whose}` : `${brief(remaining)} ${WORDS[limit]} ${whose}`;
};

const WORDS = {
  iterations: "iterations",
  toolCalls: "tool calls",
  tokens: "tokens",
  contextTokens: "tokens of context",
} as const;

const formatState = (state: MessageState): string => {
  switch (state.type) {
    case "delivered":
      return `delivered at step ${state.step}`;
    case "withdrawn":
      return "taken back";
    case "undeliverable":
      return "undeliverable: it ended before it could read this";
    case "queued":
      return "queued for its next step";
    default:
      return state satisfies never;
  }
};

const drawMessage = (run: RunView, message: MessageView, { redact, names }: Pick<DetailsOptions, "redact" | "names">): Row => {
  const { content, from } = message;
  return row(
    span(`  ${from === "human" ? "you" : (names.get(from) ?? "an agent")}: `, "user"),
    safeText(redact(content.map((part) => (part.type === "text" ? part.text : "[image]")).join(" "))),
    span(`  ${formatState(toMessageState(run, message))}`, "dim"),
  );
};

const spent = (label: string, { usage, costUsd }: RunView["own"]): string =>
  `${label} ${brief(usage.input)} in, ${brief(usage.output)} out, ${money(costUsd)}`;

export const drawDetails = (run: RunView, { names, redact, now, width }: DetailsOptions): readonly Row[] => {
  const sign = statusSign(run.state);
  const elapsed = elapsedOf(run, now);
  const limits = toLimitUses(run).map(formatLimit);
  const handedOver = formatHandedOver(run);
  const task = redact(run.task.map((part) => (part.type === "text" ? withoutCalls(part.text) : "[image]")).join(" "));
  return [
    ...wrapRow(
      row(
        span(`${sign.glyph} ${names.get(run.runId) ?? safeName(run.agent)} `, sign.style),
        span(`${sign.word}  ${safeName(run.model)}  ${elapsed === undefined ? "" : clock(elapsed)}`, "dim"),
      ),
      width,
    ),
    ...wrapRow(row(span("task ", "bold"), safeText(task.slice(0, 500))), width, "     "),
    ...wrapRow(
      [
        span(
          `${spent("own", run.own)}; ${spent("with all below", run.inclusive)}; ${count(run.children.length, "child").replace("childs", "children")}`,
          "dim",
        ),
      ],
      width,
    ),
    ...(limits.length === 0 ? [] : wrapRow([span(limits.join(", "), "dim")], width)),
    ...(handedOver === undefined ? [] : wrapRow([span(safeName(handedOver), "dim")], width)),
    ...run.messages.flatMap((message) => wrapRow(drawMessage(run, message, { redact, names }), width, "    ")),
    ...run.steps.flatMap((step) => [
      ...(step.text.trim() === ""
        ? []
        : renderMarkdown(redact(step.text.trim()), width - 2).map((one): Row => [span("  "), ...one])),
      ...step.calls.flatMap((call) =>
        call.state === "settled"
          ? drawToolCard(call, redact, width)
          : [row("  ", span("● ", "running"), redact(describeCall(call)), span(`  ${call.state}`, "dim"))],
      ),
    ]),
    ...(run.result && run.state.type === "settled" && run.result.details.trim() !== (run.steps.at(-1)?.text.trim() ?? "")
      ? renderMarkdown(redact(run.result.details), width)
      : []),
  ];
};
