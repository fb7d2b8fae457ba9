/**
 * Markdown of somebody else's inside a document of ours: quoted, so that its headings are not ours, and without what a viewer would
 * run or fetch by itself (HTML, images). What stands in code stays as it is.
 */

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const CODE_SPAN = /(`+)(?!`)[^\n]*?[^`]\1(?!`)/g;

export const quoteMarkdown = (text: string): string => {
  let fence: string | undefined;
  return text
    .replace(/\n+$/, "")
    .split("\n")
    .map((line) => {
      const mark = FENCE.exec(line)?.[1];
      if (fence !== undefined) {
        if (mark !== undefined && mark.startsWith(fence) && line.trim() === mark) fence = undefined;
        return `> ${line}`;
      }
      if (mark !== undefined) {
        fence = mark;
        return `> ${line}`;
      }
      return `> ${disarm(line)}`.trimEnd();
    })
    .join("\n");
};

/** Between code spans. */
const disarm = (line: string): string => {
  let disarmed = "";
  let at = 0;
  for (const { index, 0: span } of line.matchAll(CODE_SPAN)) {
    disarmed += escape(line.slice(at, index)) + span;
    at = index + span.length;
  }
  return disarmed + escape(line.slice(at));
};

const escape = (text: string): string => text.replaceAll("<", "&lt;").replaceAll("![", "!\\[");

/** A block in which nothing is markup, whatever stands in it. */
export const fenced = (text: string, language = ""): string => {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}${language}\n${text.replace(/\n$/, "")}\n${ticks}`;
};
