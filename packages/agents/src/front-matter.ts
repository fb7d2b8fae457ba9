/** Splits a Markdown file into its front matter and what follows it, whatever its newlines and byte order mark. */
export type FrontMatter = {
  readonly yaml: string;
  /** The line of the file that the YAML begins at. */
  readonly firstLine: number;
  readonly body: string;
  readonly bodyLine: number;
};

/** A line of dashes, in a text that begins with a newline. */
const FENCE = /\n---[ \t]*(?=\n|$)/g;

/** The body is never taken apart: it is most of the file, and seldom looked at. */
export const splitFrontMatter = (text: string): FrontMatter | { readonly line: number; readonly message: string } => {
  const lines = `\n${plainText(text)}`;
  const opening = /^(?:[^\S\n]*\n)*?---[ \t]*(?=\n|$)/.exec(lines)?.[0];
  if (opening === undefined) return { line: 1, message: "it does not begin with front matter between two lines of ---" };
  const openingLine = countLines(opening);
  FENCE.lastIndex = opening.length;
  const closing = FENCE.exec(lines);
  if (!closing) return { line: openingLine, message: "its front matter is not closed by a line of ---" };
  const yaml = lines.slice(opening.length + 1, Math.max(opening.length + 1, closing.index));
  const yamlLines = closing.index === opening.length ? 0 : countLines(`\n${yaml}`);
  return {
    yaml,
    firstLine: openingLine + 1,
    body: lines.slice(closing.index + closing[0].length).trim(),
    bodyLine: openingLine + yamlLines + 2,
  };
};

/** Of a text that begins with a newline. */
const countLines = (text: string): number => text.split("\n").length - 1;

/** Without byte order mark and with the newlines of Unix. */
export const plainText = (text: string): string => text.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n");
