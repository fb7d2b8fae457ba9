import { describe, expect, it } from "vitest";
import type { Edit } from "./apply-edits.ts";
import { applyEdits } from "./apply-edits.ts";

const edited = (text: string, ...edits: Edit[]): string => {
  const outcome = applyEdits(text, edits);
  if (outcome.type !== "edited") throw new Error(outcome.reason);
  return outcome.text;
};

const refused = (text: string, ...edits: Edit[]): string => {
  const outcome = applyEdits(text, edits);
  if (outcome.type !== "refused") throw new Error(`edited to ${outcome.text}`);
  return outcome.reason;
};

describe("applyEdits", () => {
  it("makes each edit on what the one before left", () => {
    expect(edited("a b", { old: "a", new: "b" }, { old: "b b", new: "c" })).toBe("c");
  });

  it("replaces every place only when asked, and does not look into what it put there", () => {
    expect(applyEdits("x x x", [{ old: "x", new: "xx", all: true }])).toEqual({
      type: "edited",
      text: "xx xx xx",
      replacements: 3,
    });
  });

  it("keeps Windows line endings though the edit has plain ones, and the other way round", () => {
    expect(edited("one\r\ntwo\r\nthree\r\n", { old: "one\ntwo", new: "1\n2\n2b" })).toBe("1\r\n2\r\n2b\r\nthree\r\n");
    expect(edited("one\ntwo\n", { old: "one\r\ntwo", new: "1\r\n2" })).toBe("1\n2\n");
  });

  it("leaves every line of a file with mixed endings as it was, and gives a new line that of its surroundings", () => {
    const mixed = "a\r\nb\nc\r\nd\ne";
    expect(edited(mixed, { old: "b\nc\nd", new: "B\nC\nD" })).toBe("a\r\nB\r\nC\r\nD\ne");
    expect(edited(mixed, { old: "e", new: "e\nf" })).toBe("a\r\nb\nc\r\nd\ne\r\nf");
    expect(edited(mixed, { old: "\nc", new: "\nC" })).toBe("a\r\nb\nC\r\nd\ne");
    expect(edited(mixed, { old: "a\n", new: "" })).toBe("b\nc\r\nd\ne");
  });

  it("keeps the lack of a final newline", () => {
    expect(edited("a\nb", { old: "b", new: "c" })).toBe("a\nc");
  });

  it("takes $ and other signs of regular expressions as they are", () => {
    expect(edited("a$1.*b", { old: "$1.*", new: "$&$$" })).toBe("a$&$$b");
  });

  it("tells the lines of several places", () => {
    expect(refused("x\ny\nx\nx", { old: "x", new: "z" })).toContain("occurs 3 times, at lines 1, 3, 4.");
  });

  it("says that nothing like it is there", () => {
    expect(refused("alpha\nbeta\n", { old: "completely different words", new: "" })).toMatch(/not found, and nothing like it/);
  });

  it("shows the nearest lines with their numbers", () => {
    const text = "one\nfunction add(a, b) {\n  return a + b;\n}\nfour\n";
    expect(refused(text, { old: "function add(a, b) {\n  return a - b;\n}", new: "" })).toBe(
      [
        "old was not found. The nearest is at lines 2-4; - is what old says, + what the file holds.",
        "     2   function add(a, b) {",
        "       -   return a - b;",
        "     3 +   return a + b;",
        "     4   }",
      ].join("\n"),
    );
  });

  it("says when only white space differs in several places, and shows it", () => {
    const reason = refused("if (x) {\n\treturn 1;\n}\nif (x) {\n\treturn 1;\n}\n", {
      old: "if (x) {\n  return 1;\n}\n",
      new: "",
    });
    expect(reason).toContain("Only the white space differs");
    expect(reason).toContain("     2 + →return 1;");
    expect(reason).toContain("- ··return 1;");
  });

  it("says when only the case differs", () => {
    expect(refused("const Name = 1;", { old: "const name = 1;", new: "" })).toContain("Only upper and lower case differ");
  });

  it("says when the new text is already there", () => {
    expect(refused("const a = 2;\n", { old: "const a = 1;", new: "const a = 2;" })).toContain(
      "The new text is already in the file",
    );
  });

  it("refuses an empty old and an edit that changes nothing", () => {
    expect(refused("a", { old: "", new: "b" })).toContain("old is empty");
    expect(refused("a", { old: "a", new: "a" })).toContain("the same");
  });

  it("changes nothing when a later edit does not fit, and says which one", () => {
    expect(
      applyEdits("a b", [
        { old: "a", new: "A" },
        { old: "zzz", new: "" },
      ]),
    ).toMatchObject({ type: "refused", number: 2 });
  });

  it("finds the nearest in a long file of long lines", () => {
    const lines = Array.from({ length: 30_000 }, (_, at) => `const value${at} = compute(${at}, "${"x".repeat(100)}");`);
    lines[23_456] = "const needle = findMe(12);";
    expect(refused(lines.join("\n"), { old: "const needle = findMe(13);", new: "" })).toContain("The nearest is at line 23457;");
  });
});

describe("L18 edits that each double a text", () => {
  it("are refused before they fill the memory", () => {
    const line = "a".repeat(1024);
    const doubling = Array.from({ length: 40 }, () => ({ old: line, new: line + line, all: true }));
    expect(refused(line, ...doubling)).toContain("the file would have more than 16 million characters");
  });

  it("are made as long as the text stays one that can be written", () => {
    const doubling = Array.from({ length: 10 }, () => ({ old: "a", new: "aa", all: true }));
    expect(edited("a", ...doubling)).toBe("a".repeat(1024));
  });

  it("replaces lines that differ in white space alone, with the white space of the file, where they stand once", () => {
    const file = "if (a) {\n\treturn  1;\n}\nreturn 22;\n";
    const outcome = applyEdits(file, [{ old: "    return 1;", new: "    log();\n    return 2;" }]);
    expect(outcome).toMatchObject({ type: "edited", text: "if (a) {\n\tlog();\n\treturn 2;\n}\nreturn 22;\n" });
    expect(outcome.type === "edited" && outcome.notes?.join()).toContain("white space");
    expect(refused("\treturn 1;\n  return 1;\n", { old: "    return 1;", new: "x" })).toContain("white space");
    expect(edited("a {\n\tremoved();\n}\n", { old: "  removed();\n", new: "" })).toBe("a {\n}\n");
    expect(refused("return 1;\n", { old: "re turn 1;", new: "x" })).toContain("not found");
  });

  it("leaves out the line numbers that are shown by read", () => {
    expect(edited("one\ntwo lines\n", { old: "    1→one\n    2→two lines", new: "    1→1\n    2→2" })).toBe("1\n2\n");
    expect(edited("port = 80\n", { old: "4\tport = 80", new: "port = 81" })).toBe("port = 81\n");
    expect(edited("4\tport = 80\n", { old: "4\tport = 80", new: "x" })).toBe("x\n");
  });

  it("says that the new text is there only where that tells something", () => {
    expect(refused("const port = 81;\n", { old: "const port = 80;", new: "const port = 81;" })).toContain("already in the file");
    expect(refused("a }\n", { old: "if (gone) { b }", new: "}" })).not.toContain("already");
    expect(refused("return value;\n", { old: "if (x) return value; // gone", new: "return value;" })).not.toContain("already");
  });
});
