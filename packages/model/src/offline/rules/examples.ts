/** Three things to ask that work in the folder at hand, made from what is in it. */
import type { PlannedCall } from "../calls.ts";
import type { Exchange } from "../conversation.ts";
import { toListing } from "../project/listing.ts";
import { chooseManifests } from "../project/read-manifest.ts";
import { definedName, isOwnSource } from "../ranking.ts";
import { listWorkspace, toLines } from "./look-at-project.ts";
import type { Situation, Turn } from "./rule.ts";
import { call, callOr, exchangesOf, offered } from "./rule.ts";

const DEFINITIONS = String.raw`^(export |pub |public |async |default )*(function|class|interface|def|fn|func|struct|const) [A-Za-z]\w{4,}`;

const look = (at: Situation): readonly PlannedCall[] => [
  ...listWorkspace(at),
  ...offered(at, call("grep", { pattern: DEFINITIONS, maxResults: 400, glob: "!{*.md,*.rst,*.txt,*.json,*.lock,*.min.js}" })),
];

/** Looks at the folder first, where it can, and then answers with examples. */
export const withExamples = (at: Situation, toTurn: (examples: string) => Turn): Turn =>
  at.turns.length === 0
    ? callOr("Looking at what is in the folder.", look(at), () =>
        toTurn(show(["what is this repository?", "last commits", "find TODO comments"])),
      )
    : toTurn(show(toExamples(exchangesOf(at))));

const show = (examples: readonly string[]): string =>
  `Without a model, try in this folder:\n${examples.map((example) => `- "${example}"`).join("\n")}`;

export const toExamples = (exchanges: readonly Exchange[]): readonly string[] => {
  const listing = toListing(exchanges);
  if (listing.files.length === 0 && listing.folders.size === 0)
    return ['create notes.md with "# Notes"', "what is in this folder?", "help"];
  const defined = toLines(exchanges).flatMap(({ path, text }) => {
    const name = definedName(text);
    return name !== undefined && name.length > 4 && isOwnSource(path) ? [{ path, name }] : [];
  });
  // The file that defines most is the one worth an outline.
  const counts = Map.groupBy(defined, ({ path }) => path);
  const [busiest] = [...counts].toSorted((a, b) => b[1].length - a[1].length);
  const [some] = listing.files.filter((file) => /\.\w+$/.test(file));
  const isTested = chooseManifests(listing).length > 0;
  return [
    isTested ? "how do I run the tests?" : "what is this repository?",
    ...(busiest
      ? [`where is ${busiest[1][0]?.name ?? ""} defined, and who uses it?`, `give me an outline of ${busiest[0]}`]
      : []),
    ...(some === undefined ? [] : [`show me ${some}`]),
    "what is in this folder?",
    "which languages is it written in?",
  ].slice(0, 3);
};
