/**
 * Texts in columns. Databases keep neither lone surrogates nor, everywhere, NUL: a text that has some is kept as a mark
 * and its JSON form, every other as it is. No two texts become the same.
 */
const MARK = "\u0001json:";

export const toColumnText = (text: string): string =>
  text.isWellFormed() && !text.includes("\0") && !text.startsWith(MARK) ? text : MARK + JSON.stringify(text);

export const fromColumnText = (stored: string): string =>
  stored.startsWith(MARK) ? String(JSON.parse(stored.slice(MARK.length))) : stored;
