/**
 * `npm run sweep`: the long sweeps in their short form, or with `--full` in their full one; `--only kill` makes one of them, `--seed 7` other random
 * choices. Ends with 0 where nothing was found, with 1 where something was. Ctrl-C ends it with what was found until then.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { abortOnSignal, endIfAborted } from "./abort-on-signal.ts";
import { toHermeticEnvironment } from "./hermetic-environment.ts";
import { FORMS } from "./sweeps/forms/index.ts";
import { parseSweepArguments } from "./sweeps/parse-arguments.ts";
import { runForms } from "./sweeps/run-forms.ts";

const parsed = parseSweepArguments(process.argv.slice(2), FORMS);
if ("problem" in parsed) {
  process.stderr.write(`${parsed.problem}\n`);
  process.exit(2);
}
const signal = abortOnSignal();
const home = mkdtempSync(path.join(tmpdir(), "retinue-home-"));
const environment = toHermeticEnvironment(process.env, home);
for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
Object.assign(process.env, environment);
let found = 0;
try {
  const { findings } = await runForms({
    ...parsed,
    signal,
    say: (line) => void process.stdout.write(`${line}\n`),
    progress: (line) => void process.stderr.write(`  ${line}\n`),
  });
  found = findings;
} finally {
  rmSync(home, { recursive: true, force: true });
}
endIfAborted(signal);
// A package that starts PostgreSQL ends with 0 whatever exit code is only set.
process.exit(found === 0 ? 0 : 1);
