/** Known secrets never reach an output: they are replaced wherever they stand, also where they are split over chunks. */
import type { TextFilter } from "./printable.ts";

export const REDACTED = "[redacted]";

const longestFirst = (secrets: readonly string[]): readonly string[] =>
  [...new Set(secrets)].filter((secret) => secret !== "").toSorted((one, other) => other.length - one.length);

const toPattern = (secrets: readonly string[]): RegExp | undefined =>
  secrets.length === 0
    ? undefined
    : new RegExp(secrets.map((secret) => secret.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"), "g");

/** Where the tail of the text begins that may become a secret when more comes; its length where none does. */
const openTail = (text: string, secrets: readonly string[]): number => {
  const longest = secrets[0]?.length ?? 0;
  for (let start = Math.max(0, text.length - longest + 1); start < text.length; start += 1) {
    const tail = text.slice(start);
    if (secrets.some((secret) => secret.length > tail.length && secret.startsWith(tail))) return start;
  }
  return text.length;
};

export const createRedactFilter = (secrets: readonly string[]): TextFilter => {
  const known = longestFirst(secrets);
  const pattern = toPattern(known);
  if (!pattern) return { push: (chunk) => chunk, end: () => "" };
  let held = "";
  return {
    push: (chunk) => {
      let text = held + chunk;
      let done = "";
      let open = openTail(text, known);
      pattern.lastIndex = 0;
      for (let match = pattern.exec(text); match !== null && match.index < open; match = pattern.exec(text)) {
        done += text.slice(0, match.index) + REDACTED;
        text = text.slice(match.index + match[0].length);
        open = openTail(text, known);
        pattern.lastIndex = 0;
      }
      held = text.slice(open);
      return done + text.slice(0, open);
    },
    end: () => {
      const rest = held.replace(pattern, REDACTED);
      held = "";
      return rest;
    },
  };
};

/** A whole text at once. */
export const createRedact = (secrets: readonly string[]): ((text: string) => string) => {
  const pattern = toPattern(longestFirst(secrets));
  return pattern ? (text) => text.replace(pattern, REDACTED) : (text) => text;
};
