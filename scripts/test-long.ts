/** `npm run test:long`: the long tests and the check of the package, which take too long for every change. CI runs them all the same. */
import path from "node:path";
import { abortOnSignal, endIfAborted } from "./abort-on-signal.ts";
import { LONG_CHECKS, runChecks } from "./checks.ts";
import { runVitest } from "./run-vitest.ts";
import { toTestOutcome } from "./test-outcome.ts";

const ROOT = path.dirname(import.meta.dirname);

const signal = abortOnSignal();
const checks = await runChecks({ root: ROOT, checks: LONG_CHECKS, report: (text) => console.log(text), signal });
endIfAborted(signal);
const vitest = await runVitest({ root: ROOT, tests: "long", args: ["--allowOnly=false"], signal });
endIfAborted(signal);
const { problems, shaky, line, exitCode } = toTestOutcome({ checks, vitest, allowedSkips: [], tests: "long" });
for (const problem of problems) console.log(`FAILED  ${problem}`);
for (const name of shaky) console.log(`SHAKY   "${name}" failed first and passed when it was tried again`);
console.log(line);
process.exitCode = exitCode;
