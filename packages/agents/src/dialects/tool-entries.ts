/** A list of tools as Claude Code takes it, `Read, Bash(git:*), Agent(worker, researcher)`, in parts. */
import { resolveToolName } from "../tool-names.ts";

export type ToolEntry = {
  /** As it stands in the file. */
  readonly written: string;
  /** Our name of the tool, or the written one. */
  readonly tool: string;
  /** What stands in parentheses, if it says anything. */
  readonly rule?: string;
  /** It is about what the tool does, even where that is everything: `Edit(**)`. */
  readonly isPart?: boolean;
  readonly line: number;
};

/** Undefined where it is no list of tools. */
export const toToolEntries = (value: unknown, lineOf: (index: number) => number): readonly ToolEntry[] | undefined => {
  if (value === undefined || value === null) return [];
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!items.every((item) => typeof item === "string")) return undefined;
  return items.flatMap((item, index) =>
    splitEntries(item).map((written) => {
      const open = written.indexOf("(");
      const tool = resolveToolName(open === -1 ? written : written.slice(0, open));
      const rule =
        open === -1
          ? ""
          : written
              .slice(open + 1)
              .replace(/\)$/, "")
              .trim();
      return {
        written,
        tool,
        line: lineOf(index),
        ...(open === -1 ? {} : { isPart: true }),
        ...(/^\**$/.test(rule) ? {} : { rule }),
      };
    }),
  );
};

const splitEntries = (text: string): readonly string[] =>
  splitOutside(text, /[,\n]/).flatMap((part) => {
    const name = part.replace(/\(.*/s, "").trim();
    const isOneName = (!/\s/.test(name) || resolveToolName(name) !== name) && !/\)\s+[^\s)]/.test(part);
    return (isOneName ? [part] : splitOutside(part, /\s/)).map(clean).filter((entry) => entry !== "");
  });

/** At the separators that are not in parentheses. */
const splitOutside = (text: string, separator: RegExp): readonly string[] => {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const character of text) {
    if (character === "(") depth++;
    if (character === ")") depth = Math.max(0, depth - 1);
    if (depth === 0 && separator.test(character)) {
      parts.push(part);
      part = "";
    } else part += character;
  }
  return [...parts, part];
};

/** Without list marks, brackets and quotes that were left over around it. */
const clean = (part: string): string =>
  part
    .trim()
    .replaceAll(/^(?:- |[[\]"'\s])+|["'\s\]]+$/g, "")
    .replace(/^-$/, "");
