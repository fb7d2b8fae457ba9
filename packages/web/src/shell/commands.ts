/**
 * The keys of the page. They work where nobody types. Whether one answers a question is decided in `shown-questions.ts`; every key that means
 * nothing here counts as typing. What a screen offers stands above what the page offers.
 */
import { useEffect, useRef } from "react";
import { focusQuestion, hasQuestion, noteTyping, pressAnswerKey } from "../approvals/shown-questions.ts";
import { tellDropped } from "../approvals/dropped.ts";
import { isDrafting } from "../composer/composer.tsx";

export type Commands = Readonly<Record<string, () => unknown>>;

const stack: { current: Commands }[] = [];
let firstKey: { readonly key: string; readonly at: number } | null = null;

/** The second key of `g s` must come within this. */
const CHORD_MS = 1_200;

const isTextField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));

const find = (key: string): (() => unknown) | undefined =>
  stack.findLast(({ current }) => current[key] !== undefined)?.current[key];

/** A printable key that means nothing here was typed for somewhere else. */
const noteStray = ({ key, target }: KeyboardEvent): void => {
  if (key.length !== 1) return;
  // Space presses the button that has the focus.
  if (key === " " && target instanceof HTMLElement && target.closest("button, a, summary, [role=button]") !== null) return;
  noteTyping();
  if (hasQuestion()) tellDropped(`${key} went nowhere: nothing here takes text.`);
};

const onKeyDown = (event: KeyboardEvent): void => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    find("Ctrl-K")?.();
    return;
  }
  if (event.ctrlKey && event.key.toLowerCase() === "g" && hasQuestion()) {
    event.preventDefault();
    focusQuestion();
    return;
  }
  if (isTextField(event.target)) return noteTyping();
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (document.querySelector("dialog[open]:not(.inbox)") !== null) return;
  const chord = firstKey !== null && performance.now() - firstKey.at < CHORD_MS ? `${firstKey.key} ${event.key}` : null;
  firstKey = null;
  const acted = (chord !== null && find(chord)) || undefined;
  if (acted !== undefined) {
    event.preventDefault();
    acted();
    return;
  }
  if (event.key === "g") {
    firstKey = { key: "g", at: performance.now() };
    return;
  }
  if (pressAnswerKey(event.key, { isTyping: isDrafting(), isRepeat: event.repeat })) {
    event.preventDefault();
    return;
  }
  const command = find(event.key);
  if (command === undefined) return noteStray(event);
  event.preventDefault();
  command();
};

export const listenToKeys = (): (() => void) => {
  document.addEventListener("keydown", onKeyDown);
  return () => document.removeEventListener("keydown", onKeyDown);
};

/** Offers keys while the component is shown. */
export const useCommands = (commands: Commands): void => {
  const entry = useRef(commands);
  entry.current = commands;
  useEffect(() => {
    stack.push(entry);
    return () => {
      stack.splice(stack.indexOf(entry), 1);
    };
  }, []);
};
