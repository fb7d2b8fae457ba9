/** Keys while a question is in view: an answer, the reason for a no, words for who asks, or away from it. */
import { describeDrop } from "@retinue/client";
import type { ApprovalScope } from "@retinue/protocol";
import type { Key } from "../input/key-reader.ts";
import { EMPTY_TEXT, textOf } from "../input/text-editor.ts";
import type { Question } from "../question/question.ts";
import type { Shown } from "../question/question-queue.ts";
import type { ReviewMove } from "../question/review.ts";
import { moveReview, NO_REVIEW, remark } from "../question/review.ts";
import type { TuiState } from "../tui-state.ts";
import { editWith } from "./edit-with-key.ts";
import type { KeyPorts } from "./key-ports.ts";

/** What has not been on the screen is not allowed. */
const UNREAD = "Read it to its end before you allow it: ↓ or PgDn go on, v shows all of it.";

const SCOPES: Readonly<Record<string, ApprovalScope>> = { y: "once", r: "run", s: "session" };

/** Whether the key answers what is shown; else it is shown as dropped, or brings the question into view. */
const isMeant = (pressed: string, question: Question, { state, queue, acts }: KeyPorts, isYes = false): boolean => {
  const isInView = state.cutCard !== question.id;
  const ruling = queue.judge({ isYes, isInView, wasRead: state.seen.get(question.id)?.isWhole === true });
  if (ruling === "answer") return true;
  state.notice = ruling === "unread" ? UNREAD : describeDrop(pressed, ruling);
  if (ruling === "reveal") acts.showWhole(question);
  return false;
};

export const takeReason = (key: Key, { question, reason = EMPTY_TEXT }: Shown, ports: KeyPorts): void => {
  const { queue, acts } = ports;
  if (key.type === "key" && key.name === "esc") return queue.setReason(question.id, undefined);
  if (key.type === "key" && key.name === "enter") {
    if (isMeant("Enter", question, ports)) acts.deny(question, reason.text.trim());
    return;
  }
  const edited = editWith(reason, key);
  if (edited) queue.setReason(question.id, edited);
};

export const openQuestion = (shown: Shown | undefined, { state, queue }: KeyPorts): void => {
  if (!shown) return;
  if (shown.isOpen) return queue.close();
  // An answer in words is typed where the text stands, which is set aside meanwhile.
  if (shown.question.type === "ask" && state.input.text !== "") {
    state.draft = state.input;
    state.input = EMPTY_TEXT;
  }
  queue.open();
};

/** Whether the question has taken the key. */
export const takeQuestion = (key: Key, { question }: Shown, ports: KeyPorts): boolean => {
  const { state, queue, acts } = ports;
  if (key.type === "key" && key.name === "esc") {
    queue.close();
    restoreDraft(state);
    return true;
  }
  if (takeReview(key, question, ports)) return true;
  if (question.type === "ask") return takeAsk(key, question, ports);
  if (key.type !== "text") return false;
  const scope = SCOPES[key.text];
  if (scope === undefined && !["n", "p", "P", "v", "?"].includes(key.text)) return false;
  if (key.text === "v") acts.showWhole(question);
  else if (key.text === "?") state.notice = acts.coverOf(question);
  else if (!isMeant(key.text, question, ports, key.text !== "n")) return true;
  else if (scope !== undefined) acts.allow(question, scope);
  else if (key.text === "n") queue.beginReason(question.id);
  else acts.allowByRule(question, key.text === "P");
  return true;
};

const MOVES: Readonly<Record<string, ReviewMove>> = {
  up: "up",
  k: "up",
  down: "down",
  j: "down",
  "page-up": "page-up",
  "page-down": "page-down",
  home: "home",
  end: "end",
  "]": "next-hunk",
  "[": "previous-hunk",
};

/** Reading in what is asked about. In a question that is answered in words, letters are words. */
const takeReview = (key: Key, question: Question, { state, acts }: KeyPorts): boolean => {
  const name = key.type === "key" ? key.name : key.type === "text" && question.type === "approval" ? key.text : "";
  const review = state.reviews.get(question.id) ?? NO_REVIEW;
  if (question.type === "ask" && name !== "page-up" && name !== "page-down") return false;
  const move = MOVES[name];
  if (move !== undefined) state.reviews.set(question.id, moveReview(review, move, acts.linesOf(question)));
  else if (name === "c") state.reviews.set(question.id, { ...review, typing: textOf(review.remarks.get(review.at) ?? "") });
  else return false;
  return true;
};

/** A remark on a line is being typed: every key belongs to it. */
export const takeRemark = (key: Key, question: Question, { state }: KeyPorts): boolean => {
  const review = state.reviews.get(question.id);
  if (!review?.typing) return false;
  const edited = editWith(review.typing, key);
  if (edited) state.reviews.set(question.id, { ...review, typing: edited });
  else if (key.type === "key" && key.name === "enter") state.reviews.set(question.id, remark(review));
  else if (key.type === "key" && key.name === "esc") state.reviews.set(question.id, { ...review, typing: undefined });
  return true;
};

const takeAsk = (key: Key, question: Question, ports: KeyPorts): boolean => {
  const { state, queue, acts } = ports;
  if (question.type !== "ask") return false;
  const chosen = key.type === "text" && state.input.text === "" ? question.options[Number(key.text) - 1] : undefined;
  if (chosen !== undefined) {
    if (isMeant(key.type === "text" ? key.text : "", question, ports)) {
      acts.answerAsk(question, chosen);
      restoreDraft(state);
    }
    return true;
  }
  if (key.type === "key" && key.name === "enter") {
    if (state.input.text.trim() === "" || !isMeant("Enter", question, ports)) return true;
    acts.answerAsk(question, state.input.text.trim());
    state.input = EMPTY_TEXT;
    restoreDraft(state);
    return true;
  }
  const edited = editWith(state.input, key);
  if (!edited) return false;
  // A command is for Retinue, and what is begun as the question comes up was meant for the input.
  if (state.input.text === "" && (edited.text.startsWith("/") || isTooEarly(queue))) return false;
  // From here on the text belongs to the question.
  queue.open();
  state.input = edited;
  return true;
};

const isTooEarly = (queue: KeyPorts["queue"]): boolean =>
  queue.judge({ isYes: false, isInView: true, wasRead: true }) !== "answer";

const restoreDraft = (state: TuiState): void => {
  if (state.draft === undefined) return;
  state.input = state.draft;
  state.draft = undefined;
};
