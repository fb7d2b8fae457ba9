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

/** A turn of the main agent of a session; each is a run of its own. */
const turn = (sessionId: string, runId: string): RunIdentity => ({
  ...createTestRun(runId as "run_1"),
  sessionId: sessionId as RunIdentity["sessionId"],
});

const subAgent = (runId: string, sessionId = "ses_test"): RunIdentity => ({
  ...turn(sessionId, runId),
  parentRunId: "run_main",
  depth: 1,
});

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
    const [first, second] = [as(workspace, subAgent("run_1")), as(workspace, subAgent("run_2"))];
    for (const context of [first, second]) await read.execute({ path: "a.txt" }, context);
    expect(await call(edit, change("a.txt", "one", "first"), first)).toBe("ok");
    await expect(edit.execute(change("a.txt", "one\ntwo", "second"), second)).rejects.toMatchObject({
      code: "file_changed",
      message: expect.stringMatching(
        /^a\.txt was changed since you last read or wrote it\. Nothing was written\.\n[^]*-one\n\+first/,
      ),
      hint: "Keep what was changed, and make your change on what stands there now.",
    });
    expect(await readFile(workspace.at("a.txt"), "utf8")).toBe("first\ntwo\n");
    await read.execute({ path: "a.txt" }, second);
    expect(await call(edit, change("a.txt", "two", "second"), second)).toBe("ok");
    expect(await readFile(workspace.at("a.txt"), "utf8")).toBe("first\nsecond\n");
  });

  test("G20 an edit whose text still stands exactly once in a file that changed since is made, and said", async () => {
    await using workspace = await createTestWorkspace({ "a.txt": "one\ntwo\n", "b.txt": "one\ntwo\n", "c.txt": "one\ntwo\n" });
    const [first, second] = [as(workspace, subAgent("run_1")), as(workspace, subAgent("run_2"))];
    for (const path of ["a.txt", "b.txt", "c.txt"]) await read.execute({ path }, second);
    expect(await call(edit, change("a.txt", "one", "first"), first)).toBe("ok");
    expect(JSON.stringify(await edit.execute(change("a.txt", "two", "second"), second))).toMatch(
      /changed since you last read it.*-one.*\+first/,
    );
    expect(await readFile(workspace.at("a.txt"), "utf8")).toBe("first\nsecond\n");
    expect(await call(edit, change("b.txt", "one", "two"), first)).toBe("ok");
    expect(await call(edit, change("b.txt", "two", "three"), second)).toBe("file_changed");
    expect(await readFile(workspace.at("b.txt"), "utf8")).toBe("two\ntwo\n");
    expect(await call(edit, change("c.txt", "one", "two"), first)).toBe("ok");
    expect(await call(edit, { path: "c.txt", edits: [{ old: "two", new: "three", all: true }] }, second)).toBe("file_changed");
    expect(await readFile(workspace.at("c.txt"), "utf8")).toBe("two\ntwo\n");
  });

  test("G20 a whole file is not written over what another run has written, seen or unseen", async () => {
    await using workspace = await createTestWorkspace({ "a.txt": "one\n" });
    const [first, second, third] = ["run_1", "run_2", "run_3"].map((id) => as(workspace, subAgent(id)));
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
      names.map((line, index) => call(edit, change("a.txt", line, `done ${index}\n`), as(workspace, subAgent(`run_${index}`)))),
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

describe("N16 what the user changed is the user's", () => {
  test("N16 a file that was changed by hand between two turns is not overwritten; the agent is shown the difference, and can write then", async () => {
    await using workspace = await createTestWorkspace({ "a.txt": "one\ntwo\n" });
    const [first, second] = [as(workspace, turn("ses_a", "run_a1")), as(workspace, turn("ses_a", "run_a2"))];
    await read.execute({ path: "a.txt" }, first);
    await writeFile(workspace.at("a.txt"), "one\nby hand\n");
    await expect(write.execute({ path: "a.txt", content: "mine\n" }, second)).rejects.toMatchObject({
      code: "file_changed",
      message: expect.stringMatching(/a\.txt was changed since you last read or wrote it[^]*-two\n\+by hand/),
    });
    expect(await readFile(workspace.at("a.txt"), "utf8")).toBe("one\nby hand\n");
    expect(await call(write, { path: "a.txt", content: "one\nby hand\nmine\n" }, second)).toBe("ok");
  });

  test("N16 an agent that never saw the file does not overwrite what was changed since another of its session did", async () => {
    await using workspace = await createTestWorkspace({ "a.txt": "one\n" });
    await read.execute({ path: "a.txt" }, as(workspace, turn("ses_b", "run_b1")));
    await writeFile(workspace.at("a.txt"), "by hand\n");
    expect(await call(write, { path: "a.txt", content: "x\n" }, as(workspace, subAgent("run_b2", "ses_b")))).toBe("file_changed");
    expect(await call(write, { path: "a.txt", content: "x\n" }, as(workspace, turn("ses_b", "run_b3")))).toBe("file_changed");
    expect(await readFile(workspace.at("a.txt"), "utf8")).toBe("by hand\n");
  });

  test("N16 no agent is refused for what it wrote itself in an earlier turn", async () => {
    await using workspace = await createTestWorkspace();
    expect(await call(write, { path: "a.txt", content: "1\n" }, as(workspace, turn("ses_c", "run_c1")))).toBe("ok");
    expect(await call(write, { path: "a.txt", content: "2\n" }, as(workspace, turn("ses_c", "run_c2")))).toBe("ok");
    const child = subAgent("run_c3", "ses_c");
    expect(await call(write, { path: "b.txt", content: "1\n" }, as(workspace, child))).toBe("ok");
    // A run that is driven on has the same id.
    expect(await call(write, { path: "b.txt", content: "2\n" }, as(workspace, { ...child }))).toBe("ok");
  });

  test("N16 a process that resumes a session knows from its record what was changed since", async () => {
    await using workspace = await createTestWorkspace({ "a.txt": "by hand\n", "b.txt": "as it was\n" });
    await utimes(workspace.at("a.txt"), 2_000, 2_000);
    await utimes(workspace.at("b.txt"), 500, 500);
    const seenAt = new Map([
      [workspace.at("a.txt"), 1_000_000],
      [workspace.at("b.txt"), 1_000_000],
    ]);
    const options = { seenBefore: async () => seenAt };
    const context = as(workspace, turn("ses_d", "run_d1"));
    expect(await call(createWriteTool(options), { path: "a.txt", content: "x\n" }, context)).toBe("file_changed");
    expect(await call(createEditTool(options), change("a.txt", "as it was", "x"), context)).toBe("file_changed");
    expect(await call(createWriteTool(options), { path: "b.txt", content: "x\n" }, context)).toBe("ok");
    await read.execute({ path: "a.txt" }, context);
    expect(await call(createWriteTool(options), { path: "a.txt", content: "x\n" }, context)).toBe("ok");
  });

  test("N16 the difference of a file that no agent may read is not shown", async () => {
    await using workspace = await createTestWorkspace();
    const context = as(workspace, turn("ses_e", "run_e1"));
    expect(await call(write, { path: ".env", content: "A=1\n" }, context)).toBe("ok");
    await writeFile(workspace.at(".env"), "A=s3cret\n");
    await expect(write.execute({ path: ".env", content: "A=2\n" }, context)).rejects.toMatchObject({
      code: "file_changed",
      message: expect.not.stringContaining("s3cret"),
    });
  });
});
