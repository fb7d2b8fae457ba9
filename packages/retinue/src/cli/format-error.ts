/** An error as a user reads it: what happened and its code, why, and what to do. Never a stack, unless RETINUE_DEBUG asks. */
import type { ErrorValue } from "@retinue/protocol";
import { ERRORS, RetinueError, toErrorValue } from "@retinue/protocol";
import { toPrintable } from "../terminal/printable.ts";

export type Redact = (text: string) => string;

const causeOf = (thrown: unknown, message: string): readonly string[] => {
  const cause = thrown instanceof RetinueError && thrown.cause instanceof Error ? thrown.cause.message : "";
  return cause === "" || message.includes(cause) ? [] : [`why: ${cause}`];
};

/** Each line of ours stays one line, whatever stands in it. */
const toLines = (text: string): readonly string[] =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => toPrintable(line, "line"));

export const formatErrorValue = (error: ErrorValue, redact: Redact, more: readonly string[] = []): string => {
  const [what = "Something failed.", ...rest] = toLines(redact(error.message));
  const lines = [
    ...rest,
    ...more.flatMap((line) => toLines(redact(line))),
    ...toLines(`hint: ${redact(error.hint ?? ERRORS[error.code].hint)}`),
  ];
  return `retinue: ${what} [${error.code}]\n${lines.map((line) => `  ${line}\n`).join("")}`;
};

export const formatError = (thrown: unknown, redact: Redact, env: NodeJS.ProcessEnv): string => {
  const error = toErrorValue(thrown);
  const stack = env["RETINUE_DEBUG"] && thrown instanceof Error ? (thrown.stack ?? "").split("\n") : [];
  return formatErrorValue(error, redact, [...causeOf(thrown, error.message), ...stack]);
};
