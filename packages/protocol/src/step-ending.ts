/**
 * The two lines that a step ends with, as people and models write them: in any case, in bold, with a sentence after the word. What hedges, names both results or
 * is said twice is taken for neither.
 */
import type { SubTaskResult } from "./plan.ts";

export type StepEnding = Pick<SubTaskResult, "status" | "summary">;

const RESULT = /^[\s>*_#-]*result[\s*_]*[:=][\s*_"'`]*(pass|fail)(?:ed)?(?![\p{L}\p{N}])["'`*_]*(.*)$/iu;
const SUMMARY = /^[\s>*_#-]*summary[\s*_]*[:=][\s*_]*(.*)$/i;
/** A line that speaks of a result in whatever form; a second one makes the first doubtful. */
const ANY_RESULT = /^\W*result\b\W*[:=]/i;
const ANY_SUMMARY = /^\W*summary\b\W*[:=]/i;
const FENCE = /^\s*(?:`{3,}|~{3,})\w*$/;
/** What takes a part of the word before it back, unless it is a sentence of its own. */
const DOUBT =
  /^\W*\?|^(?![.!]).*\b(?:pass(?:ed)?|fail(?:ed|ure)?|mostly|partly|partial(?:ly)?|almost|nearly|but|except(?:ion)?|however|although|though|unless|if|or|not)\b/i;
/** The other word beside the first, as where the form is copied: PASS or FAIL. */
const BOTH = /^(?:or\s+)?(?:pass|fail)\b/i;
/** Marks between the word and a sentence after it, or around either. */
const EDGES = /^[^\p{L}\p{N}"'([{<€$£#@+-]+|[\s*_`]+$/gu;

/** Null where the text does not end so. */
export const readEnding = (text: string): StepEnding | null => {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trimEnd())
    .filter((line) => !FENCE.test(line));
  while (lines.at(-1) === "") lines.pop();
  if (lines.filter((line) => ANY_RESULT.test(line)).length !== 1) return null;
  const at = lines.findIndex((line) => RESULT.test(line));
  const [, word, rest = ""] = RESULT.exec(lines[at] ?? "") ?? [];
  if (word === undefined) return null;
  const status = word.toLowerCase() === "pass" ? "pass" : "fail";
  const inLine = rest.replaceAll(EDGES, "");
  // A sentence on the same line is the summary; else the next line that says something must be.
  const from = inLine === "" ? lines.findIndex((line, index) => index > at && line !== "") : at;
  const first = from === at ? (SUMMARY.exec(inLine)?.[1] ?? inLine) : SUMMARY.exec(lines[from] ?? "")?.[1];
  const said = first?.replaceAll(EDGES, "") ?? "";
  const isDoubtful = BOTH.test(inLine) || (status === "pass" && DOUBT.test(rest.split(/\bsummary\b/i, 1)[0] ?? ""));
  if (said === "" || isDoubtful) return null;
  const after = lines.slice(from + 1);
  // A summary may be wrapped; whatever begins anew after it is no part of it.
  if (after.some((line) => line === "" || ANY_SUMMARY.test(line))) return null;
  return { status, summary: [said, ...after].join(" ").trim() };
};
