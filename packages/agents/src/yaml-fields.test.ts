import { describe, expect, test } from "vitest";
import { splitFrontMatter } from "./front-matter.ts";
import { createNotes } from "./problem.ts";
import { readYamlFields } from "./yaml-fields.ts";

const read = (text: string, leniently?: readonly string[]) => {
  const { note, problems } = createNotes("a");
  const fields = readYamlFields({ text, firstLine: 10, note, ...(leniently ? { leniently } : {}) });
  return {
    values: fields && Object.fromEntries(fields.names.map((name) => [name, fields.get(name)])),
    fields,
    notes: problems.map(({ line, severity, message }) => `${line} ${severity}: ${message}`),
  };
};

const NAMES = ["name", "description", "tools"];

describe("readYamlFields", () => {
  test("gives values and the lines they stand at", () => {
    const { fields, values } = read("# c\na: 1\nb:\n  - x\n  - y: {z: 2}\nc: |\n  text\n");
    expect(values).toEqual({ a: 1, b: ["x", { y: { z: 2 } }], c: "text\n" });
    expect(fields?.lineOf("a")).toBe(11);
    expect(fields?.lineOf("b")).toBe(12);
    expect(fields?.lineOf("b", 0)).toBe(13);
    expect(fields?.lineOf("b", 1, "y", "z")).toBe(14);
    expect(fields?.lineOf("b", 7, "nothing")).toBe(12);
    expect(fields?.lineOf("c", "nothing")).toBe(15);
    expect(fields?.lineOf("nothing")).toBe(10);
  });

  test("of nothing are none", () => {
    expect(read("").values).toEqual({});
    expect(read("# only a comment").values).toEqual({});
  });

  test.each<[string, string, string]>([
    ["fields of one name", "a: 1\na: 2", `11 error: "a" stands there twice`],
    ["fields of one name further in", "a:\n  b: 1\n  b: 2", `12 error: "b" stands there twice`],
    ["something that is no fields", "just text", "10 error: it is not a list of fields with their values"],
    ["a name that is none", "{a: 1}: 2", "10 error: the name of a field is a plain word"],
    ["an alias of nothing", "a: *b", `10 error: "a" cannot be read: its aliases lead nowhere, or to too much`],
    ["a flood of text", `a: ${"x".repeat(70_000)}`, "10 error: it has 70003 characters of YAML; 65536 is the most"],
    ["a flood of brackets", `a: ${"[".repeat(200)}`, "10 error: it is nested too deeply to be read"],
    ["a flood of dashes", "- ".repeat(200), "10 error: it is nested too deeply to be read"],
    ["a flood of colons", "a: ".repeat(2_000), "10 error: it has a line with more than 1000 colons"],
    [
      "a flood of aliases",
      `x: &x 1\n${Array.from({ length: 60 }, (_, index) => `k${index}: *x`).join("\n")}`,
      "10 error: it has too many aliases",
    ],
  ])("cannot be read of %s", (_, text, note) => {
    const { values, notes } = read(text);
    expect(values).toBeUndefined();
    expect(notes).toEqual([note]);
  });

  test("of text that is not YAML are read one by one where that is asked for", () => {
    const text = 'name: a\ndescription: Use it when: always\n\nExamples:\nuser: "x"\ntools: Read, *\n';
    expect(read(text).values).toBeUndefined();
    const { values, notes } = read(text, NAMES);
    expect(values).toEqual({ name: "a", description: 'Use it when: always\n\nExamples:\nuser: "x"', tools: "Read, *" });
    expect(notes).toHaveLength(1);
    expect(notes[0]).toMatch(/^11 notice: "description": it is not YAML: .*; it was taken as plain text$/);
  });

  test("one by one are found in any case, so that no restriction is swallowed by the text before it", () => {
    const { values } = read("description: a: b\nTools: Read\n", NAMES);
    expect(values).toEqual({ description: "a: b", Tools: "Read" });
  });

  test("one by one may not stand twice either", () => {
    const { values, notes } = read("description: a: b\ntools: Read\ntools: Bash\n", NAMES);
    expect(values).toBeUndefined();
    expect(notes).toEqual([`12 error: "tools" stands there twice`]);
  });

  test("that are indented by tabs are read all the same", () => {
    const { values, notes } = read("name: a\ntools:\n\t- Read\n\t- Grep\n", NAMES);
    expect(values).toEqual({ name: "a", tools: ["Read", "Grep"] });
    expect(notes).toEqual(["12 warning: it is indented by tabs, which YAML does not allow; they were taken as two spaces each"]);
  });
});

describe("splitFrontMatter", () => {
  test.each([
    ["plain", "---\na: 1\n---\n\nBody.\n", { yaml: "a: 1", firstLine: 2, body: "Body.", bodyLine: 4 }],
    [
      "with Windows newlines",
      "---\r\na: 1\r\n---\r\nBody.\r\nMore.",
      { yaml: "a: 1", firstLine: 2, body: "Body.\nMore.", bodyLine: 4 },
    ],
    ["with old newlines", "---\ra: 1\r---\rBody.", { yaml: "a: 1", firstLine: 2, body: "Body.", bodyLine: 4 }],
    [
      "with a byte order mark and lines before it",
      "\uFEFF\n\n---  \na: 1\n---\t\nBody.",
      { yaml: "a: 1", firstLine: 4, body: "Body.", bodyLine: 6 },
    ],
    ["empty", "---\n---\nBody.", { yaml: "", firstLine: 2, body: "Body.", bodyLine: 3 }],
    [
      "with rules in its body",
      "---\na: 1\n---\nOne.\n---\nTwo.",
      { yaml: "a: 1", firstLine: 2, body: "One.\n---\nTwo.", bodyLine: 4 },
    ],
  ])("of a file %s", (_, text, split) => {
    expect(splitFrontMatter(text)).toEqual(split);
  });
});
