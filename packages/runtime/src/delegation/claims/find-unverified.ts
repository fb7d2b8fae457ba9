/**
 * What an agent says it did, held against what the record says it did. Deterministic: rules over the words that agents use for changes and
 * tests. What the record contradicts or does not know is marked, never removed. `labelled-claims.ts` measures the rules.
 */
import type { TestCounts } from "@retinue/protocol";
import { findFileClaims } from "./file-claims.ts";
import type { TestClaim } from "./test-claims.ts";
import { findTestClaims } from "./test-claims.ts";

export type Evidence = {
  readonly filesModified: ReadonlySet<string>;
  readonly filesCreated: ReadonlySet<string>;
  /** Every time that tests were run, by the run or below it, oldest first. */
  readonly testRuns: readonly TestCounts[];
};

export const findUnverified = (text: string, evidence: Evidence): readonly string[] => {
  const files = findFileClaims(text);
  const tests = findTestClaims(text);
  if (files.size === 0 && tests.length === 0) return [];
  const changed = [...evidence.filesModified, ...evidence.filesCreated];
  const isChanged = (file: string): boolean =>
    changed.some((path) => path === file || path.endsWith(`/${file}`) || file.endsWith(`/${path}`));
  const found = [...files].filter((file) => !isChanged(file)).map((file) => `a change of ${file}`);
  for (const claim of tests) if (!isSupported(claim, evidence.testRuns)) found.push(`"${claim.text}"`);
  return [...new Set(found)];
};

/** "All" speaks of the latest run; a number of any run, or of all together. */
const isSupported = ({ passed, of, isAll }: TestClaim, runs: readonly TestCounts[]): boolean => {
  const latest = runs.at(-1);
  if (!latest || latest.run === 0) return false;
  if (isAll && latest.passed < latest.run) return false;
  const most = (key: "run" | "passed"): number =>
    Math.max(
      ...runs.map((one) => one[key]),
      runs.reduce((sum, one) => sum + one[key], 0),
    );
  return (passed ?? 0) <= most("passed") && (of ?? 0) <= most("run");
};
