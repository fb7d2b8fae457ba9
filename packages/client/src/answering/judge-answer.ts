/**
 * Decides whether a key or a click was meant as the answer to a question. Page and terminal both ask this function, so that both follow one rule:
 * typing answers nothing, and neither does a key that came before the person could read what it would answer.
 */

/** After a key that was typing, no question takes a key for so long. */
export const TYPING_MS = 1_000;
/** A question takes no answer for so long after it came into view, or the window came to the front. */
export const SETTLING_MS = 250;
/** A list of questions takes no key for so long after it opened. */
export const LIST_MS = 1_000;

/** Times are milliseconds of one clock; `-Infinity` stands for never. */
export type AnswerMoment = {
  readonly now: number;
  readonly by: "key" | "click";
  /** A text field has the focus, or the input holds text. */
  readonly isTyping: boolean;
  /** When a key last came that was neither a command nor an answer. */
  readonly typedAt: number;
  /** Since when this question is the one that keys answer. */
  readonly shownAt: number;
  /** When the window last came to the front. */
  readonly focusedAt: number;
  /** When the list that holds the question opened; never where it stands in no list. */
  readonly listedAt: number;
  /** The whole question is on the screen. */
  readonly isInView: boolean;
  /** It allows the act, once or for longer. */
  readonly isYes: boolean;
  /** Every part of the act was on the screen at some time. */
  readonly wasRead: boolean;
};

export type DropReason = "typing" | "window" | "list" | "shown" | "unread";

/** `reveal`: the key answers nothing; it brings the question into view. */
export type AnswerRuling = "answer" | "reveal" | DropReason;

export const judgeAnswer = (moment: AnswerMoment): AnswerRuling => {
  const { now, by, isTyping, typedAt, shownAt, focusedAt, listedAt, isInView, isYes, wasRead } = moment;
  if (by === "key" && (isTyping || now - typedAt < TYPING_MS)) return "typing";
  if (now - focusedAt < SETTLING_MS) return "window";
  if (by === "key" && now - listedAt < LIST_MS) return "list";
  if (by === "key" && !isInView) return "reveal";
  if (now - shownAt < SETTLING_MS) return "shown";
  return isYes && !wasRead ? "unread" : "answer";
};

const REASONS: Readonly<Record<DropReason, string>> = {
  typing: "it came while you were typing",
  window: "the window had just come to the front",
  list: "the list had just opened",
  shown: "the question had just come into view",
  unread: "the act was not shown to its end",
};

/** What a person reads whose key or click answered nothing. */
export const describeDrop = (pressed: string, ruling: Exclude<AnswerRuling, "answer">): string =>
  ruling === "reveal"
    ? `${pressed} answered nothing: the question was not wholly in view. It is now; press again.`
    : `${pressed} answered nothing: ${REASONS[ruling]}.`;
