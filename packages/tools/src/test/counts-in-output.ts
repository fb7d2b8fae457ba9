/**
 * How many tests a command line ran, read from the summary that its runner prints. Only of command lines that run tests: a summary that was
 * merely printed counts for nothing.
 */
import type { TestCounts } from "@retinue/protocol";

/** At the beginning of one of the commands of a line, after variables that are set for it. */
const RUNS_TESTS =
  /^(?:\w+=\S*\s+)*(?:(?:npx|pnpm exec|yarn|bunx|uv run|poetry run|python3? -m|bundle exec|time|timeout \S+)\s+)*(?:(?:npm|pnpm|yarn|bun)(?:\s+-\S+)*\s+(?:run(?:-script)?\s+)?t(?:est)?(?:[:\w-]*)?|vitest|jest|mocha|ava|node\s+(?:\S+\s+)*--test|py\.?test|tox|go\s+test|cargo\s+(?:test|nextest)|dotnet\s+test|mvn(?:w)?\b.*\btest|(?:\.\/)?gradlew?\b.*\btest|rspec|phpunit|deno\s+test|make\s+(?:\S+\s+)*(?:test|check)|ctest|mix\s+test|swift\s+test)(?=\s|$)/;

const number = (text: string | undefined): number => Number(text ?? 0);

type Reader = (output: string) => TestCounts | undefined;

/** The sum over all summaries of one form, since one command may run several suites. */
const sumOf =
  (pattern: RegExp, toCounts: (groups: Record<string, string | undefined>) => TestCounts): Reader =>
  (output) => {
    const all = [...output.matchAll(pattern)].map((match) => toCounts(match.groups ?? {}));
    if (all.length === 0) return undefined;
    return { run: all.reduce((sum, { run }) => sum + run, 0), passed: all.reduce((sum, { passed }) => sum + passed, 0) };
  };

const passedAndFailed = ({ passed, failed }: Record<string, string | undefined>): TestCounts => ({
  run: number(passed) + number(failed),
  passed: number(passed),
});

const READERS: readonly Reader[] = [
  // vitest: Tests  1 failed | 11 passed (12)
  sumOf(/^\s*Tests\s{1,10}(?:(?<failed>\d+) failed \| )?(?<passed>\d+) passed\b/gm, passedAndFailed),
  // jest: Tests:       1 failed, 2 skipped, 11 passed, 14 total
  sumOf(
    /^Tests:\s{1,20}(?:(?<failed>\d+) failed, )?(?:\d+ (?:skipped|todo), )*(?<passed>\d+) passed, \d+ total/gm,
    passedAndFailed,
  ),
  // pytest: === 1 failed, 5 passed in 0.12s ===
  sumOf(/^=*\s?(?:(?<failed>\d+) failed, )?(?<passed>\d+) passed\b[^\n]{0,80} in [\d.]+s/gm, passedAndFailed),
  // node --test: # pass 5, # fail 0
  sumOf(/^(?:#|ℹ) pass (?<passed>\d+)\n(?:#|ℹ) fail (?<failed>\d+)/gm, passedAndFailed),
  // mocha: 5 passing (10ms), 1 failing
  sumOf(
    /^\s{1,10}(?<passed>\d+) passing\b[^\n]{0,40}(?:\n\s{1,10}\d+ pending)?(?:\n\s{1,10}(?<failed>\d+) failing)?/gm,
    passedAndFailed,
  ),
  // cargo: test result: ok. 5 passed; 0 failed;
  sumOf(/^test result: \w+\. (?<passed>\d+) passed; (?<failed>\d+) failed;/gm, passedAndFailed),
  // dotnet: Failed: 0, Passed: 5,
  sumOf(/Failed:\s{1,10}(?<failed>\d+), Passed:\s{1,10}(?<passed>\d+),/gm, passedAndFailed),
  // rspec: 5 examples, 1 failure
  sumOf(/^(?<run>\d+) examples?, (?<failed>\d+) failures?/gm, ({ run, failed }) => ({
    run: number(run),
    passed: number(run) - number(failed),
  })),
  // Maven: Tests run: 5, Failures: 0, Errors: 0 — the last line is of all.
  (output) => {
    const last = [...output.matchAll(/Tests run: (?<run>\d+), Failures: (?<failed>\d+), Errors: (?<errors>\d+)/g)].at(-1)?.groups;
    return last && { run: number(last["run"]), passed: number(last["run"]) - number(last["failed"]) - number(last["errors"]) };
  },
  // go test -v: --- PASS: TestA
  (output) => {
    const passed = output.match(/^\s*--- PASS:/gm)?.length ?? 0;
    const failed = output.match(/^\s*--- FAIL:/gm)?.length ?? 0;
    return passed + failed === 0 ? undefined : { run: passed + failed, passed };
  },
];

// oxlint-disable-next-line no-control-regex
const COLOURS = /\u001B\[[\d;]*m/g;

export const countsInOutput = (command: string, output: string): TestCounts | undefined => {
  const isTesting = command
    .slice(0, 4_000)
    .split(/&&|\|\||[;|\n]/)
    .some((one) => RUNS_TESTS.test(one.trim().slice(0, 400)));
  if (!isTesting) return undefined;
  const plain = output.replaceAll(COLOURS, "").replaceAll("\r", "");
  for (const reader of READERS) {
    const counts = reader(plain);
    if (counts && counts.run > 0) return counts;
  }
  return undefined;
};
