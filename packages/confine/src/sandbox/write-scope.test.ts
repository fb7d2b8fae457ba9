import { isInScope } from "@retinue/runtime";
import { mkdir, readdir, symlink } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { createTestWorkspace } from "../testing/tool-context.ts";
import { openWriteScope, toWriteScope } from "./write-scope.ts";

describe("a write scope", () => {
  test.each([
    { writes: [], folders: [""], files: [] },
    { writes: [["**"]], folders: [""], files: [] },
    { writes: [["**/*"]], folders: [""], files: [] },
    { writes: [["tests/**"]], folders: ["tests"], files: [] },
    { writes: [["./tests/**/*", "docs/**"]], folders: ["tests", "docs"], files: [] },
    { writes: [["a/**", "a/b/**"]], folders: ["a"], files: [] },
    { writes: [["a/**"], ["a/b/**", "c/**"]], folders: ["a/b"], files: [] },
    { writes: [["a/**"], ["b/**"]], folders: [], files: [] },
    { writes: [["README.md", "a/b.txt"]], folders: [], files: ["README.md", "a/b.txt"] },
    { writes: [["a/**"], ["a/b.txt"]], folders: [], files: ["a/b.txt"] },
    { writes: [["a/**", "b.txt"], ["**"]], folders: ["a"], files: ["b.txt"] },
    { writes: [["b.txt"], ["a/**"]], folders: [], files: [] },
    { writes: [["**/*.test.ts"]], folders: [], files: [] },
    { writes: [["src/*"]], folders: [], files: [] },
    { writes: [["s?c/**", "{a,b}/**", "!x/**", "@(a)/**", "[ab]/**"]], folders: [], files: [] },
    { writes: [["../out/**", "/etc/**", "a/../../x/**", "a//b/**", "../x", "/etc/passwd"]], folders: [], files: [] },
    { writes: [[]], folders: [], files: [] },
  ])("of $writes opens $folders and $files", ({ writes, folders, files }) => {
    expect(toWriteScope(writes)).toEqual({ folders, files });
  });

  test("never opens a path that the grant does not name, whatever the globs", () => {
    let state = 5;
    const pick = <T>(all: readonly T[]): T => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return all[Math.floor((state / 2 ** 32) * all.length)] as T;
    };
    const names = ["a", "b", "c", ".d", "x.ts", "-e"];
    const parts = [...names, ...names, "*", "**", "*.ts", "?", "{a,b}", "!(a)", "!a", "..", ".", "", "[a-b]", "+(a)"];
    const toGlob = (): string =>
      Array.from({ length: pick([1, 2, 2, 3]) }, () => pick(parts)).join("/") + pick(["", "/**", "/**/*", "/"]);
    const toPath = (): string => Array.from({ length: pick([1, 2, 3, 4]) }, () => pick(names)).join("/");
    let opened = 0;
    for (let round = 0; round < 6000; round += 1) {
      const writes = Array.from({ length: pick([1, 1, 2, 3]) }, () => Array.from({ length: pick([1, 2, 3]) }, toGlob));
      const { folders, files } = toWriteScope(writes);
      for (const file of [...files, ...folders.map((folder) => (folder === "" ? toPath() : `${folder}/${toPath()}`))]) {
        opened += 1;
        if (!isInScope(writes, file)) throw new Error(`${JSON.stringify(writes)} opens ${file}`);
      }
    }
    expect(opened).toBeGreaterThan(1500);
  });

  test("A16: makes folders that are missing, and refuses links and what lies behind them", async () => {
    await using folder = await createTestWorkspace({ "src/a": "a", file: "" });
    await symlink("src", folder.at("link"));
    await symlink("nowhere", folder.at("dangling"));
    await mkdir(folder.at("real"));
    const open = (writes: readonly (readonly string[])[]) => openWriteScope(folder.workspace, toWriteScope(writes));
    expect((await open([["tests/deep/**", "real/**"]])).map(({ path }) => path)).toEqual([
      folder.at("tests/deep"),
      folder.at("real"),
    ]);
    for (const scope of ["link/**", "link/in/**", "dangling/**", "file/**"])
      await expect(open([[scope]])).rejects.toMatchObject({ code: "path_outside_scope" });
    await expect(open([["link/a"]])).rejects.toMatchObject({ code: "path_outside_scope" });
    expect(await open([["src/new"]])).toEqual([]);
    expect(await readdir(folder.at("src"))).toEqual(["a"]);
  });
});
