/** What `retinue test` tells its caller by its exit code. */
import type { SuiteResult } from "@retinue/protocol/test-case";
import { countVerdicts } from "@retinue/qa";
import { EXIT } from "../exit-code.ts";

export const TEST_EXIT = {
  passed: EXIT.done,
  /** What is under test does not do what is expected. */
  failed: EXIT.failed,
  /** A file is wrong, or there is nothing to test. */
  usage: EXIT.usage,
  /** Nothing failed, and something could not be verified. */
  inconclusive: 5,
  /** Everything that could be tested passed, and something could not be. */
  blocked: 6,
  /** With --strict: everything passed, and something only at a retry, or healed. */
  unsteady: 7,
} as const;

export const testExitCode = (result: SuiteResult, isStrict: boolean): number => {
  const { fail, inconclusive, blocked, flaky, healed } = countVerdicts(result);
  if (fail > 0) return TEST_EXIT.failed;
  if (inconclusive > 0) return TEST_EXIT.inconclusive;
  if (blocked > 0) return TEST_EXIT.blocked;
  return isStrict && flaky + healed > 0 ? TEST_EXIT.unsteady : TEST_EXIT.passed;
};
