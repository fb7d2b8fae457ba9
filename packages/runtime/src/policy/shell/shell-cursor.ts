/** A place in a line of bash, and what was found on the way there. */
import type { ShellCommand, ShellWord } from "./shell-line.ts";
import { NotUnderstood } from "./shell-line.ts";

export type HereDocument = {
  readonly delimiter: string;
  readonly isQuoted: boolean;
  readonly stripsTabs: boolean;
  /** Gets the body once it is read. */
  readonly redirection: { target: ShellWord };
};

export type ShellCursor = {
  readonly source: string;
  at: number;
  depth: number;
  /** In the order in which they end. */
  readonly commands: ShellCommand[];
  /** Their bodies begin on the next line. */
  readonly pending: HereDocument[];
};

const MOST_NESTED = 60;
/** Control and invisible characters, and blanks that only some shells take for such. */
const ODD = /(?![\n\t ])[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}]/u;

export const createCursor = (source: string, parent?: ShellCursor): ShellCursor => ({
  source,
  at: 0,
  depth: parent?.depth ?? 0,
  commands: parent?.commands ?? [],
  pending: [],
});

export const fail = (): never => {
  throw new NotUnderstood();
};

export const peek = ({ source, at }: ShellCursor, length = 1): string => source.slice(at, at + length);

export const isDone = ({ source, at }: ShellCursor): boolean => at >= source.length;

export const startsWith = ({ source, at }: ShellCursor, text: string): boolean => source.startsWith(text, at);

/** Whether the text stands here; if so, goes behind it. */
export const take = (cursor: ShellCursor, text: string): boolean => {
  if (!startsWith(cursor, text)) return false;
  cursor.at += text.length;
  return true;
};

export const expectText = (cursor: ShellCursor, text: string): void => {
  if (!take(cursor, text)) fail();
};

export const takePattern = (cursor: ShellCursor, pattern: RegExp): RegExpExecArray | undefined => {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.source);
  if (!found) return undefined;
  cursor.at += found[0].length;
  return found;
};

export const requirePlain = (character: string): void => {
  if (ODD.test(character)) fail();
};

export const nested = <T>(cursor: ShellCursor, work: () => T): T => {
  cursor.depth += 1;
  if (cursor.depth > MOST_NESTED) fail();
  const result = work();
  cursor.depth -= 1;
  return result;
};
