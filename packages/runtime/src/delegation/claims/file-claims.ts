/**
 * Which files an agent says were changed. A claim is a verb of change in the past with the agent, or one below it, as its subject, and the
 * files it acts on; or a list of changed files. What is there, what others did, and what ought to be done is no claim.
 */
import { toLines, toSentences } from "./sentences.ts";

const EXTENSIONS =
  "c|cc|cpp|cs|css|csv|go|graphql|h|hpp|html|ini|java|js|json|jsonc|jsx|kt|lock|lua|md|mdx|mjs|mts|cjs|cts|php|proto|ps1|py|rb|rs|scala|scss|sh|sql|svelte|svg|swift|tf|toml|ts|tsx|txt|vue|xml|yaml|yml|zig";
const NAMES = "Dockerfile|Makefile|Justfile|Gemfile|Rakefile|Procfile|Jenkinsfile";
/** In backticks or bare: a path with a slash and an ending, a name with a known ending, or a known name. */
const FILE = new RegExp(
  String.raw`(?<![\w/.@-])\`?(?<file>(?:\.{0,2}/)?(?:[\w@.+-]+/)+[\w.+-]+\.[A-Za-z0-9]{1,8}|[\w.+-]*[\w+-]\.(?:${EXTENSIONS})|(?:[\w.-]+/)*(?:${NAMES}))(?::\d+(?:-\d+)?)?(?![\w/])\`?`,
  "g",
);

const NO_FILES: ReadonlySet<string> = new Set();

const VERBS =
  "created|added|wrote|written|modified|updated|edited|changed|fixed|implemented|refactored|rewrote|rewritten|renamed|moved|extracted|introduced|patched|extended|replaced|inserted|generated|registered|adjusted|corrected|mended|touched";
const VERB = new RegExp(String.raw`\b(?:${VERBS})\b`, "gi");

/** What may stand between a subject, or the beginning, and the verb. */
const FILLER =
  /^(?:also|then|just|now|successfully|finally|additionally|further|furthermore|next|first|second|lastly|again|therefore|thus|already|have|has|had|ve|and|both|all|accordingly|file|new)$/;
const AGENTS = /^(?:i|we|executor|coder|tester|debugger|sub-agent|subagent|agent|child|it)$/;
/** What makes a verb speak of what is there, is wished for, or did not happen. */
const UNREAL =
  /^(?:not|never|nobody|would|should|could|must|may|might|will|can|cannot|be|being|to|is|are|gets?|getting|if|unless|without|whether|nothing|no|none|need|needs|of|n't|don't|didn't|hasn't|haven't|wasn't|weren't)$/;
/** Says that somebody else did it, or at another time. */
const HISTORY =
  /\b(?:commit|release|version|previous(?:ly)?|earlier|last (?:week|month|year|release|commit|run)|ago|in (?:19|20)\d\d|since (?:19|20)\d\d|upstream|pull request|v\d+(?:\.\d+)*|(?<=\s)by (?!hand\b)(?:the |a |an )?(?!me\b|us\b)[a-z]+|according to the log)\b/i;
const PASSIVE = /\b(?:has|have|had|was|were)\s+(?:also\s+|now\s+|both\s+|all\s+|just\s+)?(?:been\s+)?$/i;
/** Words before a file that make it something else than what was changed; `in` and `to` right before the file make it that again. */
const ASIDE = /\b(?:from|for|of|with|using|by|like|on|see|against|than|via|through|about|matching|per|following|style)\b[^`]*$/i;
const OTHER_CLAUSE = /\b(?:that|which|because|since|without|not|but|stays|is|are|was|were|would|called|imports|reads)\b[^`]*$/i;
const PLACE = /\b(?:in|to|into|inside|within)\s+(?:the\s+)?(?:file\s+)?`?$/i;

const words = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .replaceAll(/['’]/g, " ")
    .split(/[^a-z0-9n-]+/)
    .filter((word) => word !== "");

type Subject = "agent" | "other";

/** Whose verb it is, from what stands before it; null where it speaks of nothing that happened. */
const subjectOf = (before: string, earlier: Subject | null): Subject | null => {
  const own = before.split(/[,;:—–(]/).at(-1) ?? "";
  const said = words(own).filter((word) => !/^\d+$/.test(word));
  if (said.slice(-4).some((word) => UNREAL.test(word))) return null;
  // "The generated file": it says of what kind the file is.
  if (/^(?:the|a|an|this|that|these|those|every|each)$/.test(said.at(-1) ?? "")) return null;
  const rest = said.filter((word) => !FILLER.test(word) && word !== "the" && word !== "a");
  if (rest.length === 0) return earlier ?? "agent";
  const last = rest.at(-1) ?? "";
  return AGENTS.test(last) ? "agent" : "other";
};

const filesIn = (text: string): readonly { readonly file: string; readonly before: string; readonly index: number }[] => {
  let from = 0;
  return [...text.matchAll(FILE)].map((match) => {
    const before = text.slice(from, match.index);
    from = match.index + match[0].length;
    return { file: match.groups?.["file"] ?? "", before, index: match.index };
  });
};

const LIST_HEADING = new RegExp(
  String.raw`^\W*files?\s+(?:that\s+(?:i|we)\s+)?(?:${VERBS})(?:\s*(?:\/|,|and|or)\s*(?:${VERBS}))*\s*[:*_]*\s*`,
  "i",
);
const BULLET = /^\s*(?:[-*•+]|\d{1,3}[.)])\s+/;

/** The files of lists such as "Files modified:", on the same line or as bullets below. */
const listedFiles = (text: string): readonly string[] => {
  const files: string[] = [];
  let isListing = false;
  for (const line of toLines(text)) {
    const heading = LIST_HEADING.exec(line);
    if (heading) {
      isListing = true;
      files.push(...filesIn(line.slice(heading[0].length)).map(({ file }) => file));
    } else if (isListing && BULLET.test(line))
      files.push(
        ...filesIn(line)
          .slice(0, 1)
          .map(({ file }) => file),
      );
    else if (line.trim() !== "") isListing = false;
  }
  return files;
};

const ANNOTATED = new RegExp(String.raw`^\s*\((?:new|${VERBS})\b|^\s*:\s*(?:${VERBS})\b`, "i");

const claimsOf = (sentence: string): readonly string[] => {
  const all = filesIn(sentence);
  const [first] = all;
  if (!first || HISTORY.test(sentence.replaceAll(/`[^`]*`/g, ""))) return [];
  const claims: string[] = [];
  // `src/a.ts` (created), and `src/a.ts`: added a check
  const start = sentence.replace(BULLET, "");
  if (/^\s*`?$/.test(start.slice(0, start.indexOf(first.file))) && ANNOTATED.test(afterFile(sentence, first)))
    claims.push(first.file);
  // New file `src/a.ts` created.
  const last = new RegExp(String.raw`\`\s+(?:${VERBS})\W*$`, "i").exec(sentence);
  if (last) claims.push(...filesIn(sentence.slice(0, last.index + 1)).map(({ file }) => file));
  let subject: Subject | null = null;
  const verbs = [...sentence.replaceAll(/`[^`]*`/g, (code) => "`".padEnd(code.length, "·")).matchAll(VERB)];
  for (const [index, verb] of verbs.entries()) {
    const from = index === 0 ? 0 : (verbs[index - 1]?.index ?? 0) + (verbs[index - 1]?.[0].length ?? 0);
    const before = sentence.slice(from, verb.index).replaceAll(/`[^`]*`/g, "");
    if (
      PASSIVE.test(before) &&
      !UNREAL.test(words(before).at(-1) ?? "") &&
      !/\b(?:whether|if|not|no|nothing|that|which)\b/i.test(before)
    ) {
      claims.push(...filesIn(sentence.slice(from, verb.index)).map(({ file }) => file));
      claims.push(...objectsOf(sentence.slice(verb.index + verb[0].length, verbs[index + 1]?.index), verb[0]));
      continue;
    }
    const whose = subjectOf(before, subject);
    if (whose === null) continue;
    subject = whose;
    if (whose === "agent")
      claims.push(...objectsOf(sentence.slice(verb.index + verb[0].length, verbs[index + 1]?.index), verb[0]));
  }
  return claims;
};

const afterFile = (sentence: string, { file, index }: { readonly file: string; readonly index: number }): string =>
  sentence.slice(sentence.indexOf(file, index) + file.length).replace(/^(?::\d+(?:-\d+)?)?`?/, "");

/** The files that a verb acts on; of a move the place it goes to. */
const objectsOf = (after: string, verb: string): readonly string[] => {
  const objects: string[] = [];
  let isAside = false;
  for (const { file, before } of filesIn(after)) {
    const isPlace = PLACE.test(before);
    if (OTHER_CLAUSE.test(before) || (ASIDE.test(before) && !isPlace)) isAside = true;
    else if (isPlace) isAside = false;
    if (isAside || (/^(?:moved|renamed)$/i.test(verb) && !/\bto\b/i.test(before))) continue;
    objects.push(file);
  }
  return objects;
};

/** Every name that `FILE` finds has one of these in it; most answers have none, and are not taken apart. */
const MAY_NAME_FILES = new RegExp(String.raw`\.\w|${NAMES}`);

export const findFileClaims = (text: string): ReadonlySet<string> => {
  if (!MAY_NAME_FILES.test(text)) return NO_FILES;
  const claims = new Set<string>(listedFiles(text));
  for (const sentence of toSentences(text)) {
    if (LIST_HEADING.test(sentence)) continue;
    for (const file of claimsOf(sentence)) claims.add(file);
  }
  return new Set([...claims].map((file) => file.replace(/^\.\//, "")));
};
