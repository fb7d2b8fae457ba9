/** The first paragraph of a README that says something: no heading, badge, image, list or markup. */
const MAX_CHARS = 500;

export const firstParagraph = (readme: string): string | undefined => {
  const paragraphs = readme
    .replaceAll(/<!--[\s\S]*?-->/g, "")
    .split(/\r?\n\s*\r?\n/)
    .map((paragraph) => paragraph.trim());
  for (const paragraph of paragraphs) {
    const text = paragraph
      .split(/\r?\n/)
      .filter((line) => !/^\s*(#|=+\s*$|-+\s*$|\[?!\[|<|>|[-*+] |\||\.\. |```)/.test(line))
      .join(" ")
      .replaceAll(/\s+/g, " ")
      .trim();
    if (/\p{L}{2,}.*\s/u.test(text)) return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS).toWellFormed()}…` : text;
  }
  return undefined;
};
