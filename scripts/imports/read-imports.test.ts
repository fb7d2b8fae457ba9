/** Every way a module can be named is found, and nothing that only looks like one. */
import { expect, test } from "vitest";
import { readImports } from "./read-imports.ts";

const specifiersOf = (source: string, file = "a.ts"): string[] => readImports(file, source).map(({ specifier }) => specifier);

test.each([
  ['import { a } from "./x.ts";', "value"],
  ['import "./x.ts";', "side effect"],
  ['import type { A } from "./x.ts";', "type"],
  ['import { type A } from "./x.ts";', "inline type"],
  ['export { a } from "./x.ts";', "re-export"],
  ['export type { A } from "./x.ts";', "type re-export"],
  ['export * from "./x.ts";', "export all"],
  ['export * as x from "./x.ts";', "namespace export"],
  ['const x = await import("./x.ts");', "dynamic"],
  ["const x = await import(`./x.ts`);", "template"],
  ['type A = import("./x.ts").A;', "import type"],
  ['type A = typeof import("./x.ts");', "typeof import"],
  ['import x = require("./x.ts");', "import equals"],
  ['const x = require("./x.ts");', "require"],
])("%s is read (%s)", (source) => {
  expect(specifiersOf(source)).toEqual(["./x.ts"]);
});

test("comments, strings, templates, patterns and markup that look like imports are not read", () => {
  const source = [
    '// import "./a.ts";',
    '/* import "./b.ts"; */',
    'const text = "import \\"./c.ts\\"";',
    "const template = `import './d.ts' ${text}`;",
    'const pattern = /import "e"/;',
    "const half = 4 / 2; const other = 'import \"./f.ts\"' + half / 2;",
    "export const view = <p>don't import './g.ts' from \"here\"</p>;",
  ].join("\n");
  expect(specifiersOf(source, "a.tsx")).toEqual([]);
});

test("an import inside the hole of a template is read", () => {
  expect(specifiersOf('const x = `a ${(await import("./x.ts")).y} b`;')).toEqual(["./x.ts"]);
});

test("what is computed cannot be known and is left out", () => {
  expect(specifiersOf("const load = (name: string) => import(`./${name}.ts`);")).toEqual([]);
});

test("each import carries its line", () => {
  expect(readImports("a.ts", 'import "./x.ts";\n\nexport * from "./y.ts";\n')).toEqual([
    { specifier: "./x.ts", line: 1 },
    { specifier: "./y.ts", line: 3 },
  ]);
});

test("a file that cannot be parsed is an error that names it", () => {
  expect(() => readImports("broken.ts", "import {")).toThrow("broken.ts cannot be parsed");
});
