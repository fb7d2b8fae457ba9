/** Words what was read of files and folders. */
import { toFailures } from "./answer-search.ts";
import type { Excerpt, Findings } from "./findings.ts";
import { quote, toAnswer } from "./wording.ts";

const MOST_LISTED = 120;

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
