/** The text that is being typed, with its cursor: lines of any number, edited by whole graphemes. Values only; each change gives a new one. */
import { graphemesOf } from "../../terminal/text-width.ts";

export type EditedText = { readonly text: string; readonly cursor: number };

export const EMPTY_TEXT: EditedText = { text: "", cursor: 0 };

export const textOf = (text: string): EditedText => ({ text, cursor: text.length });

export const insertText = ({ text, cursor }: EditedText, added: string): EditedText => ({
  text: text.slice(0, cursor) + added + text.slice(cursor),
  cursor: cursor + added.length,
});

const replaceRange = ({ text }: EditedText, from: number, to: number): EditedText => ({
  text: text.slice(0, from) + text.slice(to),
  cursor: from,
});

const before = ({ text, cursor }: EditedText): number =>
  cursor - (graphemesOf(text.slice(Math.max(0, cursor - 64), cursor)).at(-1)?.length ?? 0);

const following = ({ text, cursor }: EditedText): number =>
  cursor + (graphemesOf(text.slice(cursor, cursor + 64))[0]?.length ?? 0);

const lineStart = ({ text, cursor }: EditedText): number => text.lastIndexOf("\n", cursor - 1) + 1;

const lineEnd = ({ text, cursor }: EditedText): number => {
  const end = text.indexOf("\n", cursor);
  return end < 0 ? text.length : end;
};

const wordLeft = ({ text, cursor }: EditedText): number => {
  const [tail = ""] = /\S*\s*$/.exec(text.slice(0, cursor)) ?? [];
  return cursor - tail.length;
};

const wordRight = ({ text, cursor }: EditedText): number => {
  const [head = ""] = /^\s*\S*/.exec(text.slice(cursor)) ?? [];
  return cursor + head.length;
};

const moveTo = ({ text }: EditedText, cursor: number): EditedText => ({ text, cursor });

/** Undefined where there is no line in that direction. */
export const moveLine = (edited: EditedText, by: -1 | 1): EditedText | undefined => {
  const start = lineStart(edited);
  const column = edited.cursor - start;
  if (by === -1) {
    if (start === 0) return undefined;
    const previous = lineStart(moveTo(edited, start - 1));
    return moveTo(edited, Math.min(previous + column, start - 1));
  }
  const end = lineEnd(edited);
  if (end === edited.text.length) return undefined;
  return moveTo(edited, Math.min(end + 1 + column, lineEnd(moveTo(edited, end + 1))));
};

export type EditName =
  | "left"
  | "right"
  | "word-left"
  | "word-right"
  | "home"
  | "end"
  | "backspace"
  | "delete"
  | "delete-word"
  | "to-line-end"
  | "to-line-start";

export const editText = (edited: EditedText, name: EditName): EditedText => {
  switch (name) {
    case "left":
      return moveTo(edited, before(edited));
    case "right":
      return moveTo(edited, following(edited));
    case "word-left":
      return moveTo(edited, wordLeft(edited));
    case "word-right":
      return moveTo(edited, wordRight(edited));
    case "home":
      return moveTo(edited, lineStart(edited));
    case "end":
      return moveTo(edited, lineEnd(edited));
    case "backspace":
      return replaceRange(edited, before(edited), edited.cursor);
    case "delete":
      return { ...replaceRange(edited, edited.cursor, following(edited)), cursor: edited.cursor };
    case "delete-word":
      return replaceRange(edited, wordLeft(edited), edited.cursor);
    case "to-line-end":
      return { ...replaceRange(edited, edited.cursor, lineEnd(edited)), cursor: edited.cursor };
    case "to-line-start":
      return replaceRange(edited, lineStart(edited), edited.cursor);
    default:
      return name satisfies never;
  }
};
