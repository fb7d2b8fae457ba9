import { execFileSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createGrepTool } from "./grep.ts";
import { createTestWorkspace, toText } from "@retinue/confine/testing";

const grep = createGrepTool();

const FILES = {
  ".gitignore": "dist/\nlocal.ts\n",
  ".env": "KEY=limit",
  "dist/a.ts": "limit",
  "local.ts": "limit",
  "src/b.ts": "// Limit of all\nexport const limit = 1;\nother\n",
  "src/a.ts": "one\ntwo\nlimit(a)\nfour\nfive\nsix\nlimit(b)\n",
  "docs/a.md": "the limit\r\n",
};

describe("grep", () => {
  it("gives matching lines by file, in the order of paths", async () => {
    await using test = await createTestWorkspace(FILES);
    expect(await grep.execute({ pattern: "limit" }, test.context)).toBe(
      [
        "[4 matching lines in 3 files]",
        "docs/a.md:",
        "  1: the limit",
        "",
        "src/a.ts:",
        "  3: limit(a)",
        "  7: limit(b)",
        "",
        "src/b.ts:",
        "  2: export const limit = 1;",
      ].join("\n"),
    );
  });

  it("K1: shows no line of a secret that lies in a folder", async () => {
    await using test = await createTestWorkspace({ "certs/server.key": "limit", id_rsa: "limit", "src/a.ts": "limit" });
    expect(await grep.execute({ pattern: "limit" }, test.context)).toBe("[1 matching line in 1 file]\nsrc/a.ts:\n  1: limit");
    const freed = createGrepTool({ unprotected: ["certs/**"] });
    expect(await freed.execute({ pattern: "limit", filesOnly: true }, test.context)).toMatch(/certs\/server\.key[^]*src\/a\.ts/);
    expect(await freed.execute({ pattern: "limit", filesOnly: true }, test.context)).not.toContain("id_rsa");
  });

  it("shows lines of context and where lines are left out", async () => {
    await using test = await createTestWorkspace(FILES);
    expect(await grep.execute({ pattern: "limit", path: "src/a.ts", context: 1 }, test.context)).toBe(
      "[2 matching lines in 1 file]\nsrc/a.ts:\n  2- two\n  3: limit(a)\n  4- four\n  …\n  6- six\n  7: limit(b)",
    );
  });

  it("takes a glob without giving up what is ignored", async () => {
    await using test = await createTestWorkspace(FILES);
    for (const glob of ["*.ts", "**/*.ts", "**"])
      expect(toText(await grep.execute({ pattern: "limit", glob }, test.context))).not.toMatch(/local\.ts|dist|\.env/);
    expect(await grep.execute({ pattern: "limit", glob: "*.md" }, test.context)).toBe(
      "[1 matching line in 1 file]\ndocs/a.md:\n  1: the limit",
    );
    expect(await grep.execute({ pattern: "limit", glob: "!src/**" }, test.context)).toContain("docs/a.md");
  });

  it("searches what is ignored or hidden when the path names it", async () => {
    await using test = await createTestWorkspace({ ...FILES, ".hidden": "limit" });
    expect(await grep.execute({ pattern: "limit", path: ".hidden" }, test.context)).toContain(".hidden:\n  1: limit");
    expect(await grep.execute({ pattern: "limit", path: "dist" }, test.context)).toContain("dist/a.ts:\n  1: limit");
  });

  it("searches a secret that the path names only where the user has set it free", async () => {
    await using test = await createTestWorkspace(FILES);
    await symlink(".env", test.at("alias"));
    for (const path of [".env", "alias"])
      await expect(grep.execute({ pattern: "limit", path }, test.context)).rejects.toMatchObject({ code: "path_protected" });
    const freed = createGrepTool({ unprotected: [".env"] });
    expect(await freed.execute({ pattern: "limit", path: ".env" }, test.context)).toContain(".env:\n  1: KEY=limit");
  });

  it("shows lines of any encoding and length as they stand in their files", async () => {
    await using test = await createTestWorkspace({
      "bom.txt": Buffer.from("\uFEFFlimit one\nlimit two\n"),
      "latin.txt": Buffer.from("caf\xe9 limit \xe9\n\xe9 limit\n", "latin1"),
      "long.txt": `${"é".repeat(400)} limit ${"x".repeat(2000)}\n${"y".repeat(200)} limit\n`,
      "wide.txt": Buffer.from("\uFEFFlimit ü\nother\nlimit ß\n", "utf16le"),
      "windows.txt": "limit\r\nlimit  \r\n",
    });
    const text = toText(await grep.execute({ pattern: "limit" }, test.context));
    for (const line of ["1: limit one", "2: limit two", "1: caf\uFFFD limit \uFFFD", "1: limit ü", "3: limit ß", "2: limit"])
      expect(text).toMatch(new RegExp(`^  ${line}$`, "m"));
    expect(text).toContain("[10 matching lines in 5 files]");
    expect(text.match(/^  \d+: /gm)).toHaveLength(10);
  });

  it("ignores case, takes text literally and counts by file when asked", async () => {
    await using test = await createTestWorkspace(FILES);
    expect(await grep.execute({ pattern: "LIMIT", ignoreCase: true, filesOnly: true }, test.context)).toBe(
      "[5 matching lines in 3 files]\ndocs/a.md: 1\nsrc/a.ts: 2\nsrc/b.ts: 2",
    );
    expect(await grep.execute({ pattern: "limit(", literal: true }, test.context)).toContain("[2 matching lines in 1 file]");
  });

  it("shows no more than was asked for and says how many there are", async () => {
    await using test = await createTestWorkspace({ "a.txt": "x\n".repeat(500), "b.txt": "x\n" });
    expect(await grep.execute({ pattern: "x", maxResults: 2 }, test.context)).toBe(
      "[501 matching lines in 2 files; showing the first 2]\na.txt:\n  1: x\n  2: x",
    );
  });

  it("says plainly that nothing matches", async () => {
    await using test = await createTestWorkspace(FILES);
    expect(await grep.execute({ pattern: "nowhere", glob: "*.ts" }, test.context)).toBe(
      'No match for "nowhere" in ., files *.ts.',
    );
  });

  it("answers an invalid pattern with what is wrong with it", async () => {
    await using test = await createTestWorkspace(FILES);
    await expect(grep.execute({ pattern: "a(b" }, test.context)).rejects.toMatchObject({
      code: "tool_failed",
      message: expect.stringMatching(/no regular expression.*unclosed group/s),
    });
  });

  it("B9: takes a pattern or a path that begins with a dash as what it is", async () => {
    await using test = await createTestWorkspace({ "-x": "--files\n" });
    expect(await grep.execute({ pattern: "--files", path: "-x" }, test.context)).toBe(
      "[1 matching line in 1 file]\n-x:\n  1: --files",
    );
  });

  it("searches kept outputs", async () => {
    await using test = await createTestWorkspace();
    await test.context.artifacts.write(`${"noise\n".repeat(100_000)}needle here\n`);
    expect(await grep.execute({ pattern: "needle", path: "artifact:art_1", context: 1 }, test.context)).toBe(
      "[1 matching line in 1 file]\nartifact:art_1:\n  100000- noise\n  100001: needle here",
    );
    await expect(grep.execute({ pattern: "x", path: "artifact:art_2" }, test.context)).rejects.toThrow(
      'Unknown artifact "art_2"',
    );
    await expect(grep.execute({ pattern: "x", path: "artifact:../../etc" }, test.context)).rejects.toThrow("Unknown artifact");
  });

  it("J4: answers a catastrophic pattern over 100 kB at once", async () => {
    await using test = await createTestWorkspace({ "a.txt": `${"a".repeat(100_000)}!` });
    expect(await grep.execute({ pattern: "^(a+)+$" }, test.context)).toBe('No match for "^(a+)+$" in ..');
  });

  it("J4: refuses a pattern that would take too much to compile, and answers a glob that would be catastrophic", async () => {
    await using test = await createTestWorkspace({ [`${"a".repeat(200)}.txt`]: "needle" });
    await expect(grep.execute({ pattern: "((a{1000}){1000}){1000}" }, test.context)).rejects.toMatchObject({
      code: "tool_failed",
      message: expect.stringMatching(/size limit|too big/),
    });
    for (const glob of [`${"*a".repeat(100)}*b`, `**/${"**/".repeat(100)}x`, `{${"a*,".repeat(150)}b}`])
      expect(await grep.execute({ pattern: "needle", glob }, test.context)).toMatch(/^No match|^\[1 matching/);
    await expect(grep.execute({ pattern: "needle", glob: "{a,b}".repeat(30) }, test.context)).rejects.toMatchObject({
      code: "tool_failed",
      message: expect.stringContaining("stand for more than"),
    });
  });

  it("J5: does not wait for a FIFO or a device, and enters no loop of links", async () => {
    await using test = await createTestWorkspace({ "d/a": "needle" });
    execFileSync("mkfifo", [test.at("fifo")]);
    await symlink("/dev/zero", test.at("zero"));
    await symlink("..", test.at("d/up"));
    await expect(grep.execute({ pattern: "x", path: "fifo" }, test.context)).rejects.toThrow("fifo is no regular file");
    await expect(grep.execute({ pattern: "x", path: "zero" }, test.context)).rejects.toThrow("zero is no regular file");
    expect(await grep.execute({ pattern: "needle" }, test.context)).toBe("[1 matching line in 1 file]\nd/a:\n  1: needle");
  });

  it("J6: bounds one line of 20 MB, a million matches and binaries", async () => {
    await using test = await createTestWorkspace({
      "line.txt": `needle${"x".repeat(20_000_000)}`,
      "many.txt": "needle\n".repeat(1_000_000),
      "binary.dat": Buffer.concat([Buffer.from([0, 1, 2]), Buffer.from("needle")]),
    });
    const text = toText(await grep.execute({ pattern: "needle", maxResults: 1000 }, test.context));
    expect(text.length).toBeLessThan(16_000);
    expect(text).toMatch(/^\[about 20000 matching lines or more; showing the first \d+\]\nline\.txt:\n {2}1: needlex/);
    expect(text).not.toContain("binary.dat");
  });

  it("ends at once when it is no longer wanted", async () => {
    await using test = await createTestWorkspace(FILES);
    test.stop();
    await expect(grep.execute({ pattern: "limit" }, test.context)).rejects.toThrow();
  });
});
