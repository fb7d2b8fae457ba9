import type { Json, ProposedAct } from "@retinue/protocol";
import { expect, test } from "vitest";
import { createTestWorkspace } from "@retinue/confine/testing";
import { readPlannedDiff } from "./planned-diff.ts";

const act = (tool: string, input: Json, paths: readonly string[]): ProposedAct => ({
  callId: "c",
  tool,
  effect: "write",
  input,
  paths,
  hosts: [],
});

test("a write and edits of several files are shown as what they change", async () => {
  await using made = await createTestWorkspace({ "a.ts": "one\ntwo\n", "b.ts": "x\n" });
  const edits = [
    { path: "a.ts", edits: [{ old: "two", new: "2" }] },
    { path: "b.ts", edits: [{ old: "x", new: "y" }] },
  ];
  expect(await readPlannedDiff(act("edit", { files: edits }, [made.at("a.ts"), made.at("b.ts")]), made.workspace)).toBe(
    "--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n--- a/b.ts\n+++ b/b.ts\n@@ -1,1 +1,1 @@\n-x\n+y",
  );
  expect(await readPlannedDiff(act("write", { path: "c.ts", content: "new\n" }, [made.at("c.ts")]), made.workspace)).toBe(
    "--- a/c.ts\n+++ b/c.ts\n@@ -1,0 +1,1 @@\n+new",
  );
});

test("what is no change of texts has no diff", async () => {
  await using made = await createTestWorkspace({ "a.ts": "one\n", bin: Buffer.from([0, 1]) });
  for (const [tool, input, file] of [
    ["edit", { path: "a.ts", edits: [{ old: "gone", new: "2" }] }, "a.ts"],
    ["write", { path: "bin", content: "2" }, "bin"],
    ["shell", { command: "ls" }, "a.ts"],
    ["write", { path: 3 }, "a.ts"],
  ] as const)
    expect(await readPlannedDiff(act(tool, input, [made.at(file)]), made.workspace)).toBeUndefined();
});
