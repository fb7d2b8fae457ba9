import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { callRetinue } from "./testing/call-retinue.ts";
import type { MockProject } from "./testing/mock-project.ts";
import { createMockProject } from "./testing/mock-project.ts";

let mock: MockProject | undefined;
afterEach(async () => {
  await mock?.remove();
  mock = undefined;
});

test("a call that a local model wrote as text is made, and the record says that it was repaired", async () => {
  const { project, server } = (mock = await createMockProject([
    {
      text: '<think>I need the file.</think>\n<tool_call>\n{"name": "read", "arguments": {"path": "note.txt", "limit": "5"}}\n</tool_call>',
    },
    { text: "It says: forty-two." },
  ]));
  await writeFile(join(project.workspace, "note.txt"), "forty-two\n");
  const { code, stdout } = await callRetinue(project, ["run", "--json", "What does note.txt say?"]);
  expect(code).toBe(0);
  expect(server.requests).toHaveLength(2);
  expect(server.requests[1]?.text).toContain("forty-two");
  expect(stdout).toContain('"repaired":{"how":["written as <tool_call>","a number as text"]');
  expect(stdout).not.toMatch(/"type":"model\.delta"[^\n]*tool_call>/);
});
