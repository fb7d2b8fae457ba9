/** The live part of the screen from top to bottom: words that are being said, where one is, the tree, a question, what waits to be said, and the input. */
import type { RunView } from "@retinue/client";
import { toLimitUses } from "@retinue/client";
import type { RunId } from "@retinue/protocol";
import { drawTree } from "./draw/agent-tree.ts";
import { drawHeader } from "./draw/header-line.ts";
import { drawInput } from "./draw/input-box.ts";
import { drawQuestion } from "./draw/question-card.ts";
import { drawDetails } from "./draw/run-details.ts";
import type { RunNames } from "./draw/run-names.ts";
import { drawWorkList } from "./draw/work-list.ts";
import type { ApprovalRule } from "../approval-rules/approval-rule.ts";
import type { Question } from "./question/question.ts";
import type { Shown } from "./question/question-queue.ts";
import type { RowRange } from "./question/seen-rows.ts";
import { cutRow } from "./screen/fit-row.ts";
import type { Frame, Size } from "./screen/live-screen.ts";
import type { Row } from "./screen/row.ts";
import { row, safeName, safeText, span } from "./screen/row.ts";
import type { Conversation } from "./session/conversation.ts";
import type { TuiState } from "./tui-state.ts";

export type FrameParts = {
  readonly state: TuiState;
  readonly conversation: Conversation;
  readonly shown: Shown | undefined;
  readonly diff: string | undefined;
  readonly rule: ApprovalRule | undefined;
  /** Rows of a question are in the frame. */
  readonly onSeen?: (question: Question, range: RowRange) => void;
  readonly waiting: number;
  readonly names: RunNames;
  readonly project: string;
  readonly model: string;
  readonly redact: (text: string) => string;
  readonly now: number;
  readonly size: Size;
};

export type Composed = Pick<Frame, "live" | "cursor"> & {
  /** The runs of the tree, from top to bottom, that keys can move to. */
  readonly shownRuns: readonly RunId[];
};

const MOST_INPUT_ROWS = 8;
const MOST_SUGGESTIONS = 6;
const MOST_LATER = 3;

const HINT = "@file  /command  Tab tree  ↑ history  /help";
const WORKING_HINT = "Enter steers  Alt+Enter after  Esc stop";

const sessionsAtWork = (conversation: Conversation): readonly RunView[] =>
  conversation.feeds().flatMap((feed) => {
    const root = feed.root();
    return root && root.state.type !== "settled" ? [root] : [];
  });

/** `executor #1 ‹ main`. */
export const pathOf = (runId: RunId, runs: ReadonlyMap<RunId, RunView>, names: RunNames): string => {
  const parts: string[] = [];
  for (let at = runs.get(runId); at; at = at.parentRunId === null ? undefined : runs.get(at.parentRunId))
    parts.push(names.get(at.runId) ?? safeName(at.agent));
  return parts.join(" ‹ ");
};

const drawSuggestions = ({ completion, suggested }: TuiState, width: number): readonly Row[] => {
  if (!completion || completion.suggestions.length === 0) return [];
  const { suggestions } = completion;
  const from = Math.max(0, Math.min(suggested - MOST_SUGGESTIONS + 1, suggestions.length - MOST_SUGGESTIONS));
  return suggestions.slice(from, from + MOST_SUGGESTIONS).map(({ text, about }, index) => {
    const isMarked = from + index === suggested;
    return cutRow(
      row(
        span(isMarked ? " › " : "   ", "bold"),
        span(safeName(text.trim()), isMarked ? "bold" : undefined),
        span(about === undefined ? "" : `  ${safeText(about)}`, "dim"),
      ),
      width,
    );
  });
};

const drawLater = (later: readonly string[], width: number): readonly Row[] => [
  ...later
    .slice(-MOST_LATER)
    .map((text) => cutRow(row(span(" after  ", "user"), safeText(text), span("  queued", "dim")), width)),
  ...(later.length > MOST_LATER ? [cutRow([span(`        and ${later.length - MOST_LATER} more`, "dim")], width)] : []),
];

/** Said to runs, and not read by them yet. */
const drawQueued = (roots: readonly RunView[], names: RunNames, width: number): readonly Row[] => {
  const rows: Row[] = [];
  const look = (run: RunView): void => {
    for (const { content, from } of run.queuedMessages.values())
      if (from === "human" && rows.length < MOST_LATER)
        rows.push(
          cutRow(
            row(
              span(` → ${names.get(run.runId) ?? safeName(run.agent)}  `, "user"),
              safeText(content.map((part) => (part.type === "text" ? part.text : "[image]")).join(" ")),
              span("  queued for its next step", "dim"),
            ),
            width,
          ),
        );
    run.children.forEach(look);
  };
  roots.forEach(look);
  return rows;
};

const promptOf = ({ state, shown }: FrameParts): string => {
  if (shown?.isOpen === true && shown.question.type === "ask") return "?";
  return state.inTree ? " " : "›";
};

const hintOf = ({ state, conversation, shown }: FrameParts): string => {
  if (state.inTree) return "↑↓ agent  ←→ fold  Enter open  s stop  m message  Esc back";
  if (shown?.isOpen === true && shown.question.type === "approval") return "";
  return conversation.isWorking() ? WORKING_HINT : HINT;
};

export const composeFrame = (parts: FrameParts): Composed => {
  const { state, conversation, shown, diff, rule, onSeen, waiting, names, project, model, redact, now, size } = parts;
  const width = Math.max(20, size.columns - 1);
  const room = Math.max(4, size.rows - 1);
  const roots = sessionsAtWork(conversation);
  const main = conversation.main();
  const mainRoot = main?.root();

  const input = drawInput({
    edited: state.input,
    prompt: promptOf(parts),
    hint: hintOf(parts),
    width,
    mostRows: Math.min(MOST_INPUT_ROWS, Math.max(1, Math.floor(room / 3))),
  });
  const below: readonly Row[] = [
    ...drawQueued(roots, names, width),
    ...drawLater(conversation.later(), width),
    ...(state.stopOffer
      ? [
          cutRow(
            row(
              span(
                ` stop ${state.stopOffer.name}${state.stopOffer.below > 0 ? ` and ${state.stopOffer.below} below` : ""}?  `,
                "waiting",
              ),
              span("f", "bold"),
              " finish and report  ",
              span("n", "bold"),
              " now  ",
              span("Esc", "bold"),
              " go on",
            ),
            width,
          ),
        ]
      : []),
    ...(state.notice === undefined ? [] : [cutRow([span(` ${safeText(state.notice)}`, "waiting")], width)]),
    ...drawSuggestions(state, width),
  ];
  const runsBelow = roots.reduce((sum, root) => sum + countOpen(root), 0);
  const mostCost = mainRoot ? toLimitUses(mainRoot).find(({ limit }) => limit === "costUsd")?.max : undefined;
  const header = drawHeader({
    project,
    model: mainRoot?.model || model,
    spent: main?.view.spent,
    mostCostUsd: mostCost,
    others: Math.max(0, runsBelow - 1),
    isWorking: roots.length > 0,
    waiting,
    width,
  });

  let left = room - input.rows.length - below.length - 1;
  const runs =
    shown?.question.type === "approval"
      ? conversation.feeds().find(({ view }) => view.openApprovals.has(shown.question.id as never))?.view.runs
      : undefined;
  const path = shown?.question.type === "approval" && runs ? pathOf(shown.question.approval.runId, runs, names) : "";
  const treeFloor = Math.min(roots.length === 0 ? 0 : size.rows < 24 ? 2 : 4, left);
  let range: RowRange | undefined;
  const drawn = shown
    ? drawQuestion({
        shown,
        path,
        model: shown.question.type === "approval" ? runs?.get(shown.question.approval.runId)?.model : undefined,
        diff,
        rule,
        review: state.reviews.get(shown.question.id),
        redact,
        width,
        mostRows: Math.max(4, left - treeFloor),
        onRows: (rows) => (range = rows),
      })
    : [];
  const card = drawn.slice(0, Math.max(1, left));
  // Rows of a card that was cut were not seen.
  state.cutCard = shown && card.length < drawn.length ? shown.question.id : undefined;
  if (shown && range && card.length === drawn.length) onSeen?.(shown.question, range);
  left -= card.length;

  const tree = drawTree({
    roots,
    names,
    now,
    width,
    mostRows: Math.max(1, Math.min(left, state.opened === undefined ? left : Math.ceil(left / 3))),
    selected: state.inTree ? state.selected : undefined,
    folds: state.folds,
    lastEventAt: (runId) => lastEventOf(conversation, runId),
  });
  const treeRows = roots.length === 0 || left <= 0 ? [] : tree.rows;
  left -= treeRows.length;

  const opened = state.opened === undefined ? undefined : findRun(conversation, state.opened);
  const details =
    opened && left > 2 ? scrolled(drawDetails(opened, { names, redact, now, width: width - 2 }), left, state.openedScroll) : [];
  left -= details.length;
  const work = roots.map((root) => drawWorkList(root, Math.min(6, left), width)).find((rows) => rows.length > 0) ?? [];
  left -= work.length;
  const tail = main && left > 0 ? main.transcript.tail().slice(-left) : [];

  const above = [...tail, header, ...treeRows, ...details, ...work, ...card, ...below];
  const takesKeys = shown?.isOpen === true && shown.question.type === "approval";
  return {
    live: [...above, ...input.rows],
    cursor: takesKeys || state.inTree ? undefined : { row: above.length + input.cursor.row, column: input.cursor.column },
    shownRuns: tree.shown,
  };
};

const countOpen = (run: RunView): number =>
  (run.state.type === "settled" ? 0 : 1) + run.children.reduce((sum, child) => sum + countOpen(child), 0);

const lastEventOf = (conversation: Conversation, runId: RunId): number | undefined => {
  for (const feed of conversation.feeds()) {
    const at = feed.lastEventAt(runId);
    if (at !== undefined) return at;
  }
  return undefined;
};

export const findRun = (conversation: Conversation, runId: RunId): RunView | undefined => {
  for (const { view } of conversation.feeds()) {
    const run = view.runs.get(runId);
    if (run) return run;
  }
  return undefined;
};

/** The end of what is too long, or a part above it. */
const scrolled = (rows: readonly Row[], room: number, by: number): readonly Row[] => {
  const end = Math.max(Math.min(room, rows.length), rows.length - by);
  const cut = rows.slice(Math.max(0, end - room), end);
  return cut.map((one) => [span("  "), ...one]);
};
