import { expect, test } from "vitest";
import { rowText } from "../screen/row.ts";
import { createHighlighter } from "./highlight.ts";

const styled = (language: string, ...lines: readonly string[]): readonly string[] => {
  const highlighter = createHighlighter(language);
  return lines.map((line) =>
    (highlighter?.line(line) ?? []).map(({ text, style }) => (style === undefined ? text : `<${style}:${text}>`)).join(""),
  );
};

test.each([
  ["ts", 'const a = "x"; // why', '<keyword:const> a = <string:"x">; <comment:// why>'],
  ["ts", "return `a ${b}` + 0x1f", "<keyword:return> <string:`a ${b}`> + <number:0x1f>"],
  ["ts", 'fetch("http://a/*b*/")', 'fetch(<string:"http://a/*b*/">)'],
  ["py", "def f(x): # it's", "<keyword:def> f(x): <comment:# it's>"],
  ["sh", 'for a in "$b"; do # c', '<keyword:for> a <keyword:in> <string:"$b">; <keyword:do> <comment:# c>'],
  ["sql", "SELECT a FROM b -- all", "<keyword:SELECT> a <keyword:FROM> b <comment:-- all>"],
  ["json", '{"a": true, "b": 1.5}', '{<string:"a">: <keyword:true>, <string:"b">: <number:1.5>}'],
  ["html", '<a href="x">', '<<keyword:a> href=<string:"x">>'],
])("%s: %s", (language, line, expected) => expect(styled(language, line)).toEqual([expected]));

test("what goes on over lines is carried over, and ends where it ends", () => {
  expect(styled("ts", "a /* one", "two", "three */ const", "const")).toEqual([
    "a <comment:/* one>",
    "<comment:two>",
    "<comment:three */> <keyword:const>",
    "<keyword:const>",
  ]);
  expect(styled("py", 'x = """', "def", '"""')).toEqual(['x = <string:""">', "<string:def>", '<string:""">']);
});

test("no character is lost or added, whatever stands in a line, and names of objects are no languages", () => {
  const lines = ['"open', "`", "/*", "'''", "a\\", "\u{1F600} /* `x` */ 'y", "<!-- --> <", "x".repeat(5000), ""];
  for (const language of ["ts", "py", "rb", "sh", "sql", "yaml", "html", "css"]) {
    const highlighter = createHighlighter(language);
    expect(lines.map((line) => rowText(highlighter?.line(line) ?? []))).toEqual(lines);
  }
  expect(createHighlighter("constructor")).toBeUndefined();
  expect(createHighlighter("")).toBeUndefined();
});
