/** The first words of a README that say what a project is, past titles, badges and pictures. */
import type { ReadLine } from "../tool-output.ts";

export type Opening = { readonly line: number; readonly text: string };

export const toOpening = (lines: readonly ReadLine[]): Opening | undefined => {
  const rows = lines.map(({ number, text }) => ({ number, text: isMarkup(text) ? "" : toProse(text) }));
  // Parts of tables and comments are no prose.
  const starts = rows.flatMap(({ text }, at) => (isProse(text) && !isUnderlined(lines[at + 1]?.text ?? "") ? [at] : []));
  // "X is a …" says more than an announcement before it.
  const start =
    starts.find(
      (at) =>
        at - (starts[0] ?? 0) < 15 && /\b(?:is|are) (?:an?|the)\b|\b(?:provides|lets you|allows)\b/.test(rows[at]?.text ?? ""),
    ) ??
    starts[0] ??
    -1;
  const first = rows[start];
  if (!first) return undefined;
  const words: string[] = [];
  for (const { text } of rows.slice(start)) {
    if (text === "" || /^(?:#|[-*|>] |```|\.\. )/.test(text)) {
      if (words.join(" ").length > 35) break;
      if (text !== "") break;
      continue;
    }
    words.push(text);
  }
  return { line: first.number, text: words.join(" ") };
};

/** Pictures, links of sponsors and the like stand in HTML. */
const isMarkup = (text: string): boolean =>
  /^\s*<|<\/\w+>\s*(?:<br>)?\s*$/.test(text) || /\b(?:sponsor|donate|special thanks|supported by)/i.test(text);

const toProse = (text: string): string =>
  text
    .replace(/^\s*>\s?(?!\[!)/, "")
    .replaceAll(/<!--.*?-->|<\/?[a-z][^>]*>/gi, "")
    .replaceAll(/\[?!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?(?:\]\([^)]*\)|\]\[[^\]]*\])?/g, "")
    .replaceAll(/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, "$1")
    .trim();

/** A sentence, rather than a heading, a list, a row of links or a fence. */
const isProse = (text: string): boolean =>
  text.length >= 25 &&
  /^[\p{L}\d*_"'`]/u.test(text) &&
  !/^[*-] /.test(text) &&
  !/^https?:/.test(text) &&
  /\p{L}{2,} \p{L}+ \p{L}/u.test(text);

const isUnderlined = (next: string): boolean => /^(?:={3,}|-{3,})\s*$/.test(next);
