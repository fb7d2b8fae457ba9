import { describe, expect, test } from "vitest";
import { countsInOutput } from "./counts-in-output.ts";

describe("tests that a command line ran are counted", () => {
  for (const [command, output, counts] of [
    ["npx vitest run", " Test Files  1 failed (2)\n      Tests  1 failed | 11 passed (12)\n", { run: 12, passed: 11 }],
    ["npm test", "\u001B[2m      Tests \u001B[22m \u001B[1m\u001B[32m7 passed\u001B[39m\u001B[22m (7)\n", { run: 7, passed: 7 }],
    ["cd app && npm run test:unit", "Tests:       1 failed, 2 skipped, 11 passed, 14 total\n", { run: 12, passed: 11 }],
    ["python -m pytest -q", "5 passed in 0.12s\n", { run: 5, passed: 5 }],
    ["pytest", "===== 1 failed, 5 passed, 2 warnings in 1.20s =====\n", { run: 6, passed: 5 }],
    ["node --test", "# tests 5\n# suites 0\n# pass 4\n# fail 1\n", { run: 5, passed: 4 }],
    ["CI=1 npx mocha", "\n  5 passing (10ms)\n  1 failing\n", { run: 6, passed: 5 }],
    [
      "cargo test",
      "test result: ok. 5 passed; 0 failed; 0 ignored\ntest result: ok. 2 passed; 0 failed; 0 ignored\n",
      { run: 7, passed: 7 },
    ],
    ["go test -v ./...", "--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\n", { run: 2, passed: 1 }],
    ["mvn -q test", "Tests run: 2, Failures: 0, Errors: 0\nTests run: 5, Failures: 1, Errors: 1\n", { run: 5, passed: 3 }],
    ["bundle exec rspec", "5 examples, 1 failure\n", { run: 5, passed: 4 }],
    ["dotnet test", "Passed!  - Failed:     0, Passed:     5, Skipped:     0\n", { run: 5, passed: 5 }],
  ] as const)
    test(command, () => expect(countsInOutput(command, output)).toEqual(counts));

  for (const command of ["echo '5 passed in 0.12s'", "cat report.txt", "grep -r pytest .", "printf 'Tests  7 passed (7)'"])
    test(`${command} runs none`, () =>
      expect(countsInOutput(command, "5 passed in 0.12s\n Tests  7 passed (7)\n")).toBeUndefined());
});
