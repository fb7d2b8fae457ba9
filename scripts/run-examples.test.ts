/** Examples pass by ending with 0, and nothing of the user's reaches them. */
import { expect, test, vi } from "vitest";
import { runExamples } from "./run-examples.ts";
import { createTemporaryTree } from "./testing/temporary-tree.ts";

test("each example is judged by how it ends, and its output is kept", async () => {
  const root = createTemporaryTree({
    "package.json": { type: "module" },
    "examples/a-fine.ts": "const answer: number = 42;\nconsole.log(answer);\n",
    "examples/b-wrong.ts": 'console.error("wrong"); process.exitCode = 3;\n',
    "examples/c-thrown.ts": 'throw new Error("boom");\n',
    "examples/d-folder/example.ts": 'import { answer } from "./answer.ts";\nconsole.log(answer);\n',
    "examples/d-folder/answer.ts": "export const answer: number = 43;\n",
    "examples/notes.md": "not run",
  });
  expect(await runExamples({ root })).toEqual([
    { example: "examples/a-fine.ts", output: "42\n" },
    { example: "examples/b-wrong.ts", output: "wrong\n", failure: "ended with 3" },
    { example: "examples/c-thrown.ts", output: expect.stringContaining("boom"), failure: "ended with 1" },
    { example: "examples/d-folder/example.ts", output: "43\n" },
  ]);
});

test("an example that does not end is ended, with what it started", async () => {
  const root = createTemporaryTree({
    "package.json": { type: "module" },
    "examples/endless.ts": [
      'import { spawn } from "node:child_process";',
      // It holds the pipe that the run waits for: while it lives, the run does not come back.
      'spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });',
      "setInterval(() => {}, 1000);",
    ].join("\n"),
  });
  const [result] = await runExamples({ root, timeoutMs: 1_000 });
  expect(result?.failure).toBe("did not end within 1 s");
});

test("an example sees no key, no setting and no home of the user", async () => {
  vi.stubEnv("OPENAI_API_KEY", "secret");
  vi.stubEnv("RETINUE_MODEL", "openai/x");
  const root = createTemporaryTree({
    "package.json": { type: "module" },
    "examples/look.ts":
      "console.log(JSON.stringify([process.env.OPENAI_API_KEY, process.env.RETINUE_MODEL, process.env.HOME]));\n",
  });
  const [result] = await runExamples({ root });
  const [key, setting, home] = JSON.parse(result?.output ?? "[]") as unknown[];
  expect([key, setting]).toEqual([null, null]);
  expect(home).toMatch(/retinue-example-/);
});
