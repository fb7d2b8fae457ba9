/** "Show me the readme": a document that people name without its ending, read from its top. */
import { findNearest } from "../project/listing.ts";
import { quote } from "../wording.ts";
import { isOnlyAbout } from "./asked.ts";
import { lookAtProject, readOf } from "./look-at-project.ts";
import type { Rule } from "./rule.ts";
import { answer, call } from "./rule.ts";

const DOCUMENTS: readonly (readonly [RegExp, RegExp])[] = [
  [/\bread ?me\b/, /^readme(?:\.|$)/i],
  [/\bchange ?log\b/, /^(?:changelog|changes|history)(?:\.|$)/i],
];
const SHOWN_LINES = 60;

export const showDocument: Rule = ({ plain, path }) => {
  if (!/^(?:show|read|open|print|display|view|cat|what (?:does|is in|says))\b/.test(plain)) return undefined;
  if (path !== undefined && /\.\w+$/.test(path)) return undefined;
  const named = DOCUMENTS.find(([words]) =>
    isOnlyAbout(plain, words, /\b(?:read|open|print|display|view|cat|contents?|says?)\b/),
  );
  if (!named) return undefined;
  const [, file] = named;
  return {
    agent: "code-search",
    work: (at) =>
      lookAtProject(at, {
        readsManifests: false,
        alsoThen: (listing) =>
          findNearest(listing, file)
            .slice(0, 1)
            .map((found) => call("read", { path: found, limit: SHOWN_LINES })),
        report: ({ listing, exchanges }) => {
          const [found] = findNearest(listing, file);
          if (found === undefined) return answer("No such document was found in this folder or one level below it.");
          const lines = readOf(exchanges, found);
          const next = (lines.at(-1)?.number ?? 0) + 1;
          return answer(
            quote(found, lines),
            lines.length < SHOWN_LINES ? "" : `The file goes on: "read lines ${next}-${next + 99} of ${found}".`,
          );
        },
      }),
  };
};
