/** A question as a card: who asks and below whom, the exact act with what it would change, and what each answer covers. Nothing is cut without saying so. */
import type { ProposedAct } from "@retinue/protocol";
import { describeAlike } from "../../cli/describe-cover.ts";
import { formatInput, formatTouched } from "../../cli/format-act.ts";
import { widthOf } from "../../terminal/text-width.ts";
import type { ApprovalRule } from "../../approval-rules/approval-rule.ts";
import { describeRule } from "../../approval-rules/approval-rule.ts";
import type { Shown } from "../question/question-queue.ts";
import { cutRow, wrapRow } from "../screen/fit-row.ts";
import type { Row, Span } from "../screen/row.ts";
import { row, rowWidth, safeName, safeText, span } from "../screen/row.ts";
import { describeCall } from "./describe-call.ts";
import { diffStyle } from "./markdown-stream.ts";

export type CardOptions = {
  readonly shown: Shown;
  /** `executor #1 ‹ main`, for an approval. */
  readonly path: string;
  readonly diff: string | undefined;
  readonly rule: ApprovalRule | undefined;
  readonly redact: (text: string) => string;
  readonly width: number;
  readonly mostRows: number;
};

/** What the act is, whole. */
export const bodyOf = (
  act: ProposedAct,
  diff: string | undefined,
  redact: (text: string) => string,
  width: number,
): readonly Row[] => {
  const lines: readonly Row[] =
    diff === undefined
      ? formatInput(act, redact).map((line) => [span(line.slice(2))])
      : redact(diff)
          .split("\n")
          .map((line) => {
            const style = diffStyle(line);
            return [style === undefined ? span(safeText(line)) : span(safeText(line), style)];
          });
  const touched = formatTouched(act, redact).map((line): Row => [
    span(line.trim(), line.includes("sandbox") ? "waiting" : "dim"),
  ]);
  return [...lines, ...(diff === undefined || act.unsandboxed !== undefined ? touched : [])].flatMap((one) =>
    wrapRow(one, width, "  "),
  );
};

const key = (name: string): Span => span(name, "bold");

const choicesOf = (
  { act, agent }: { readonly act: ProposedAct; readonly agent: string },
  rule: ApprovalRule | undefined,
): Row => [
  key("y"),
  span(" once  "),
  key("r"),
  span(" this run  "),
  key("s"),
  span(" this session  "),
  key("n"),
  span(" no, because …  "),
  ...(rule === undefined ? [] : [key("p"), span(` always ${safeName(describeRule(rule))} (`), key("P"), span(" keeps it)  ")]),
  span(`r and s: ${describeAlike(act)}${act.effect === "execute" ? "" : `, by ${safeName(agent)} or by all`}`, "dim"),
];

const frame = (title: string, right: string, body: readonly Row[], width: number): readonly Row[] => {
  const inner = width - 4;
  const room = Math.max(0, width - 6 - widthOf(right));
  const head = cutRow([span(title, "waiting")], room);
  const fill = "─".repeat(Math.max(1, width - 4 - rowWidth(head) - (right === "" ? 0 : 1 + widthOf(right))));
  return [
    row(span("┌ ", "waiting"), ...head, span(` ${fill}${right === "" ? "" : ` ${right}`}┐`, "waiting")),
    ...body.map((one) => {
      const cut = cutRow(one, inner);
      return row(span("│ ", "waiting"), ...cut, " ".repeat(Math.max(0, inner - rowWidth(cut))), span(" │", "waiting"));
    }),
    row(span(`└${"─".repeat(Math.max(0, width - 2))}┘`, "waiting")),
  ];
};

export const drawQuestion = ({ shown, path, diff, rule, redact, width, mostRows }: CardOptions): readonly Row[] => {
  const { question, isOpen, place, count, reason } = shown;
  const number = count > 1 ? `${place} of ${count} ` : "";
  const inner = width - 4;
  if (question.type === "ask") {
    const text = safeText(redact(question.text));
    if (!isOpen) return [cutRow([span(` ! ${number}asks: ${text}`, "waiting"), span("  Ctrl-G opens", "dim")], width)];
    const body = [
      ...redact(question.text)
        .split("\n")
        .flatMap((line) => wrapRow([span(safeText(line))], inner)),
      ...question.options.map((option, index) => row(key(` ${index + 1}`), ` ${safeText(redact(option))}`)),
      [span("Type an answer and press Enter; Esc leaves it open.", "dim")],
    ];
    return frame("an agent asks you", number, body.slice(-Math.max(3, mostRows - 2)), width);
  }
  const { approval } = question;
  const title = `${path}: ${redact(describeCall(approval.act))}`;
  if (!isOpen) return [cutRow([span(` ! ${number}${title}`, "waiting"), span("  Ctrl-G opens", "dim")], width)];
  const choices =
    reason === undefined
      ? wrapRow(choicesOf(approval, rule), inner)
      : [
          row(span("no, because: ", "waiting"), safeText(reason.text), span("▏", "bold")),
          [span("Enter says no, Esc goes back", "dim")],
        ];
  const body = bodyOf(approval.act, diff, redact, inner);
  const room = Math.max(2, mostRows - 2 - choices.length);
  const isWhole = body.length <= room;
  const head = Math.ceil((room - 1) / 2);
  const tail = Math.floor((room - 1) / 2);
  const left = body.length - head - tail;
  const seen = isWhole
    ? body
    : [
        ...body.slice(0, head),
        [
          span(`… ${left} of ${body.length} lines are not shown; `, "waiting"),
          key("v"),
          span(" shows all …", "waiting"),
        ] satisfies Row,
        ...(tail > 0 ? body.slice(-tail) : []),
      ];
  return frame(title, number, [...seen, ...choices], width);
};
