import { readFile, rm, utimes, writeFile } from "node:fs/promises";
import type { RunIdentity } from "@retinue/protocol";
import type { ToolContext, ToolOutput } from "@retinue/runtime";
import { describe, expect, test } from "vitest";
import { createEditTool } from "./edit.ts";
import { createReadTool } from "./read.ts";
import type { TestWorkspace } from "@retinue/confine/testing";
import { createTestRun, createTestWorkspace } from "@retinue/confine/testing";
import { createWriteTool } from "./write.ts";

const [read, edit, write] = [createReadTool(), createEditTool(), createWriteTool()];

const as = ({ context }: TestWorkspace, run: RunIdentity): ToolContext => ({ ...context, run });

const change = (file: string, old: string, text: string) => ({ path: file, edits: [{ old, new: text }] });

/** The code of what was refused, or "ok". */
const outcome = (call: Promise<ToolOutput>): Promise<string> =>
  call.then(
    () => "ok",
    (thrown: { code: string }) => thrown.code,
  );

const call = <Input>(
  tool: { execute: (input: Input, context: ToolContext) => Promise<ToolOutput> },
  input: Input,
  context: ToolContext,
) => outcome(tool.execute(input, context));

describe("G20 two runs change the same file", () => {
  test("G20 an edit of a place that another run has changed since it was read is refused, and made after reading again", async () => {
    await using workspace = await createTestWorkspace({ "a.txt": "one\ntwo\n" });
    const [first, second] = [as(workspace, createTestRun("run_1")), as(workspace, createTestRun("run_2"))];
    for (const context of [first, second]) await read.execute({ path: "a.txt" }, context);
    expect(await call(edit, change("a.txt", "one", "first"), first)).toBe("ok");
    await expect(edit.execute(change("a.txt", "one\ntwo", "second"), second)).rejects.toMatchObject({
      code: "file_changed",
      message: "a.txt was changed since you last read or wrote it. Nothing was written.",
      hint: "Read it again, then make the change on what stands there now.",
    });
    expect(await readFile(workspace.at("a.txt"), "utf8")).toBe("first\ntwo\n");
    await read.execute({ path: "a.txt" }, second);
    expect(await call(edit, change("a.txt", "two", "second"), second)).toBe("ok");
    expect(await readFile(workspace.at("a.txt"), "utf8")).toBe("first\nsecond\n");
  });

  test("G20 an edit whose text still stands exactly once in a file that changed since is made, and said", async () => {
    await using workspace = await createTestWorkspace({ "a.txt": "one\ntwo\n", "b.txt": "one\ntwo\n" });
    const [first, second] = [as(workspace, createTestRun("run_1")), as(workspace, createTestRun("run_2"))];
    for (const path of ["a.txt", "b.txt"]) await read.execute({ path }, second);
    expect(await call(edit, change("a.txt", "one", "first"), first)).toBe("ok");
    expect(JSON.stringify(await edit.execute(change("a.txt", "two", "second"), second))).toContain(
      "changed since you last read it",
    );
    expect(await readFile(workspace.at("a.txt"), "utf8")).toBe("first\nsecond\n");
    expect(await call(edit, change("b.txt", "one", "two"), first)).toBe("ok");
    expect(await call(edit, change("b.txt", "two", "three"), second)).toBe("file_changed");
    expect(await call(edit, { path: "b.txt", edits: [{ old: "two", new: "three", all: true }] }, second)).toBe("file_changed");
    expect(await readFile(workspace.at("b.txt"), "utf8")).toBe("two\ntwo\n");
  });

  test("G20 a whole file is not written over what another run has written, seen or unseen", async () => {
    await using workspace = await createTestWorkspace({ "a.txt": "one\n" });
    const [first, second, third] = ["run_1", "run_2", "run_3"].map((id) => as(workspace, createTestRun(id as "run_1")));
    if (!first || !second || !third) throw new Error("no runs");
    for (const context of [first, second]) await read.execute({ path: "a.txt" }, context);
    expect(await call(write, { path: "a.txt", content: "first\n" }, first)).toBe("ok");
    expect(await call(write, { path: "a.txt", content: "second\n" }, second)).toBe("file_changed");
    expect(await call(write, { path: "a.txt", content: "third\n" }, third)).toBe("file_changed");
    expect(await readFile(workspace.at("a.txt"), "utf8")).toBe("first\n");
    expect(await call(write, { path: "new.txt", content: "first\n" }, first)).toBe("ok");
    expect(await call(write, { path: "new.txt", content: "second\n" }, second)).toBe("file_changed");
    expect(await call(write, { path: "new.txt", content: "again\n" }, first)).toBe("ok");
  });

  test("G20 runs that edit a file at the very same time lose nothing", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `line ${index}\n`);
    await using workspace = await createTestWorkspace({ "a.txt": names.join("") });
    const outcomes = await Promise.all(
      names.map((line, index) =>
        call(edit, change("a.txt", line, `done ${index}\n`), as(workspace, createTestRun(`run_${index}`))),
      ),
    );
    expect(outcomes).toEqual(names.map(() => "ok"));
    expect(await readFile(workspace.at("a.txt"), "utf8")).toBe(names.map((_, index) => `done ${index}\n`).join(""));
  });

  test("G20 what a user has changed since is left too, also where size and time are as they were", async () => {
    await using workspace = await createTestWorkspace({ "a.txt": "one\n" });
    const { context } = workspace;
    await utimes(workspace.at("a.txt"), 1_000, 1_000);
    await read.execute({ path: "a.txt" }, context);
    await writeFile(workspace.at("a.txt"), "two\n");
    await utimes(workspace.at("a.txt"), 1_000, 1_000);
    expect(await call(write, { path: "a.txt", content: "mine\n" }, context)).toBe("file_changed");
    expect(await readFile(workspace.at("a.txt"), "utf8")).toBe("two\n");
  });

  test("a run goes on with what it wrote itself, and with a file that is gone", async () => {
    await using workspace = await createTestWorkspace();
    const { context } = workspace;
    expect(await call(write, { path: "a.txt", content: "one\n" }, context)).toBe("ok");
    expect(await call(edit, change("a.txt", "one", "two"), context)).toBe("ok");
    expect(await call(write, { path: "a.txt", content: "three\n" }, context)).toBe("ok");
    await rm(workspace.at("a.txt"));
    expect(await call(write, { path: "a.txt", content: "four\n" }, context)).toBe("ok");
  });
});
