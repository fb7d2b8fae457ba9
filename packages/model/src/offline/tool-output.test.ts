import { describe, expect, it } from "vitest";
import { parseGlob, parseGrep, parseRead } from "./tool-output.ts";

describe("outputs of tools", () => {
  it("grep: lines with their files, context passed over", () => {
    const text = "[3 matching lines in 2 files]\nsrc/a.ts:\n  2- before\n  3: limit: 1\n  …\n  9: x\n\n[id].ts:\n  1: y";
    expect(parseGrep(text)).toEqual({
      lines: [
        { path: "src/a.ts", line: 3, text: "limit: 1" },
        { path: "src/a.ts", line: 9, text: "x" },
        { path: "[id].ts", line: 1, text: "y" },
      ],
      files: [],
      more: false,
    });
  });

  it("grep: numbers of lines by file", () => {
    expect(parseGrep("[12 matching lines in 2 files; 3 files not shown]\na b.ts: 10\nc.ts: 2")).toEqual({
      lines: [],
      files: [
        { path: "a b.ts", matches: 10 },
        { path: "c.ts", matches: 2 },
      ],
      more: true,
    });
  });

  it("grep: a shortened output ends the file it was cut in", () => {
    const text =
      "[99 matching lines in 9 files]\na.ts:\n  1: x\n  2: cut of\n\n[… 500 of 900 characters are left out here. …]\n\n  7: whose?\n\nb.ts:\n  3: y";
    const { lines, more } = parseGrep(text);
    expect(lines.map(({ path, line }) => `${path}:${line}`)).toEqual(["a.ts:1", "a.ts:2", "b.ts:3"]);
    expect(more).toBe(true);
  });

  it("what has not the form holds nothing", () => {
    for (const text of [
      "",
      'No match for "x" in ..',
      "[this older output was cleared to save context]",
      "Error (tool_failed): a.ts:\n  1: x",
    ])
      expect(parseGrep(text)).toEqual({ lines: [], files: [], more: false });
    for (const text of ["", 'No file matches "*" in ..', "[this older output was cleared to save context]"])
      expect(parseGlob(text)).toEqual([]);
    expect(parseRead("[a is empty]")).toEqual([]);
  });

  it("glob: paths without the notes", () => {
    expect(parseGlob("[showing 2 of 9 files, newest first]\na.ts\n[id]/page.tsx")).toEqual(["a.ts", "[id]/page.tsx"]);
  });

  it("read: numbered lines without the notes", () => {
    expect(parseRead("    9→a → b\n   10→\n[lines 9-10 of 50; read on with offset 11]")).toEqual([
      { number: 9, text: "a → b" },
      { number: 10, text: "" },
    ]);
  });
});
