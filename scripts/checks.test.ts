/** Checks run to the end whatever the others find, and say what they found only when it is bad. */
import { expect, test } from "vitest";
import { runChecks } from "./checks.ts";
import { createTemporaryTree } from "./testing/temporary-tree.ts";

test("a check passes when its command ends with 0; a failed one shows its output and what mends it", async () => {
  const reports: string[] = [];
  const results = await runChecks({
    root: createTemporaryTree({}),
    checks: [
      { name: "good", args: ["-e", "console.log('chatter')"] },
      { name: "bad", args: ["-e", "console.log('\\x1b[31mline 1\\x1b[0m\\nline 2'); process.exit(2)"], mend: "Do this." },
      { name: "killed", args: ["-e", "process.kill(process.pid, 'SIGKILL')"] },
    ],
    report: (text) => reports.push(text.replaceAll(/\d+\.\d s/g, "N s")),
  });
  expect(results.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
    { name: "bad", passed: false },
    { name: "good", passed: true },
    { name: "killed", passed: false },
  ]);
  expect(reports.toSorted()).toEqual([
    "FAILED  bad  N s\n    line 1\n    line 2\n    Do this.",
    "FAILED  killed  N s\n    ended by SIGKILL",
    "ok      good  N s",
  ]);
});
