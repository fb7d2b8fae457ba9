/**
 * The keys of the page. They work where nobody types; a question takes its keys only where the input is empty and no key was typed a moment
 * ago. What a screen offers stands above what the page offers.
 */
import { useEffect, useRef } from "react";
import { pressAnswerKey } from "../approvals/shown-questions.ts";
import { isDrafting } from "../composer/composer.tsx";

export type Commands = Readonly<Record<string, () => unknown>>;

const stack: { current: Commands }[] = [];
let typedAt = Number.NEGATIVE_INFINITY;
let firstKey: { readonly key: string; readonly at: number } | null = null;

/** After a key in a text, a question takes none for so long. */
const TYPING_MS = 1_000;
/** The second key of `g s` must come within this. */
const CHORD_MS = 1_200;

const isTextField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName));

const find = (key: string): (() => unknown) | undefined =>
  stack.findLast(({ current }) => current[key] !== undefined)?.current[key];

const onKeyDown = (event: KeyboardEvent): void => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    find("Ctrl-K")?.();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (isTextField(event.target)) {
    typedAt = performance.now();
    return;
  }
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
  const mayAnswer = !event.repeat && !isDrafting() && performance.now() - typedAt > TYPING_MS;
  if (mayAnswer && pressAnswerKey(event.key)) {
    event.preventDefault();
    return;
  }
  const command = find(event.key);
  if (command === undefined) return;
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
