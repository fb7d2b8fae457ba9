import { symlink, utimes } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createGlobTool } from "./glob.ts";
import { createTestWorkspace, toText } from "@retinue/confine/testing";

const glob = createGlobTool();

const FILES = {
  ".gitignore": "dist/\nsecret.ts\n",
  ".github/ci.yml": "",
  "src/b.ts": "",
  "src/a.ts": "",
  "src/a.test.ts": "",
  "src/deep/c.tsx": "",
  "dist/a.ts": "",
  "secret.ts": "",
  "README.md": "",
};

describe("glob", () => {
  it.each([
    ["*.ts", ["src/a.test.ts", "src/a.ts", "src/b.ts"]],
    ["src/*.ts", ["src/a.test.ts", "src/a.ts", "src/b.ts"]],
    ["**/*.{ts,tsx}", ["src/a.test.ts", "src/a.ts", "src/b.ts", "src/deep/c.tsx"]],
    [".github/**", [".github/ci.yml"]],
    ["src/?.ts", ["src/a.ts", "src/b.ts"]],
    ["src/", ["src/a.test.ts", "src/a.ts", "src/b.ts", "src/deep/c.tsx"]],
    ["!*.{ts,tsx,yml}", [".gitignore", "README.md"]],
    ["readme*", []],
  ])("finds by %s what is not ignored, in the order of paths", async (pattern, expected) => {
    await using test = await createTestWorkspace(FILES);
    const text = toText(await glob.execute({ pattern }, test.context));
    if (expected.length === 0) expect(text).toBe(`No file matches "${pattern}" in the workspace.`);
    else expect(text.split("\n")).toEqual([`[${expected.length} ${expected.length === 1 ? "file" : "files"}]`, ...expected]);
  });

  it("gives the newest first when asked, and says how many it left out", async () => {
    await using test = await createTestWorkspace({ "a.md": "", "b.md": "", "c.md": "" });
    await utimes(test.at("a.md"), 3000, 3000);
    await utimes(test.at("b.md"), 1000, 1000);
    await utimes(test.at("c.md"), 2000, 2000);
    expect(await glob.execute({ pattern: "*.md", order: "newest", limit: 2 }, test.context)).toBe(
      "[showing 2 of 3 files, newest first]\na.md\nc.md",
    );
  });

  it("looks below a folder and gives paths from the workspace", async () => {
    await using test = await createTestWorkspace(FILES);
    expect(await glob.execute({ pattern: "deep/*", path: "src" }, test.context)).toBe("[1 file]\nsrc/deep/c.tsx");
    expect(glob.touches({ pattern: "x", path: "src" })).toEqual({ paths: ["src"] });
    expect(glob.touches({ pattern: "x" })).toEqual({ paths: ["."] });
  });

  it("refuses patterns that lead out of the folder", async () => {
    await using test = await createTestWorkspace();
    for (const pattern of ["../*", "/etc/*", "a/../../*"])
      await expect(glob.execute({ pattern }, test.context)).rejects.toThrow("leads out of the folder");
  });

  it("J4: answers a pattern that would be catastrophic as a regular expression", async () => {
    await using test = await createTestWorkspace({ ["a".repeat(200)]: "" });
    const pattern = `${"a*".repeat(90)}b`;
    expect(await glob.execute({ pattern }, test.context)).toBe(`No file matches "${pattern}" in the workspace.`);
    await expect(glob.execute({ pattern: "{a,b}".repeat(30) }, test.context)).rejects.toThrow("more than 1000 patterns");
  });

  it("J5: enters no loop of links", async () => {
    await using test = await createTestWorkspace({ "d/a.ts": "" });
    await symlink("..", test.at("d/up"));
    expect(await glob.execute({ pattern: "**/*.ts" }, test.context)).toBe("[1 file]\nd/a.ts");
  });

  it("says when the folder is none", async () => {
    await using test = await createTestWorkspace({ "a.ts": "" });
    await expect(glob.execute({ pattern: "*", path: "a.ts" }, test.context)).rejects.toThrow("a.ts is no folder.");
    await expect(glob.execute({ pattern: "*", path: "no" }, test.context)).rejects.toThrow("no does not exist.");
  });
});
