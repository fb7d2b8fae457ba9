/** What a run did to files and with tests, as measured: for people, below its words. */
import type { RunResult } from "@retinue/protocol";
import { toPrintable } from "../terminal/printable.ts";
import type { Redact } from "./format-error.ts";

const MOST = 20;

/** Empty where there is nothing to tell. */
export const formatMeasured = (
  {
    filesModified,
    filesCreated,
    testsRun,
    testsPassed,
  }: Pick<RunResult, "filesModified" | "filesCreated" | "testsRun" | "testsPassed">,
  redact: Redact,
): string => {
  const named = (files: readonly string[]): string => {
    const shown = files.slice(0, MOST).map((file) => toPrintable(redact(file), "line"));
    return [...shown, ...(files.length > MOST ? [`and ${files.length - MOST} more`] : [])].join(", ");
  };
  return [
    ...(filesModified.length === 0 ? [] : [`modified ${named(filesModified)}`]),
    ...(filesCreated.length === 0 ? [] : [`created ${named(filesCreated)}`]),
    ...(testsRun === 0 ? [] : [`${testsPassed} of ${testsRun} tests passed`]),
  ]
    .map((line) => `retinue: ${line}\n`)
    .join("");
};
