/** Words what was read of files and folders. */
import { toFailures } from "./answer-search.ts";
import { parseObject } from "./conversation.ts";
import type { Excerpt, Findings } from "./findings.ts";
import { CONFIGURE, quote, toAnswer } from "./wording.ts";

const MOST_README_LINES = 25;
const MOST_LISTED = 120;
const MOST_LISTED_IN_OVERVIEW = 50;

export const answerRead = (path: string, findings: Findings): string => {
  const { excerpts, paths } = findings;
  if (excerpts.length > 0) return toAnswer(...excerpts.map(toQuote));
  const candidates = paths.length > 0 ? `Files of a similar name:\n${paths.map((each) => `- ${each}`).join("\n")}` : "";
  return toAnswer(`${path} could not be shown.`, toFailures(findings), candidates);
};

const toQuote = ({ path, lines, goesOn }: Excerpt): string => {
  const next = (lines.at(-1)?.number ?? 0) + 1;
  return `${quote(path, lines)}${goesOn ? `\n\nThe file goes on: "read lines ${next}-${next + 99} of ${path}".` : ""}`;
};

export const answerList = (path: string, findings: Findings): string => {
  const [listing] = findings.listings;
  if (listing !== undefined) return toAnswer(fenced(listing.split("\n"), MOST_LISTED));
  const { paths } = findings;
  if (paths.length === 0) return toAnswer(`Nothing was found of ${path}.`, toFailures(findings));
  const left = paths.length > MOST_LISTED ? `And ${paths.length - MOST_LISTED} more.` : "";
  return toAnswer(
    paths
      .slice(0, MOST_LISTED)
      .map((each) => `- ${each}`)
      .join("\n"),
    left,
  );
};

const fenced = (lines: readonly string[], most: number): string => {
  const fence = lines.some((line) => line.includes("```")) ? "````" : "```";
  return [fence, ...lines.slice(0, most), ...(lines.length > most ? ["…"] : []), fence].join("\n");
};

/** What the project says of itself, and what is in it. */
export const answerOverview = (findings: Findings): string => {
  const { excerpts, listings } = findings;
  const readme = excerpts.find(({ path }) => /readme/i.test(path));
  const about = excerpts.flatMap(describeManifest);
  if (!readme && about.length === 0 && listings.length === 0)
    return toAnswer("Nothing was found that describes this project.", toFailures(findings));
  const opening = readme ? readme.lines.slice(0, openingLength(readme)) : [];
  return toAnswer(
    "What the project says of itself, quoted:",
    about.join("\n"),
    readme ? quote(readme.path, opening) : "",
    listings[0] === undefined ? "" : `What is in it:\n${fenced(listings[0].split("\n"), MOST_LISTED_IN_OVERVIEW)}`,
    `To sum it up in other words takes a real model. ${CONFIGURE}`,
  );
};

/** The title and what follows it, up to the second heading. */
const openingLength = ({ lines }: Excerpt): number => {
  const headings = lines.flatMap(({ text }, index) => (/^#{1,3}\s/.test(text) ? [index] : []));
  const end = headings.find((index) => index > 3) ?? lines.length;
  return Math.min(end, MOST_README_LINES);
};

/** Name and description out of a manifest of any language; each is one line of it. */
const describeManifest = ({ path, lines }: Excerpt): readonly string[] => {
  const manifest = parseObject(lines.map(({ text }) => text).join("\n"));
  return ["name", "description"].flatMap((key) => {
    const row = lines.find(({ text }) => new RegExp(String.raw`^\s*"?${key}"?\s*[:=]\s*["']`).test(text));
    if (!row) return [];
    const value = manifest[key] ?? /[:=]\s*["'](.*?)["'],?\s*$/.exec(row.text)?.[1];
    return typeof value === "string" && value !== "" ? [`- ${path}:${row.number}: ${key} "${value}"`] : [];
  });
};
