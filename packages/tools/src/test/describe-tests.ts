/** A test run as a model reads it: a first line in brackets with the counts, then what failed and why, or what was printed if that is all there is. */
import path from "node:path";
import { count, MAX_OUTPUT_CHARS } from "@retinue/confine";
import { toShownPath } from "@retinue/confine";
import type { TestFailure, TestReport } from "./test-runner.ts";

export type TestRun = {
  readonly workspace: string;
  readonly projectFolder: string;
  readonly runner: string;
  /** How it ended, in words. */
  readonly end: string;
  /** It ended by itself and says that all is well. */
  readonly isClean: boolean;
  readonly durationMs: number;
  /** Undefined where it cannot be told. */
  readonly report: TestReport | undefined;
  readonly output: string;
};

const MAX_FAILURES = 50;
const MAX_MESSAGE_LINES = 15;
const MAX_MESSAGE_CHARS = 1200;
const OUTPUT_CHARS = 6000;

export const describeTests = (run: TestRun): string => {
  const { report } = run;
  const end = `${run.end}; ${(run.durationMs / 1000).toFixed(1)} s`;
  if (!report)
    return `[${run.runner}: how many tests ran and passed cannot be told, as it left no report that we can read; ${end}]\n${toEnds(run.output)}`;
  const { passed, failed, skipped, failures } = report;
  const parts = [`[${run.runner}: ${passed + failed} run, ${passed} passed, ${failed} failed, ${skipped} skipped; ${end}]`];
  if (failures.length > failed)
    parts.push(`${count(failures.length - failed, "failure")} outside of any test, such as a file that could not be loaded.`);
  let chars = 0;
  const shown = failures
    .slice(0, MAX_FAILURES)
    .map((failure) => toText(run, failure))
    .filter((text) => (chars += text.length) < MAX_OUTPUT_CHARS - 2000);
  parts.push(...shown);
  if (shown.length < failures.length) parts.push(`[${failures.length - shown.length} more failed]`);
  const isOdd = failures.length === 0 && (!run.isClean || passed + failed + skipped === 0);
  if (isOdd)
    parts.push(`${passed + failed === 0 ? "No test was run" : "No test failed"}; this was printed:\n${toEnds(run.output)}`);
  return parts.join("\n");
};

const toText = ({ workspace, projectFolder }: TestRun, { name, file, line, message }: TestFailure): string => {
  const absolute = file === undefined ? undefined : path.resolve(projectFolder, file);
  const place = absolute === undefined ? "" : `${toShownPath(workspace, absolute)}${line === undefined ? "" : `:${line}`} `;
  const lines = message.replaceAll(workspace + path.sep, "").split("\n");
  const kept = lines
    .filter((text) => !/^\s*(?:at|❯) .*(?:[\\/]node_modules[\\/]|\bnode:)/.test(text))
    .slice(0, MAX_MESSAGE_LINES);
  const said = kept.join("\n  ").trim().slice(0, MAX_MESSAGE_CHARS).toWellFormed();
  return `FAILED ${place}${name}${said === "" ? "" : `\n  ${said}`}`;
};

/** A runner may print much before it says what went wrong. */
const toEnds = (output: string): string => {
  const text = output.trim();
  if (text === "") return "(no output)";
  if (text.length <= OUTPUT_CHARS * 2) return text;
  return `${text.slice(0, OUTPUT_CHARS).toWellFormed()}\n[… ${text.length - 2 * OUTPUT_CHARS} characters left out …]\n${text.slice(-OUTPUT_CHARS).toWellFormed()}`;
};
