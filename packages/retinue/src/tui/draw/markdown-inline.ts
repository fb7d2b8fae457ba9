/** One line of Markdown as spans: bold, emphasis, code, links. What is not closed stands as it was written. */
import type { Row, Span } from "../screen/row.ts";

const INLINE =
  /(?<code>`+)(?<coded>.+?)\k<code>(?!`)|\*\*(?<bold>\S(?:.*?\S)?)\*\*|__(?<strong>\S(?:.*?\S)?)__(?!\w)|(?<![\w*])\*(?<em>\S(?:[^*]*?\S)?)\*(?![\w*])|(?<!\w)_(?<under>\S(?:[^_]*?\S)?)_(?!\w)|!?\[(?<label>[^\]]*)\]\((?<url>[^()\s]+)[^)]*\)/gu;

/** Longer lines are not looked through: nobody wrote them to be read. */
const MOST_CHARS = 20_000;

const toSpans = (groups: Readonly<Record<string, string | undefined>>): readonly Span[] => {
  const { coded, bold, strong, em, under, label = "", url = "" } = groups;
  if (coded !== undefined) return [{ text: coded, style: "code" }];
  if ((bold ?? strong) !== undefined) return [{ text: bold ?? strong ?? "", style: "bold" }];
  if ((em ?? under) !== undefined) return [{ text: em ?? under ?? "", style: "emphasis" }];
  // Where a link leads is always told: its text is the writer's word.
  return label === "" || label === url
    ? [{ text: url, style: "link" }]
    : [
        { text: label, style: "link" },
        { text: ` (${url})`, style: "dim" },
      ];
};

export const inlineMarkdown = (text: string): Row => {
  if (text.length > MOST_CHARS) return [{ text }];
  const spans: Span[] = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    if (found.index > at) spans.push({ text: text.slice(at, found.index) });
    spans.push(...toSpans(found.groups ?? {}));
    at = found.index + found[0].length;
  }
  if (at < text.length) spans.push({ text: text.slice(at) });
  return spans;
};
