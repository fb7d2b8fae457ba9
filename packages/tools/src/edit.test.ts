import { link, mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { linkSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { toDeclaration } from "@retinue/runtime";
import { describe, expect, it } from "vitest";
import type { EditInput } from "./edit.ts";
import { createEditTool } from "./edit.ts";
import { writeInside } from "@retinue/confine";
import type { TestWorkspace } from "@retinue/confine/testing";
import { createTestWorkspace, toText } from "@retinue/confine/testing";
import { runWriteRace } from "@retinue/confine/testing";

const edit = createEditTool();

const run = (test: TestWorkspace, input: EditInput) => edit.execute(input, test.context);

/** Calls back between the moment when all edits are known to fit and the first write. */
const beforeWriting = (test: TestWorkspace, act: () => void): void =>
  void Object.defineProperty(test.context.signal, "throwIfAborted", { value: act });

describe("edit", () => {
  it("replaces, shows the diff and reports the file as modified", async () => {
    await using test = await createTestWorkspace({ "src/a.ts": "one\ntwo\nthree\n" });
    expect(await run(test, { path: "src/a.ts", edits: [{ old: "two", new: "2" }] })).toEqual({
      content: [
        {
          type: "text",
          text: "Edited src/a.ts (1 replacement).\n--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three",
        },
      ],
      files: { created: [], modified: ["src/a.ts"] },
    });
    expect(await readFile(test.at("src/a.ts"), "utf8")).toBe("one\n2\nthree\n");
  });

  it("keeps byte order mark, line endings, missing final newline and mode", async () => {
    await using test = await createTestWorkspace({ "a.txt": "\uFEFFone\r\ntwo\r\nthree" });
    const { mode } = await stat(test.at("a.txt"));
    await run(test, { path: test.at("a.txt"), edits: [{ old: "one\ntwo", new: "1\n2" }] });
    expect(await readFile(test.at("a.txt"), "utf8")).toBe("\uFEFF1\r\n2\r\nthree");
    expect((await stat(test.at("a.txt"))).mode).toBe(mode);
  });

  it("writes nothing when one of several edits does not fit", async () => {
    await using test = await createTestWorkspace({ "a.ts": "one two" });
    const input = {
      path: "a.ts",
      edits: [
        { old: "one", new: "1" },
        { old: "three", new: "3" },
      ],
    };
    await expect(run(test, input)).rejects.toMatchObject({
      code: "tool_failed",
      message: expect.stringContaining("a.ts, edit 2 of 2: old was not found"),
      hint: "Nothing was written.",
    });
    expect(await readFile(test.at("a.ts"), "utf8")).toBe("one two");
  });

  it("changes several files at once", async () => {
    await using test = await createTestWorkspace({ "a.ts": "old a", "b.ts": "old b" });
    const files = ["a.ts", "b.ts"].map((name) => ({ path: name, edits: [{ old: "old", new: "new" }] }));
    const output = await run(test, { files });
    expect(output).toMatchObject({ files: { created: [], modified: ["a.ts", "b.ts"] } });
    expect(toText(output)).toContain("+new b");
    expect(edit.touches({ files })).toEqual({ paths: ["a.ts", "b.ts"] });
  });

  it("refuses a file that is named twice", async () => {
    await using test = await createTestWorkspace({ "a.ts": "x" });
    const one = { edits: [{ old: "x", new: "y" }] };
    const files = [
      { path: "a.ts", ...one },
      { path: "./a.ts", ...one },
    ];
    await expect(run(test, { files })).rejects.toMatchObject({ message: "a.ts is named twice." });
  });

  it("takes either one file or a list of files", () => {
    const edits = [{ old: "a", new: "b" }];
    expect(edit.input.safeParse({ path: "a", edits }).success).toBe(true);
    expect(edit.input.safeParse({ files: [{ path: "a", edits }] }).success).toBe(true);
    for (const wrong of [{}, { path: "a" }, { edits }, { path: "a", edits, files: [{ path: "a", edits }] }])
      expect(edit.input.safeParse(wrong).success).toBe(false);
    expect(toDeclaration(edit).inputSchema).toMatchObject({ type: "object" });
  });

  it("refuses binaries, other encodings, folders and files that are not there", async () => {
    await using test = await createTestWorkspace({
      "a.bin": Buffer.from([1, 0, 2]),
      "latin1.txt": Buffer.from("gr\xfc\xdfe", "latin1"),
      "folder/a": "",
    });
    const edits = [{ old: "a", new: "b" }];
    const message = (text: string) => ({ code: "tool_failed", message: text });
    await expect(run(test, { path: "a.bin", edits })).rejects.toMatchObject(message("a.bin is a binary file."));
    await expect(run(test, { path: "latin1.txt", edits })).rejects.toMatchObject(message("latin1.txt is not in UTF-8."));
    await expect(run(test, { path: "folder", edits })).rejects.toMatchObject(message("folder is a folder."));
    await expect(run(test, { path: "none.ts", edits })).rejects.toMatchObject(message("none.ts does not exist."));
  });

  it("leaves a file alone that somebody changed meanwhile", async () => {
    await using test = await createTestWorkspace({ "a.ts": "mine", "b.ts": "mine" });
    beforeWriting(test, () => writeFileSync(test.at("b.ts"), "mine, and theirs"));
    const edits = [{ old: "mine", new: "ours" }];
    const files = ["a.ts", "b.ts"].map((name) => ({ path: name, edits }));
    await expect(run(test, { files })).rejects.toMatchObject({ message: "b.ts was changed by somebody else meanwhile." });
    expect(await readFile(test.at("a.ts"), "utf8")).toBe("mine");
    expect(await readFile(test.at("b.ts"), "utf8")).toBe("mine, and theirs");
  });

  it("takes back what it has written when a later file cannot be written", async () => {
    await using test = await createTestWorkspace({ "a.ts": "\uFEFFmine", "b.ts": "mine" });
    // Its content stays the same, so that only the write itself finds the second link.
    beforeWriting(test, () => linkSync(test.at("b.ts"), test.at("c.ts")));
    const edits = [{ old: "mine", new: "ours" }];
    await expect(run(test, { files: ["a.ts", "b.ts"].map((name) => ({ path: name, edits })) })).rejects.toMatchObject({
      message: "b.ts has 2 hard links; writing it would change a file elsewhere too.",
    });
    expect(await readFile(test.at("a.ts"), "utf8")).toBe("\uFEFFmine");
    expect(await readFile(test.at("b.ts"), "utf8")).toBe("mine");
  });

  it("stops before writing when the run was cancelled", async () => {
    await using test = await createTestWorkspace({ "a.ts": "x" });
    test.stop();
    await expect(run(test, { path: "a.ts", edits: [{ old: "x", new: "y" }] })).rejects.toMatchObject({ name: "AbortError" });
    expect(await readFile(test.at("a.ts"), "utf8")).toBe("x");
  });
});

describe("edit keeps to the workspace", () => {
  const withOutside = async (): Promise<TestWorkspace & { readonly outside: string }> => {
    const test = await createTestWorkspace({ "src/a.ts": "word", "tests/t.ts": "word" });
    const outside = path.join(path.dirname(test.workspace), "outside");
    await mkdir(outside);
    await writeFile(path.join(outside, "a.ts"), "word");
    await writeFile(path.join(outside, "t.ts"), "word");
    return { ...test, outside };
  };

  const edits = [{ old: "word", new: "attack" }];

  it("A2: a path outside is refused", async () => {
    await using test = await withOutside();
    await expect(run(test, { path: path.join(test.outside, "a.ts"), edits })).rejects.toMatchObject({
      code: "path_outside_workspace",
    });
    await expect(run(test, { path: "../outside/a.ts", edits })).rejects.toMatchObject({ code: "path_outside_workspace" });
    expect(await readFile(path.join(test.outside, "a.ts"), "utf8")).toBe("word");
  });

  it("A4, A7: neither a linked folder nor a linked file is written through", async () => {
    await using test = await withOutside();
    await symlink(test.outside, test.at("out"));
    await symlink("src", test.at("in"));
    await symlink("src/a.ts", test.at("final.ts"));
    await expect(run(test, { path: "out/a.ts", edits })).rejects.toMatchObject({ code: "path_outside_workspace" });
    for (const named of ["in/a.ts", "final.ts"])
      await expect(run(test, { path: named, edits })).rejects.toMatchObject({
        message: expect.stringContaining("symbolic link"),
      });
    expect(await readFile(path.join(test.outside, "a.ts"), "utf8")).toBe("word");
    expect(await readFile(test.at("src/a.ts"), "utf8")).toBe("word");
  });

  it("A9: a file with another hard link is refused", async () => {
    await using test = await withOutside();
    await link(path.join(test.outside, "a.ts"), test.at("h.ts"));
    await expect(run(test, { path: "h.ts", edits })).rejects.toMatchObject({ message: expect.stringContaining("2 hard links") });
    expect(await readFile(path.join(test.outside, "a.ts"), "utf8")).toBe("word");
  });

  it("A23: with a second file outside, through a link or hard-linked, nothing is written", async () => {
    await using test = await withOutside();
    await symlink(test.outside, test.at("out"));
    await link(path.join(test.outside, "a.ts"), test.at("h.ts"));
    for (const second of [path.join(test.outside, "a.ts"), "../outside/a.ts", "out/a.ts", "h.ts"]) {
      const files = ["src/a.ts", second].map((name) => ({ path: name, edits }));
      await expect(run(test, { files })).rejects.toThrow();
    }
    expect(await readFile(test.at("src/a.ts"), "utf8")).toBe("word");
    expect(await readFile(path.join(test.outside, "a.ts"), "utf8")).toBe("word");
  });

  it("A23: when a folder becomes a link between the check and the write, nothing is written", async () => {
    await using test = await withOutside();
    beforeWriting(test, () => {
      renameSync(test.at("tests"), test.at("moved"));
      symlinkSync(test.outside, test.at("tests"));
    });
    const files = ["src/a.ts", "tests/t.ts"].map((name) => ({ path: name, edits }));
    await expect(run(test, { files })).rejects.toThrow();
    expect(await readFile(test.at("src/a.ts"), "utf8")).toBe("word");
    expect(await readFile(path.join(test.outside, "t.ts"), "utf8")).toBe("word");
  });

  it("A8: while folder and link are exchanged, no edit lands outside", async () => {
    await using test = await createTestWorkspace();
    const race = await runWriteRace({
      writes: 300,
      write: async (root, file, content) => {
        await writeInside({ root, file, content: "word" });
        await edit.execute({ path: file, edits: [{ old: "word", new: content }] }, { ...test.context, workspace: root });
      },
    });
    expect(race.outside).toBe(0);
    expect(race.written + race.refused).toBe(300);
  });

  it("A11: a FIFO is refused and not waited for", async () => {
    await using test = await withOutside();
    const { execFileSync } = await import("node:child_process");
    execFileSync("mkfifo", [test.at("pipe")]);
    await expect(run(test, { path: "pipe", edits })).rejects.toMatchObject({
      message: expect.stringContaining("no regular file"),
    });
    await rm(test.at("pipe"));
  });
});
