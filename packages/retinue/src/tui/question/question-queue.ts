/**
 * The questions that wait for the human, oldest first, and the rules by which one of them may take keys: never while somebody types, never in the first moment
 * after it came into view, and never in place of the one that is shown.
 */
import { type AnswerMoment, type AnswerRuling, judgeAnswer, TYPING_MS } from "@retinue/client";
import type { EditedText } from "../input/text-editor.ts";
import { EMPTY_TEXT } from "../input/text-editor.ts";
import type { Question } from "./question.ts";

/** What an answer would be, and what of the question is on the screen. */
export type AnswerGiven = Pick<AnswerMoment, "isYes" | "wasRead" | "isInView">;

export type Shown = {
  readonly question: Question;
  /** It takes keys; otherwise it waits as one line. */
  readonly isOpen: boolean;
  readonly place: number;
  readonly count: number;
  /** The reason for a no that is being typed; undefined while none is. */
  readonly reason: EditedText | undefined;
};

export type QuestionQueue = {
  /** The questions that wait now, in the order in which they were asked. Gives those that went without an answer from here. */
  readonly sync: (open: readonly Question[]) => readonly Question[];
  /** What is to be seen, given whether keys are free for it: the input is empty, and nobody moves in the tree. */
  readonly shown: (isFree: boolean) => Shown | undefined;
  readonly count: () => number;
  /** A key came that was no answer. */
  readonly typed: () => void;
  /** The window was clicked, or the user came back to it. */
  readonly focused: () => void;
  /** Opened by hand, also while the input holds text. */
  readonly open: () => void;
  /** Back to a line. */
  readonly close: () => void;
  /** Whether an answer that comes now was meant for what is shown. One that comes too early begins the wait anew: a key that is held down answers nothing. */
  readonly judge: (given: AnswerGiven) => AnswerRuling;
  readonly answered: (id: string) => void;
  /** Undefined ends the typing of a reason; what was typed is kept. */
  readonly setReason: (id: string, reason: EditedText | undefined) => void;
  readonly beginReason: (id: string) => void;
};

export const createQuestionQueue = (now: () => number): QuestionQueue => {
  let queue: readonly Question[] = [];
  const answeredIds = new Set<string>();
  const reasons = new Map<string, EditedText>();
  let reasonOf: string | undefined;
  let typedAt = -Infinity;
  let shownAt = -Infinity;
  let focusedAt = -Infinity;
  /** The question that takes keys. */
  let openId: string | undefined;
  let byHand = false;

  const open = (id: string): void => {
    if (openId === id) return;
    openId = id;
    shownAt = now();
  };

  return {
    sync: (all) => {
      const waiting = all.filter(({ id }) => !answeredIds.has(id));
      const ids = new Set(waiting.map(({ id }) => id));
      const gone = queue.filter(({ id }) => !ids.has(id) && !answeredIds.has(id));
      // New ones come after those that wait already.
      const kept = queue.filter(({ id }) => ids.has(id)).map(({ id }) => waiting.find((one) => one.id === id));
      const known = new Set(queue.map(({ id }) => id));
      queue = [...kept.filter((one) => one !== undefined), ...waiting.filter(({ id }) => !known.has(id))];
      if (openId !== undefined && !ids.has(openId)) {
        openId = undefined;
        byHand = false;
        reasonOf = undefined;
      }
      return gone;
    },
    shown: (isFree) => {
      const [question] = queue;
      if (!question) return undefined;
      const isIdle = isFree && now() - typedAt >= TYPING_MS;
      if (openId !== question.id && (isIdle || byHand)) open(question.id);
      const isOpen = openId === question.id && (isFree || byHand || reasonOf === question.id);
      if (!isOpen) openId = undefined;
      const reason = reasonOf === question.id ? (reasons.get(question.id) ?? EMPTY_TEXT) : undefined;
      return { question, isOpen, place: 1, count: queue.length, reason };
    },
    count: () => queue.length,
    typed: () => {
      typedAt = now();
    },
    focused: () => {
      focusedAt = now();
    },
    open: () => {
      const [question] = queue;
      byHand = true;
      if (question) open(question.id);
    },
    close: () => {
      openId = undefined;
      byHand = false;
      reasonOf = undefined;
      typedAt = now();
    },
    judge: (given) => {
      if (openId === undefined) return "typing";
      // A question that is open has the keys: typing would have closed it.
      const quiet = { isTyping: false, typedAt: -Infinity, listedAt: -Infinity };
      const ruling = judgeAnswer({ ...given, ...quiet, by: "key", now: now(), shownAt, focusedAt });
      if (ruling === "shown") shownAt = now();
      return ruling;
    },
    answered: (id) => {
      answeredIds.add(id);
      queue = queue.filter((one) => one.id !== id);
      reasons.delete(id);
      if (openId === id) openId = undefined;
      if (reasonOf === id) reasonOf = undefined;
      if (queue.length === 0) byHand = false;
    },
    beginReason: (id) => {
      reasonOf = id;
    },
    setReason: (id, reason) => {
      if (reason === undefined) reasonOf = undefined;
      else reasons.set(id, reason);
    },
  };
};
