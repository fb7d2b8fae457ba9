import { expect, test } from "vitest";
import type { Problem } from "./problem.ts";
import { toSettingsError } from "./problem.ts";

const problem = (where: string, key: string): Problem => ({
  code: "settings_invalid",
  where,
  key,
  what: "must be at least 1, not 0",
});

test.each([
  [problem("/p/retinue.yaml:5:20", "retry.attempts"), "Open /p/retinue.yaml at line 5 and change or remove retry.attempts."],
  [problem("RETINUE_RETRY__ATTEMPTS", "retry.attempts"), "Change the variable RETINUE_RETRY__ATTEMPTS, or unset it."],
  [problem("--limit", "limits.iterations"), "Change the option --limit; `--help` tells what it takes."],
  [
    { ...problem("/p/retinue.yaml:2:1", ""), code: "settings_malformed" } as const,
    "Open /p/retinue.yaml at line 2 and mend the YAML there.",
  ],
])("the hint says where to go and what to change: %j", (one, hint) => {
  expect(toSettingsError([one]).hint).toContain(hint);
});

test("of several problems the first is shown the way to, and the others are named", () => {
  const error = toSettingsError([problem("/p/retinue.yaml:5:20", "a"), problem("/p/retinue.yaml:6:20", "b")]);
  expect(error.message).toContain("/p/retinue.yaml:6:20: b: must be at least 1, not 0");
  expect(error.hint).toMatch(/line 5 and change or remove a\. The others are named in the same way\./);
});
