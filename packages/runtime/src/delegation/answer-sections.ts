/**
 * Takes an agent's answer apart by the sections that its prompt asks for. Every line of the answer ends up in exactly one part, so that
 * whoever reads all parts has read the whole answer, and nothing twice.
 */

export type AnswerSections = {
  /** What stands under "Summary"; absent where there is no such section. */
  readonly summary?: string;
  readonly warnings: readonly string[];
  readonly suggestions: readonly string[];
  readonly findings: readonly string[];
  /** The answer without the sections above. */
  readonly rest: string;
};

type SectionName = "summary" | "warnings" | "suggestions" | "findings" | "advice" | "other";

const TITLES: readonly (readonly [SectionName, RegExp])[] = [
  ["summary", /^(?:executive )?summary$|^tl;?dr$/],
  ["advice", /^(?:any )?(?:warnings?|caveats?) (?:and|or|&) (?:suggestions?|recommendations?)(?: for the parent)?$/],
  ["warnings", /^(?:any )?(?:warnings?|caveats?)(?: for the parent)?$/],
  ["suggestions", /^(?:any )?(?:suggestions?|recommendations?)(?: for the parent)?$/],
  ["findings", /^(?:key |main )?findings?$/],
];

/** `## Title`, `**Title:**`, `4. Title:` and `Title: text`. A line of words alone is a title only with a mark of one. */
const HEADING =
  /^(#{1,6}[ \t]+)?(?:\d{1,2}[.)][ \t]+)?(\*\*|__)?([A-Za-z][A-Za-z;& ]{1,50}?)(:)?(\*\*|__)?(:)?(?:[ \t]+(\S.*))?$/;

const LONGEST_HEADING = 2_000;

type Heading = { readonly name: SectionName; readonly inline: string };

const readHeading = (line: string): Heading | null => {
  // A line that is longer than any heading with a sentence behind it is prose.
  const match = line.length > LONGEST_HEADING ? null : HEADING.exec(line.trim());
  if (!match) return null;
  const [, hash, bold, title = "", colonIn, boldEnd, colonOut, inline = ""] = match;
  const hasColon = colonIn !== undefined || colonOut !== undefined;
  if (hash === undefined && !hasColon && !(bold !== undefined && boldEnd !== undefined)) return null;
  if (inline !== "" && !hasColon) return null;
  const words = title.toLowerCase().trim();
  const known = TITLES.find(([, pattern]) => pattern.test(words))?.[0];
  if (known) return { name: known, inline };
  // Any other heading ends a section; a sentence with a colon in it does not.
  return hash !== undefined || (bold !== undefined && inline === "") || /^(?:details|files|tests)\b/.test(words)
    ? { name: "other", inline: "" }
    : null;
};

type Part = { readonly name: SectionName; readonly lines: string[] };

const isFence = (line: string): boolean => line.trimStart().startsWith("```");

const toParts = (text: string): readonly Part[] => {
  let current: Part = { name: "other", lines: [] };
  const parts = [current];
  let isFenced = false;
  for (const line of text.split("\n")) {
    const heading = isFenced ? null : readHeading(line);
    if (isFence(line)) isFenced = !isFenced;
    if (!heading) {
      current.lines.push(line);
      continue;
    }
    // Headings of what stays in the answer stay with it.
    const lines = heading.name === "other" ? [line] : heading.inline === "" ? [] : [heading.inline];
    current = { name: heading.name, lines };
    parts.push(current);
  }
  return parts;
};

const BULLET = /^(?:[-*•+]|\d{1,3}[.)])[ \t]+/;
const NOTHING =
  /^(?:-|–|—|none|no|nothing|n\/a|not applicable|no (?:known )?(?:warnings?|suggestions?|findings?|issues|problems)(?: found)?|none\b.{0,40})[.!]?$/i;

/** One item a bullet, with the lines below it; without bullets one a paragraph. */
const toItems = (lines: readonly string[]): readonly string[] => {
  const items: string[] = [];
  let isOpen = false;
  for (const line of lines) {
    const bullet = BULLET.test(line);
    if (line.trim() === "") isOpen = isOpen && /^\s/.test(items.at(-1) ?? "");
    else if (bullet || !isOpen) {
      items.push(line.trim().replace(BULLET, ""));
      isOpen = true;
    } else items.push(`${items.pop() ?? ""}\n${line.trim()}`);
  }
  return items.map((item) => item.trim()).filter((item) => item !== "" && !NOTHING.test(item));
};

const ADVISES = /^(?:consider|suggest|recommend|add|you (?:could|may|might)|it would|maybe|perhaps|next|try|use)\b/i;

/** Every heading has one of these; most short answers have none. */
const MAY_HAVE_HEADINGS = /[#:*_]/;

export const readSections = (text: string): AnswerSections => {
  if (!MAY_HAVE_HEADINGS.test(text)) return { warnings: [], suggestions: [], findings: [], rest: text.trim() };
  const warnings: string[] = [];
  const suggestions: string[] = [];
  const findings: string[] = [];
  const summaries: string[] = [];
  const rest: string[] = [];
  for (const { name, lines } of toParts(text)) {
    switch (name) {
      case "summary":
        summaries.push(lines.join("\n").trim());
        break;
      case "warnings":
        warnings.push(...toItems(lines));
        break;
      case "suggestions":
        suggestions.push(...toItems(lines));
        break;
      case "findings":
        findings.push(...toItems(lines));
        break;
      case "advice":
        for (const item of toItems(lines)) (ADVISES.test(item) ? suggestions : warnings).push(item);
        break;
      case "other":
        rest.push(...lines);
        break;
      default:
        name satisfies never;
    }
  }
  const summary = summaries.filter((one) => one !== "").join("\n\n");
  return { ...(summary === "" ? {} : { summary }), warnings, suggestions, findings, rest: rest.join("\n").trim() };
};
