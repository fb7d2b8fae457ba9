import { execFileSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createLsTool } from "./ls.ts";
import { createTestWorkspace, toText } from "@retinue/confine/testing";

const ls = createLsTool();

describe("ls", () => {
  it("draws a tree with sizes and numbers of files, and only names what is ignored", async () => {
    await using test = await createTestWorkspace({
      ".gitignore": "node_modules/\n*.log\n",
      "README.md": "x".repeat(1234),
      "src/a.ts": "1",
      "src/deep/b.ts": "22",
      "src/deep/er/c.ts": "333",
      "node_modules/x/index.js": "",
      "debug.log": "",
    });
    await mkdir(test.at("empty"));
    await symlink("src", test.at("link"));
    expect(await ls.execute({}, test.context)).toBe(
      [
        "./  (5 files)",
        "  .gitignore  20 B",
        "  README.md  1.2 kB",
        "  empty/  (0 files)",
        "  link -> src",
        "  src/  (3 files)",
        "    a.ts  1 B",
        "    deep/  (2 files)",
        "[ignored: debug.log, node_modules/]",
      ].join("\n"),
    );
  });

  it("goes as deep as it is asked to, from where it is asked to", async () => {
    await using test = await createTestWorkspace({ "src/deep/er/c.ts": "333", "other.ts": "" });
    expect(await ls.execute({ path: "src", depth: 3 }, test.context)).toBe(
      "src/  (1 file)\n  deep/  (1 file)\n    er/  (1 file)\n      c.ts  3 B",
    );
  });

  it("respects the ignore file of the repository when a folder of it is listed", async () => {
    await using test = await createTestWorkspace({
      ".git/HEAD": "",
      ".gitignore": "dist\n",
      "pkg/dist/x.js": "",
      "pkg/a.ts": "",
    });
    expect(await ls.execute({ path: "pkg" }, test.context)).toBe("pkg/  (1 file)\n  a.ts  0 B\n[ignored: dist/]");
  });

  it("bounds what it gives of a folder with thousands of files", async () => {
    await using test = await createTestWorkspace(
      Object.fromEntries(Array.from({ length: 780 }, (_, index) => [`d${index % 6}/file-with-a-rather-long-name-${index}`, ""])),
    );
    const text = toText(await ls.execute({ depth: 5 }, test.context));
    expect(text.split("\n")[0]).toBe("./  (780 files)");
    expect(text).toContain("[30 more in this folder]");
    expect(text).toContain("[cut here: list a folder of it, or with less depth]");
    expect(text.length).toBeLessThan(16_000);
  });

  it("J5: enters no loop of links and opens no FIFO", async () => {
    await using test = await createTestWorkspace({ "a/x": "" });
    await symlink("..", test.at("a/up"));
    execFileSync("mkfifo", [test.at("fifo")]);
    expect(await ls.execute({ depth: 8 }, test.context)).toBe(
      "./  (1 file)\n  a/  (1 file)\n    up -> ..\n    x  0 B\n  fifo  (FIFO)",
    );
  });

  it("A12: shows control and direction characters of names escaped", async () => {
    await using test = await createTestWorkspace({ "a\nb\u202Ec\u001b[2J": "" });
    expect(await ls.execute({}, test.context)).toBe("./  (1 file)\n  a\\u{a}b\\u{202e}c\\u{1b}[2J  0 B");
  });

  it("gives a file as itself, and says when there is nothing", async () => {
    await using test = await createTestWorkspace({ "a.ts": "12" });
    expect(await ls.execute({ path: "a.ts" }, test.context)).toBe("a.ts  2 B");
    await expect(ls.execute({ path: "b" }, test.context)).rejects.toMatchObject({
      code: "tool_failed",
      message: "b does not exist.",
    });
  });

  it("never takes a name that begins like an artifact for a folder", async () => {
    await using test = await createTestWorkspace();
    await expect(ls.execute({ path: "artifact:x/../../.." }, test.context)).rejects.toThrow("is not a file");
  });
});
