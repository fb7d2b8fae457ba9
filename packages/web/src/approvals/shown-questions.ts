/**
 * The cards that are on the page now. Keys answer the oldest of those that are wholly in view; with none in view, a key brings the oldest there. Whether a
 * key or a click was meant is decided by the rule that the terminal follows, too.
 */
import { type AnswerRuling, describeDrop, judgeAnswer } from "@retinue/client";
import { type RefObject, useEffect, useRef, useSyncExternalStore } from "react";
import { isInView, noteRead, reveal, showUnread, wasRead } from "./in-view.ts";
import { tellDropped } from "./dropped.ts";

const ANSWER_KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "d"] as const;

export type AnswerKey = (typeof ANSWER_KEYS)[number];

export type ShownQuestion = {
  readonly approvalId: string;
  readonly requestedAt: string;
  readonly card: RefObject<HTMLElement | null>;
  readonly press: (key: AnswerKey) => void;
  /** Which keys allow the act. */
  readonly isYes: (key: AnswerKey) => boolean;
};

type Entry = ShownQuestion & { readonly mountedAt: number };

let shown: readonly Entry[] = [];
/** The card that keys answer, and since when. */
let current: { readonly entry: Entry; readonly at: number } | undefined;
let typedAt = -Infinity;
let focusedAt = -Infinity;
let listedAt = -Infinity;
const listeners = new Set<() => void>();

/** A key came that was neither a command nor an answer. */
export const noteTyping = (): void => {
  typedAt = performance.now();
};

/** A list of questions opened. */
export const noteList = (): void => {
  listedAt = performance.now();
};

/** Those that a window over the page does not cover. */
const reachable = (): readonly Entry[] => {
  const dialog = document.querySelector("dialog[open]");
  return dialog === null ? shown : shown.filter(({ card }) => dialog.contains(card.current));
};

/** Looks at the page: which card has the keys, and what of the acts is on the screen. */
const look = (): void => {
  const seen = reachable().filter(({ card }) => card.current !== null && isInView(card.current));
  for (const { approvalId, card } of reachable()) if (card.current !== null) noteRead(approvalId, card.current);
  const [entry] = seen;
  if (entry === current?.entry) return;
  current = entry === undefined ? undefined : { entry, at: performance.now() };
  for (const listener of listeners) listener();
};

const set = (next: readonly Entry[]): void => {
  shown = next.toSorted((a, b) => (a.requestedAt < b.requestedAt ? -1 : 1));
  look();
};

/** Layouts also move without an event of theirs. */
const LOOK_MS = 200;

const onFocus = (): void => {
  focusedAt = performance.now();
};

/** Notices what scrolls, is resized, and comes to the front. */
export const watchQuestions = (): (() => void) => {
  const timer = setInterval(() => shown.length > 0 && look(), LOOK_MS);
  document.addEventListener("scroll", look, { capture: true, passive: true });
  window.addEventListener("resize", look);
  window.addEventListener("focus", onFocus);
  return () => {
    clearInterval(timer);
    document.removeEventListener("scroll", look, { capture: true });
    window.removeEventListener("resize", look);
    window.removeEventListener("focus", onFocus);
  };
};

const judge = (entry: Entry, by: "key" | "click", isYes: boolean, isTyping = false): AnswerRuling => {
  const card = entry.card.current;
  const isCurrent = current?.entry === entry;
  return judgeAnswer({
    now: performance.now(),
    by,
    isTyping,
    typedAt,
    shownAt: by === "key" && isCurrent ? Math.max(entry.mountedAt, current?.at ?? 0) : entry.mountedAt,
    focusedAt,
    listedAt,
    isInView: isCurrent,
    isYes,
    wasRead: card === null || wasRead(entry.approvalId, card),
  });
};

/** Tells what became of it; true where it answers. */
const carryOut = (entry: Entry, pressed: string, ruling: AnswerRuling): boolean => {
  if (ruling === "answer") return true;
  tellDropped(describeDrop(pressed, ruling));
  const card = entry.card.current;
  if (ruling === "reveal" && card !== null) reveal(card);
  if (ruling === "unread" && card !== null) showUnread(entry.approvalId, card);
  if (ruling === "typing") noteTyping();
  // A key that is held down answers nothing.
  if (ruling === "shown" && current?.entry === entry) current = { entry, at: performance.now() };
  return false;
};

export type CardKeys = {
  /** Keys answer this card. */
  readonly hasKeys: boolean;
  /** Calls back where a click, or a form that was sent, was meant. */
  readonly click: (pressed: string, isYes: boolean, act: () => void) => void;
};

export const useShownQuestion = (question: ShownQuestion): CardKeys => {
  const { approvalId, requestedAt } = question;
  const latest = useRef(question);
  useEffect(() => {
    latest.current = question;
  });
  const entry = useRef<Entry>(undefined);
  useEffect(() => {
    const { card } = latest.current;
    const added: Entry = {
      approvalId,
      requestedAt,
      card,
      press: (key) => latest.current.press(key),
      isYes: (key) => latest.current.isYes(key),
      mountedAt: performance.now(),
    };
    entry.current = added;
    set([...shown, added]);
    return () => set(shown.filter((one) => one !== added));
  }, [approvalId, requestedAt]);
  const hasKeys = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current !== undefined && current.entry === entry.current,
  );
  return {
    hasKeys,
    click: (pressed, isYes, act) => {
      const given = entry.current;
      if (given !== undefined && carryOut(given, pressed, judge(given, "click", isYes))) act();
    },
  };
};

/** True where the key was one of an answer, whatever became of it. */
export const pressAnswerKey = (
  key: string,
  { isTyping, isRepeat }: { readonly isTyping: boolean; readonly isRepeat: boolean },
): boolean => {
  look();
  const entry = current?.entry ?? reachable()[0];
  const pressed = ANSWER_KEYS.find((one) => one === key);
  if (entry === undefined || pressed === undefined) return false;
  if (!isRepeat && carryOut(entry, key, judge(entry, "key", entry.isYes(pressed), isTyping))) entry.press(pressed);
  return true;
};

/** Brings the oldest question into view, and the keys with it. */
export const focusQuestion = (): void => {
  look();
  const card = (current?.entry ?? reachable()[0])?.card.current;
  if (card === undefined || card === null) return;
  reveal(card);
  card.focus({ preventScroll: true });
};

export const hasQuestion = (): boolean => reachable().length > 0;
