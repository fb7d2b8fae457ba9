import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { RunResult } from "@retinue/protocol";
import { callRetinue } from "./testing/call-retinue.ts";
import type { MockProject } from "./testing/mock-project.ts";
import { call, createMockProject } from "./testing/mock-project.ts";
import { withoutSandboxLine } from "./testing/without-sandbox-line.ts";

const cleanups: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const FILES = {
  "package.json": '{ "type": "module", "scripts": { "test": "node --test" } }\n',
  "src/one.js": "export const one = () => 0;\n",
  "src/two.js": "export const two = () => 0;\n",
  "src/three.js": "export const three = () => 0;\n",
  "test/all.test.js": [
    'import assert from "node:assert/strict";',
    'import test from "node:test";',
    ...["one", "two", "three"].map((name) => `import { ${name} } from "../src/${name}.js";`),
    ...["one", "two", "three"].map((name, index) => `test("${name}", () => assert.equal(${name}(), ${index + 1}));`),
    "",
  ].join("\n"),
};

const edit = (name: string, from: string, to: string): ReturnType<typeof call> =>
  call("edit", { path: `src/${name}.js`, edits: [{ old: `=> ${from};`, new: `=> ${to};` }] });

/** It edits three files, one of them wrongly, runs the tests, mends that one, and then claims something else. */
const createWork = async (): Promise<MockProject> => {
  const made = await createMockProject([
    { toolCalls: [edit("one", "0", "1"), edit("two", "0", "2"), edit("three", "0", "4")] },
    { toolCalls: [call("test", {})] },
    { toolCalls: [edit("three", "4", "3"), call("write", { path: "notes/done.md", content: "Done.\n" })] },
    { toolCalls: [call("test", {})] },
    { text: "I modified `src/other.js`, and all tests pass." },
  ]);
  cleanups.push(made.remove);
  for (const [name, text] of Object.entries(FILES)) {
    const file = path.join(made.project.workspace, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return made;
};

describe("an agent that edits three files, runs the tests and mends one of them", () => {
  test("has a result with the files as measured, whatever it claims", async () => {
    const { project, server } = await createWork();
    const ended = await callRetinue(project, ["run", "--approve", "all", "--json", "make the tests pass"]);
    expect({ code: ended.code, stderr: withoutSandboxLine(ended.stderr) }).toEqual({
      code: 5,
      stderr: "retinue: doubtful: not found in the record: a change of src/other.js\n",
    });
    const events = ended.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly type: string; readonly tests?: unknown; readonly result?: RunResult });
    expect(events.flatMap(({ tests }) => tests ?? [])).toEqual([
      { run: 3, passed: 2 },
      { run: 3, passed: 3 },
    ]);
    const { result } = events.at(-1) ?? {};
    expect(result?.status).toBe("completed");
    expect(result?.filesModified.toSorted()).toEqual(["src/one.js", "src/three.js", "src/two.js"]);
    expect(result?.filesCreated).toEqual(["notes/done.md"]);
    expect(result?.unverified.join("\n")).toContain("src/other.js");
    expect(server.requests[2]?.text).toContain("2 passed");
    expect(await readFile(path.join(project.workspace, "src/three.js"), "utf8")).toBe("export const three = () => 3;\n");
  });

  test("tells them below its words where people read", { tags: ["long"] }, async () => {
    const { project } = await createWork();
    const ended = await project.run(["run", "--approve", "all", "make the tests pass"]);
    expect(ended.code).toBe(5);
    expect(ended.stderr).toMatch(/^retinue: doubtful: not found in the record: a change of src\/other\.js$/m);
    expect(ended.stdout).toContain("I modified `src/other.js`");
    expect(ended.stderr).toMatch(/^retinue: modified src\/one\.js, src\/two\.js, src\/three\.js$/m);
    expect(ended.stderr).toMatch(/^retinue: created notes\/done\.md$/m);
    expect(ended.stderr).toMatch(/^retinue: \d+ of \d+ tests passed$/m);
    expect(ended.stdout).not.toContain("src/one.js");
  });
});
