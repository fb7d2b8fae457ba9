/** Splits a Markdown file into its front matter and what follows it, whatever its newlines and byte order mark. */
export type FrontMatter = {
  readonly yaml: string;
  /** The line of the file that the YAML begins at. */
  readonly firstLine: number;
  readonly body: string;
  readonly bodyLine: number;
};

export const splitFrontMatter = (text: string): FrontMatter | { readonly line: number; readonly message: string } => {
  const lines = plainText(text).split("\n");
  const opening = lines.findIndex((line) => line.trim() !== "");
  if (opening === -1 || !isFence(lines[opening]))
    return { line: 1, message: "it does not begin with front matter between two lines of ---" };
  const length = lines.slice(opening + 1).findIndex(isFence);
  if (length === -1) return { line: opening + 1, message: "its front matter is not closed by a line of ---" };
  const closing = opening + 1 + length;
  return {
    yaml: lines.slice(opening + 1, closing).join("\n"),
    firstLine: opening + 2,
    body: lines
      .slice(closing + 1)
      .join("\n")
      .trim(),
    bodyLine: closing + 2,
  };
};

/** Without byte order mark and with the newlines of Unix. */
export const plainText = (text: string): string => text.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n");

const isFence = (line: string | undefined): boolean => line !== undefined && /^---[ \t]*$/.test(line);
