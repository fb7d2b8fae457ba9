/**
 * Markdown as blocks. While a text still grows, the blocks that are finished are kept as they are and only the rest is lexed again, so that
 * a long answer costs as much at its end as at its beginning.
 */
import { Lexer, type Token, type TokensList } from "marked";

export type Block = { readonly raw: string; readonly tokens: readonly Token[] };

export type Lexed = {
  readonly text: string;
  readonly blocks: readonly Block[];
  /** How much of the text the frozen blocks (all but the last) are. */
  readonly frozen: number;
};

export const NOTHING_LEXED: Lexed = { text: "", blocks: [], frozen: 0 };

const lex = (text: string): TokensList => new Lexer({ gfm: true }).lex(text);

const toBlocks = (text: string): readonly Block[] =>
  lex(text)
    .filter(({ type }) => type !== "space")
    .map((token) => ({ raw: token.raw, tokens: [token] }));

/** What became of a text that may have grown since it was lexed last. */
export const lexMarkdown = (before: Lexed, text: string): Lexed => {
  if (text === before.text) return before;
  const isGrown = before.frozen > 0 && text.startsWith(before.text);
  const kept = isGrown ? before.blocks.slice(0, -1) : [];
  const start = isGrown ? before.frozen : 0;
  const fresh = toBlocks(text.slice(start));
  const last = fresh.at(-1);
  // A block that came before the last one is over: nothing that follows changes it.
  const frozen = last === undefined ? start : text.lastIndexOf(last.raw.trimEnd());
  return { text, blocks: [...kept, ...fresh], frozen: fresh.length > 1 ? Math.max(start, frozen) : start };
};
