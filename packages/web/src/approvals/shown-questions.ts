/** The cards that are on the page now. Keys answer the oldest of them, and only that. */
import { useEffect, useRef, useSyncExternalStore } from "react";

const ANSWER_KEYS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "d"] as const;

export type AnswerKey = (typeof ANSWER_KEYS)[number];

export type ShownQuestion = {
  readonly approvalId: string;
  readonly requestedAt: string;
  readonly press: (key: AnswerKey) => void;
};

let shown: readonly ShownQuestion[] = [];
const listeners = new Set<() => void>();

const set = (next: readonly ShownQuestion[]): void => {
  shown = next.toSorted((a, b) => (a.requestedAt < b.requestedAt ? -1 : 1));
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Whether keys answer this card. */
export const useShownQuestion = (question: ShownQuestion): boolean => {
  const { approvalId, requestedAt, press } = question;
  const latest = useRef(press);
  useEffect(() => {
    latest.current = press;
  }, [press]);
  useEffect(() => {
    const entry: ShownQuestion = { approvalId, requestedAt, press: (key) => latest.current(key) };
    set([...shown, entry]);
    return () => set(shown.filter((one) => one !== entry));
  }, [approvalId, requestedAt]);
  return useSyncExternalStore(subscribe, () => shown[0]?.approvalId === approvalId);
};

/** True where a card took the key. */
export const pressAnswerKey = (key: string): boolean => {
  const [first] = shown;
  const pressed = ANSWER_KEYS.find((one) => one === key);
  if (first === undefined || pressed === undefined) return false;
  first.press(pressed);
  return true;
};
