/** The two lines that a step ends with. Read strictly: what a model wrote in any other form is not taken for a pass, nor for anything else. */
import type { SubTaskResult } from "./plan.ts";

export type StepEnding = Pick<SubTaskResult, "status" | "summary">;

const RESULT = /^RESULT: (PASS|FAIL)$/;
const SUMMARY = /^SUMMARY: (\S.*)$/;
/** A line that speaks of a result in whatever form; a second one makes the first doubtful. */
const ANY_RESULT = /^\W*result\b\W*[:=]/i;
const ANY_SUMMARY = /^\W*summary\b\W*[:=]/i;

/** Null where the text does not end so. */
export const readEnding = (text: string): StepEnding | null => {
  const lines = text.split(/\r?\n/).map((line) => line.trimEnd());
  while (lines.at(-1) === "") lines.pop();
  const at = lines.findIndex((line) => RESULT.test(line));
  const [, word] = RESULT.exec(lines[at] ?? "") ?? [];
  const [, said] = SUMMARY.exec(lines[at + 1] ?? "") ?? [];
  if (word === undefined || said === undefined) return null;
  if (lines.filter((line) => ANY_RESULT.test(line)).length !== 1) return null;
  const after = lines.slice(at + 2);
  // A summary may be wrapped; whatever begins anew after it is no part of it.
  if (after.some((line) => line === "" || ANY_SUMMARY.test(line))) return null;
  return { status: word === "PASS" ? "pass" : "fail", summary: [said, ...after].join(" ").trim() };
};
