import { execFileSync } from "node:child_process";
import { symlink, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createReadTool } from "./read.ts";
import { createTestWorkspace, toText } from "@retinue/confine/testing";

const read = createReadTool();

/** A PNG of one pixel, with the size in its header changed where asked. */
const png = (width = 1, height = 1): Buffer => {
  const bytes = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
};

const numbered = (lines: number): string => Array.from({ length: lines }, (_, index) => `line ${index + 1}`).join("\n");

describe("read", () => {
  it("gives lines with their numbers", async () => {
    await using test = await createTestWorkspace({ "src/a.ts": "one\ntwo\r\n\nfour\n" });
    expect(await read.execute({ path: "src/a.ts" }, test.context)).toBe("    1→one\n    2→two\n    3→\n    4→four");
  });

  it("takes an absolute path", async () => {
    await using test = await createTestWorkspace({ "a.txt": "x" });
    expect(await read.execute({ path: test.at("a.txt") }, test.context)).toBe("    1→x");
  });

  it("leaves out a byte order mark, and keeps a last line that has no line break", async () => {
    await using test = await createTestWorkspace({ "a.txt": "\uFEFFé\nlast" });
    expect(await read.execute({ path: "a.txt" }, test.context)).toBe("    1→é\n    2→last");
  });

  it("gives the range that was asked for and says where to go on", async () => {
    await using test = await createTestWorkspace({ "a.txt": numbered(50) });
    expect(await read.execute({ path: "a.txt", offset: 10, limit: 2 }, test.context)).toBe(
      "   10→line 10\n   11→line 11\n[lines 10-11 of 50; read on with offset 12]",
    );
  });

  it("walks through a large file range by range without missing a line", async () => {
    const content = Array.from({ length: 30_000 }, (_, index) => `${index}:${"ü".repeat(index % 90)}`).join("\n");
    await using test = await createTestWorkspace({ "big.txt": content });
    const lines: string[] = [];
    for (let offset: number | undefined = 1; offset !== undefined;) {
      const text: string = toText(await read.execute({ path: "big.txt", offset }, test.context));
      expect(text.length).toBeLessThan(16_000);
      for (const line of text.split("\n")) if (!line.startsWith("[")) lines.push(line.replace(/^ *\d+→/, ""));
      const next: string | undefined = /read on with offset (\d+)\]$/.exec(text)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(lines.join("\n")).toBe(content);
  });

  it("cuts a line that is too long and says how long it is", async () => {
    await using test = await createTestWorkspace({ "a.txt": `${"x".repeat(5_000_000)}\nnext` });
    const text = toText(await read.execute({ path: "a.txt" }, test.context));
    expect(text).toContain("x [… line cut, 5000000 bytes long]\n    2→next");
    expect(text.length).toBeLessThan(3000);
  });

  it("says so when the range is past the end, and when there is nothing", async () => {
    await using test = await createTestWorkspace({ "a.txt": "one\n", empty: "" });
    await expect(read.execute({ path: "a.txt", offset: 9 }, test.context)).rejects.toMatchObject({
      code: "tool_failed",
      message: "a.txt has 1 lines; line 9 is past its end.",
    });
    expect(await read.execute({ path: "empty" }, test.context)).toBe("[empty is empty]");
  });

  it("shows an image", async () => {
    await using test = await createTestWorkspace({ "dot.png": png() });
    expect(await read.execute({ path: "dot.png" }, test.context)).toEqual({
      content: [
        { type: "text", text: "dot.png: image/png, 1×1, 70 B" },
        { type: "image", mediaType: "image/png", data: png().toString("base64") },
      ],
    });
  });

  it("J9: refuses an image of 50,000 by 50,000 pixels", async () => {
    await using test = await createTestWorkspace({ "huge.png": png(50_000, 50_000) });
    await expect(read.execute({ path: "huge.png" }, test.context)).rejects.toThrow("50000×50000, 70 B is too large to be shown.");
  });

  it("refuses binaries with a hint", async () => {
    await using test = await createTestWorkspace({ "a.bin": Buffer.from([1, 2, 0, 3]) });
    await expect(read.execute({ path: "a.bin" }, test.context)).rejects.toMatchObject({
      code: "tool_failed",
      message: "a.bin is a binary file of 4 B.",
      hint: expect.stringContaining("converts it to text"),
    });
  });

  it("shows a NUL far behind in a text by its symbol", async () => {
    await using test = await createTestWorkspace({ "a.txt": `${"text\n".repeat(4000)}a\0b` });
    expect(await read.execute({ path: "a.txt", offset: 4001 }, test.context)).toBe(" 4001→a\u2400b");
  });

  it("sends away from folders and from what is not there", async () => {
    await using test = await createTestWorkspace({ "src/a.ts": "" });
    await expect(read.execute({ path: "src" }, test.context)).rejects.toMatchObject({
      code: "tool_failed",
      message: "src is a folder.",
    });
    await expect(read.execute({ path: "no.ts" }, test.context)).rejects.toThrow("no.ts does not exist.");
    await expect(read.execute({ path: "a\0b" }, test.context)).rejects.toThrow("may not contain a NUL character");
  });

  it("J5: does not wait for a FIFO, a device or a loop of links", async () => {
    await using test = await createTestWorkspace();
    execFileSync("mkfifo", [test.at("fifo")]);
    await symlink("/dev/zero", test.at("zero"));
    await symlink("loop", test.at("loop"));
    await expect(read.execute({ path: "fifo" }, test.context)).rejects.toThrow("fifo is no regular file");
    await expect(read.execute({ path: "zero" }, test.context)).rejects.toThrow("zero is no regular file");
    await expect(read.execute({ path: "loop" }, test.context)).rejects.toThrow("symbolic link");
  });

  it("J5: refuses a file of 4 GB without reading it", async () => {
    await using test = await createTestWorkspace({ sparse: "" });
    await truncate(test.at("sparse"), 4_000_000_000);
    await expect(read.execute({ path: "sparse" }, test.context)).rejects.toThrow("sparse is a binary file of 4.0 GB.");
  });

  it("A22: follows links within the workspace, but none out of it", async () => {
    await using test = await createTestWorkspace({ "src/a.ts": "inside" });
    await writeFile(path.join(test.workspace, "..", "secret"), "canary");
    await symlink("src", test.at("alias"));
    await symlink("../secret", test.at("out"));
    expect(await read.execute({ path: "alias/a.ts" }, test.context)).toBe("    1→inside");
    await expect(read.execute({ path: "out" }, test.context)).rejects.toMatchObject({ code: "path_outside_workspace" });
  });

  it("reads kept outputs in ranges", async () => {
    await using test = await createTestWorkspace();
    const { artifactId } = await test.context.artifacts.write(numbered(5000));
    expect(await read.execute({ path: `artifact:${artifactId}`, offset: 4999 }, test.context)).toBe(
      " 4999→line 4999\n 5000→line 5000",
    );
  });

  it("never takes a name that begins like an artifact for a file", async () => {
    await using test = await createTestWorkspace({ "artifact:x/../../secret": "" });
    for (const name of ["artifact:art_9", "artifact:x/../../secret", "artifact:/../../../etc/passwd"])
      await expect(read.execute({ path: name }, test.context)).rejects.toThrow("Unknown artifact");
  });

  it("declares what it touches", () => {
    expect(read.touches({ path: "../x" })).toEqual({ paths: ["../x"] });
    expect(read).toMatchObject({ name: "read", effect: "read", repeatable: true });
  });
});
