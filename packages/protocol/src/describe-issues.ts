/** What a schema found wrong with a value, in words without marks: `steps[0].type: expected string, received undefined`. */
import type { z } from "zod";

/** One problem a line. */
export const describeIssues = ({ issues }: Pick<z.ZodError, "issues">): string => issues.map(toLine).join("\n");

const toLine = ({ path, message }: z.core.$ZodIssue): string => {
  const at = path.reduce<string>((whole, part) => {
    if (typeof part === "number") return `${whole}[${part}]`;
    return whole === "" ? String(part) : `${whole}.${String(part)}`;
  }, "");
  const what = message.replace(/^Invalid input: /, "");
  return at === "" ? what : `${at}: ${what}`;
};
