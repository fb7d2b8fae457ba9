/** A question as a card: who asks and below whom, the exact act with what it would change, and what each answer covers. Nothing is cut without saying so. */
import type { ProposedAct } from "@retinue/protocol";
import { describeAlike } from "../../cli/describe-cover.ts";
import { formatHidden, formatInput, formatTouched } from "../../cli/format-act.ts";
import { widthOf } from "../../terminal/text-width.ts";
import type { ApprovalRule } from "../../approval-rules/approval-rule.ts";
import { describeRule } from "../../approval-rules/approval-rule.ts";
import type { ApprovalQuestion, AskQuestion } from "../question/question.ts";
import type { Shown } from "../question/question-queue.ts";
import type { Review, ReviewLine } from "../question/review.ts";
import type { RowRange } from "../question/seen-rows.ts";
import { NO_REVIEW, toDiffLines } from "../question/review.ts";
import { cutRow, withRight, wrapRow } from "../screen/fit-row.ts";
import type { Row, Span } from "../screen/row.ts";
import { row, rowWidth, safeName, safeText, span } from "../screen/row.ts";
import { describeCall } from "./describe-call.ts";
import { createDiffRows } from "./draw-diff.ts";

export type CardOptions = {
  readonly shown: Shown;
  /** `executor #1 ‹ main`, for an approval. */
  readonly path: string;
  /** The provider and model of who asks, for an approval. */
  readonly model?: string | undefined;
  readonly diff: string | undefined;
  readonly rule: ApprovalRule | undefined;
  /** Where in it one reads; at its beginning where it is absent. */
  readonly review?: Review | undefined;
  readonly redact: (text: string) => string;
  readonly width: number;
  readonly mostRows: number;
  /** Which rows of what an approval is about are in the card. */
  readonly onRows?: (range: RowRange) => void;
};

/** What the act is, whole, line by line. */
export const linesOf = (act: ProposedAct, diff: string | undefined, redact: (text: string) => string): readonly ReviewLine[] => {
  const touched = formatTouched(act, redact).map((line) => ({ text: line.trim(), isHunk: false }));
  return diff === undefined
    ? [...formatInput(act, redact).map((line) => ({ text: line.slice(2), isHunk: false })), ...touched]
    : [
        ...toHidden(act),
        ...toDiffLines(redact(diff)),
        ...(act.unsandboxed === undefined && act.changed === undefined ? [] : touched),
      ];
};

const toHidden = ({ input }: ProposedAct): readonly ReviewLine[] =>
  formatHidden(input).map((line) => ({ text: line.trim(), isHunk: false }));

const drawPlain = (text: string): Row => [
  span(
    safeText(text),
    text.includes("sandbox") || text.startsWith("warning:") ? "waiting" : text.startsWith("touches:") ? "dim" : undefined,
  ),
];

/** The rows that each line takes. */
const drawLines = (lines: readonly ReviewLine[], isDiff: boolean, width: number): readonly (readonly Row[])[] => {
  const draw = createDiffRows();
  return lines.map(({ text }) => wrapRow(isDiff ? draw(text) : drawPlain(text), width, "  "));
};

/** What the act is, whole. */
export const bodyOf = (
  act: ProposedAct,
  diff: string | undefined,
  redact: (text: string) => string,
  width: number,
): readonly Row[] => drawLines(linesOf(act, diff, redact), diff !== undefined, width).flat();

const key = (name: string): Span => span(name, "bold");

/** Each choice stays whole where it is wrapped. */
const drawChoices = (rule: ApprovalRule | undefined, isShort: boolean, width: number): readonly Row[] => {
  const choices: readonly Row[] = [
    [key("y"), span(" once  ")],
    [key("r"), span(isShort ? " run  " : " this run  ")],
    [key("s"), span(isShort ? " session  " : " this session  ")],
    [key("n"), span(isShort ? " no  " : " no, because …  ")],
    ...(rule === undefined
      ? []
      : [[key("p"), span(` always ${safeName(describeRule(rule))} (`), key("P"), span(" keeps it)  ")] satisfies Row]),
  ];
  const rows: Row[] = [[]];
  for (const choice of choices) {
    const last = rows.at(-1) ?? [];
    if (last.length > 0 && rowWidth(last) + rowWidth(choice) - 2 > width) rows.push(choice);
    else rows[rows.length - 1] = [...last, ...choice];
  }
  return rows.flatMap((one) => wrapRow(one, width, "  "));
};

/** What the answers cover that hold for longer than once. */
export const coverOf = ({ act, agent }: ApprovalQuestion["approval"]): string =>
  `r and s: ${describeAlike(act)}${act.effect === "execute" ? "" : `, by ${safeName(agent)} or by all`}`;

/** What does not fit beside each other is left out, the keys last. */
const drawBottom = (keys: string, below: string, width: number): Row => {
  const wanted = [keys, below].filter((text) => text !== "");
  const isBoth = wanted.reduce((sum, text) => sum + widthOf(text) + 2, 0) <= width - 4;
  const [left = "", right = ""] = isBoth ? (keys === "" ? ["", below] : [keys, below]) : [keys];
  if (left !== "" && widthOf(left) > width - 6) return row(span(`└${"─".repeat(Math.max(0, width - 2))}┘`, "waiting"));
  const ends = [left === "" ? "" : ` ${left} `, right === "" ? "" : ` ${right} `] as const;
  const line = "─".repeat(Math.max(0, width - 2 - widthOf(ends[0]) - widthOf(ends[1])));
  return row(span("└", "waiting"), span(ends[0], "dim"), span(line, "waiting"), span(ends[1], "dim"), span("┘", "waiting"));
};

const frame = (title: string, right: string, body: readonly Row[], width: number, hint = "", below = ""): readonly Row[] => {
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
    drawBottom(hint, below, width),
  ];
};

export const drawQuestion = (options: CardOptions): readonly Row[] => {
  const { shown, path, redact, width } = options;
  const { question, isOpen, place, count } = shown;
  const number = count > 1 ? `${place} of ${count} ` : "";
  const title =
    question.type === "ask"
      ? `asks: ${safeText(redact(question.text))}`
      : `${path}: ${redact(describeCall(question.approval.act))}`;
  if (!isOpen) return [withRight([span(` ! ${number}${title}`, "waiting")], [span("Ctrl-G opens", "dim")], width)];
  return question.type === "ask" ? drawAsk(question, number, options) : drawApproval(question, { title, number }, options);
};

const drawAsk = (
  question: AskQuestion,
  number: string,
  { review = NO_REVIEW, redact, width, mostRows }: CardOptions,
): readonly Row[] => {
  const inner = width - 4;
  const text = redact(question.text)
    .split("\n")
    .flatMap((line) => wrapRow([span(safeText(line))], inner));
  const options = question.options.map((option, index) => row(key(` ${index + 1}`), ` ${safeText(redact(option))}`));
  const hint: Row = [span("Type an answer and press Enter; Esc leaves it open.", "dim")];
  const room = Math.max(2, mostRows - 3 - options.length);
  const seen = text.length <= room ? text : windowOf(text, review.at, room, "PgUp PgDn");
  return frame(question.by ?? "an agent asks you", number, [...seen, ...options, hint], width);
};

const placeWindow = (total: number, at: number, room: number): { readonly from: number; readonly height: number } => {
  const height = Math.max(1, room - 1);
  return { height, from: Math.max(0, Math.min(at - Math.floor(height / 2), total - height)) };
};

/** As many rows as there is room for, with the one that is read among them, and which they are of how many. */
const windowOf = (rows: readonly Row[], at: number, room: number, keys = ""): readonly Row[] => {
  const { from, height } = placeWindow(rows.length, at, room);
  const told = `rows ${from + 1}–${Math.min(rows.length, from + height)} of ${rows.length}`;
  return [...rows.slice(from, from + height), row(span(told, "waiting"), span(keys === "" ? "" : `  ${keys}`, "dim"))];
};

/** Fewer rows of what is asked about are not worth reading. */
const LEAST_BODY_ROWS = 4;

const drawApproval = (
  { approval }: ApprovalQuestion,
  { title, number }: { readonly title: string; readonly number: string },
  { shown: { reason }, path, model = "", diff, rule, review, redact, width, mostRows, onRows }: CardOptions,
): readonly Row[] => {
  const inner = width - 4;
  const isTitleWhole = widthOf(title) <= width - 6 - widthOf(number);
  // What does not fit into the border is told whole below it.
  const head = isTitleWhole ? [] : wrapRow([span(title, "waiting")], inner, "  ");
  const lines = linesOf(approval.act, diff, redact);
  const isShort = mostRows < 14 || width < 60;
  const typed = drawTyped(reason?.text, review, lines, inner);
  const choices = typed ?? drawChoices(rule, isShort, inner);
  const cover = typed ? [] : wrapRow([span(coverOf(approval), "dim")], inner, "  ");
  const fixed = 2 + head.length + choices.length;
  const gutter = review === undefined ? 0 : 2;
  const drawn = drawLines(lines, diff !== undefined, inner - gutter);
  const total = drawn.reduce((sum, rows, index) => sum + rows.length + (review?.remarks.has(index) === true ? 1 : 0), 0);
  // What r and s cover gives way where else too little could be read; ? tells it then.
  const withCover = mostRows - fixed - cover.length >= Math.min(total, LEAST_BODY_ROWS);
  const room = Math.max(2, mostRows - fixed - (withCover ? cover.length : 0));
  const body = withReview(drawn, review, inner);
  const hint = `↑↓ ] hunk  c remark  v all${withCover ? "" : "  ? covers"}`;
  const at = body.findIndex(({ line }) => line === (review?.at ?? 0));
  const rows = body.map((one) => one.row);
  const isWhole = rows.length <= room && withCover;
  const seen = isWhole ? rows : windowOf(rows, Math.max(0, at), room);
  const { from, height } = isWhole ? { from: 0, height: rows.length } : placeWindow(rows.length, Math.max(0, at), room);
  onRows?.({ from, to: Math.min(rows.length, from + height), total: rows.length });
  const [name = ""] = path.split(" ‹ ");
  const shownRows = [...head, ...seen, ...choices, ...(withCover ? cover : [])];
  return frame(isTitleWhole ? title : `${name} asks`, number, shownRows, width, typed ? "" : hint, safeName(model));
};

/** The reason for a no, or a remark, while it is typed. */
const drawTyped = (
  reason: string | undefined,
  review: Review | undefined,
  lines: readonly ReviewLine[],
  width: number,
): readonly Row[] | undefined => {
  const show = (label: string, text: string, hint: string): readonly Row[] => [
    ...wrapRow(row(span(label, "waiting"), safeText(text), span("▏", "bold")), width, "  "),
    [span(hint, "dim")],
  ];
  if (reason !== undefined) {
    const also = review && review.remarks.size > 0 ? ` with ${review.remarks.size} on lines` : "";
    return show("no, because: ", reason, `Enter says no${also}, Esc goes back`);
  }
  if (!review?.typing) return undefined;
  const place = safeName(lines[review.at]?.place ?? "this line");
  return show(`on ${place}: `, review.typing.text, "Enter keeps it; it goes with your answer. Esc goes back");
};

type BodyRow = { readonly row: Row; readonly line: number };

/** With a mark at the line that is read, and what was remarked below its line. */
const withReview = (drawn: readonly (readonly Row[])[], review: Review | undefined, width: number): readonly BodyRow[] =>
  drawn.flatMap((rows, line) => {
    if (!review) return rows.map((one) => ({ row: one, line }));
    const marked = rows.map((one, index): BodyRow => ({
      row: [span(line === review.at && index === 0 ? "› " : "  ", "bold"), ...one],
      line,
    }));
    const said = review.remarks.get(line);
    return said === undefined
      ? marked
      : [...marked, { row: cutRow([span("  └ ", "waiting"), span(safeText(said), "user")], width), line }];
  });
