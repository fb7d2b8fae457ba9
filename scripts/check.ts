/** `npm run check`: the static checks without examples and tests. The last line counts them. */
import path from "node:path";
import { abortOnSignal, endIfAborted } from "./abort-on-signal.ts";
import { runChecks, STATIC_CHECKS } from "./checks.ts";
import { toTestOutcome } from "./test-outcome.ts";

const signal = abortOnSignal();
const checks = await runChecks({
  root: path.dirname(import.meta.dirname),
  checks: STATIC_CHECKS,
  report: (text) => console.log(text),
  signal,
});
endIfAborted(signal);
const { line, exitCode } = toTestOutcome({ checks, vitest: undefined, allowedSkips: [] });
console.log(line);
process.exitCode = exitCode;
