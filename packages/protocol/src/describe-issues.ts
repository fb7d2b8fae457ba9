/** What a schema found wrong with a value, in words without marks: `steps[0].type: expected string, received undefined`. */
import type { z } from "zod";

/** One problem a line. */
export const describeIssues = ({ issues }: Pick<z.ZodError, "issues">): string => issues.map(toLine).join("\n");

/** What is wrong, in the words of people. */
export const wordIssue = (issue: z.core.$ZodIssue): string => {
  if (issue.code === "too_small")
    return `must ${measureOf(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum)}`;
  if (issue.code === "too_big")
    return `must ${measureOf(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum)}`;
  if (issue.code === "unrecognized_keys")
    return `unknown key${issue.keys.length === 1 ? "" : "s"} ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}`;
  if (issue.code === "invalid_value")
    return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(String).join(", ")}`;
  return issue.message.replace(/^Invalid input: /, "");
};

const COUNTED: Readonly<Record<string, string>> = {
  string: "character",
  array: "item",
  set: "item",
  map: "entry",
  object: "key",
  file: "byte",
};

const measureOf = (origin: string, how: string, bound: number | bigint): string => {
  const unit = COUNTED[origin];
  if (unit === undefined) return `be ${how} ${bound}`;
  return `have ${how} ${bound} ${Number(bound) === 1 ? unit : unit === "entry" ? "entries" : `${unit}s`}`;
};

const toLine = (issue: z.core.$ZodIssue): string => {
  const { path } = issue;
  const at = path.reduce<string>((whole, part) => {
    if (typeof part === "number") return `${whole}[${part}]`;
    return whole === "" ? String(part) : `${whole}.${String(part)}`;
  }, "");
  const what = wordIssue(issue);
  return at === "" ? what : `${at}: ${what}`;
};
