/** Each rule of the import check is broken once on purpose, in a small house that is otherwise sound. */
import { expect, test } from "vitest";
import { checkImports, type ImportRule } from "./check-imports.ts";
import { createTemporaryTree } from "./testing/temporary-tree.ts";

const manifest = (room: string, dependencies: readonly string[], more: object = {}): object => ({
  name: room === "retinue" ? room : `@retinue/${room}`,
  exports: { ".": "./src/index.ts", "./contract": "./src/contract.ts", "./testing": "./src/testing/index.ts" },
  dependencies: Object.fromEntries(dependencies.map((name) => [name, "1.0.0"])),
  ...more,
});

const ROOMS: Readonly<Record<string, readonly string[]>> = {
  protocol: ["zod"],
  model: ["@retinue/protocol"],
  store: ["@retinue/protocol"],
  client: ["@retinue/protocol"],
  runtime: ["@retinue/protocol", "@retinue/model"],
  tools: ["@retinue/protocol", "@retinue/runtime", "@retinue/model"],
  agents: ["@retinue/protocol", "@retinue/runtime", "@retinue/store"],
  engine: ["@retinue/protocol", "@retinue/runtime", "@retinue/store", "@retinue/model"],
  server: ["@retinue/protocol", "@retinue/engine", "@retinue/retinue"],
  qa: ["@retinue/client", "@retinue/engine"],
  web: ["@retinue/client", "@retinue/server"],
  retinue: ["@retinue/protocol", "@retinue/model", "@retinue/engine", "@retinue/store", "@retinue/qa", "@retinue/web"],
};

/** A sound house, with files put in or replaced. */
const houseWith = (files: Readonly<Record<string, string | object>>): string =>
  createTemporaryTree({
    "package.json": { devDependencies: { vitest: "1.0.0" } },
    ...Object.fromEntries(
      Object.entries(ROOMS).flatMap(([room, dependencies]) => [
        [`packages/${room}/package.json`, manifest(room, dependencies)],
        [`packages/${room}/src/index.ts`, "export const here = 1;\n"],
        [`packages/${room}/src/contract.ts`, "export const here = 1;\n"],
        [`packages/${room}/src/testing/index.ts`, "export const here = 1;\n"],
      ]),
    ),
    ...files,
  });

const importing = (specifier: string): string => `import { here } from "${specifier}";\nexport const there = here;\n`;

const rulesBroken = (files: Readonly<Record<string, string | object>>): ImportRule[] =>
  checkImports(houseWith(files)).map(({ rule }) => rule);

test("a sound house has no violation", () => {
  expect(
    checkImports(
      houseWith({
        "packages/model/src/a.ts": importing("@retinue/protocol"),
        "packages/runtime/src/a.ts": importing("@retinue/model/contract"),
        "packages/runtime/src/a.test.ts": `import { test } from "vitest";\n${importing("@retinue/model/testing")}`,
        "packages/runtime/src/b.test.ts": importing("@retinue/model"),
        "packages/runtime/src/c.test.ts": 'import { readFileSync } from "node:fs";\nexport { readFileSync };\n',
        "packages/runtime/src/testing/fake.ts": importing("@retinue/model/testing"),
        "packages/engine/src/a.ts": `${importing("@retinue/store")}export * from "@retinue/runtime";\n`,
        "packages/qa/src/a.ts": importing("@retinue/client"),
        "packages/retinue/src/a.ts": importing("@retinue/engine"),
        "packages/retinue/src/b.ts": importing("@retinue/model/testing"),
        "packages/retinue/bin/retinue.mjs": importing("../src/index.ts"),
        "packages/protocol/src/a.ts": importing("./index.ts"),
        "packages/tools/src/fixtures/Broken_Name.ts": importing("nowhere"),
      }),
    ),
  ).toEqual([]);
});

test.each([
  ["packages/model/src/a.ts", "@retinue/runtime"],
  ["packages/store/src/a.ts", "@retinue/runtime"],
  ["packages/client/src/a.ts", "@retinue/store"],
  ["packages/protocol/src/a.ts", "@retinue/model"],
  ["packages/runtime/src/a.ts", "@retinue/model"],
  ["packages/runtime/src/a.ts", "@retinue/store"],
  ["packages/runtime/src/a.ts", "@retinue/model/testing"],
  ["packages/tools/src/a.ts", "@retinue/model"],
  ["packages/agents/src/a.ts", "@retinue/store"],
  ["packages/engine/src/a.ts", "@retinue/model"],
  ["packages/engine/src/a.ts", "@retinue/store/testing"],
  ["packages/server/src/a.ts", "retinue"],
  ["packages/qa/src/a.ts", "@retinue/engine"],
  ["packages/web/src/a.ts", "@retinue/server"],
  ["packages/retinue/src/a.ts", "@retinue/web"],
  ["packages/store/src/a.test.ts", "@retinue/runtime"],
  ["packages/runtime/src/testing/a.ts", "@retinue/model"],
])("%s may not import %s", (file, specifier) => {
  expect(checkImports(houseWith({ [file]: importing(specifier) }))).toEqual([
    { rule: "direction", where: `${file}:1`, problem: expect.stringContaining("may not import") },
  ]);
});

test("a type import is held to the direction like any other", () => {
  expect(rulesBroken({ "packages/store/src/a.ts": 'export type A = import("@retinue/runtime").A;\n' })).toEqual(["direction"]);
});

test("a room that the table does not know is a violation", () => {
  expect(rulesBroken({ "packages/attic/package.json": manifest("attic", []) })).toEqual(["direction"]);
});

test("an import past what a package exports is a violation", () => {
  expect(rulesBroken({ "packages/model/src/a.ts": importing("@retinue/protocol/src/index.ts") })).toEqual(["exports"]);
});

test("a relative import that leaves its package is a violation", () => {
  expect(rulesBroken({ "packages/model/src/a.ts": importing("../../protocol/src/index.ts") })).toEqual(["inside"]);
});

test("a package that imports itself by name is a violation", () => {
  expect(rulesBroken({ "packages/model/src/a.ts": importing("@retinue/model") })).toEqual(["inside"]);
});

test("a dependency that the manifest does not name is a violation", () => {
  expect(rulesBroken({ "packages/model/src/a.ts": importing("undici") })).toEqual(["declared"]);
  expect(rulesBroken({ "packages/model/src/a.ts": 'import type { A } from "@scope/name/deep";\nexport type B = A;\n' })).toEqual([
    "declared",
  ]);
});

test("a room that may be imported still has to be named in the manifest", () => {
  expect(
    rulesBroken({ "packages/qa/package.json": manifest("qa", []), "packages/qa/src/a.ts": importing("@retinue/client") }),
  ).toEqual(["declared"]);
});

test("a development dependency serves tests and nothing else", () => {
  const files = { "packages/store/package.json": manifest("store", [], { devDependencies: { postgres: "1.0.0" } }) };
  expect(rulesBroken({ ...files, "packages/store/src/a.test.ts": importing("postgres") })).toEqual([]);
  expect(rulesBroken({ ...files, "packages/store/src/a.ts": importing("postgres") })).toEqual(["declared"]);
  expect(rulesBroken({ "packages/store/src/a.ts": importing("vitest") })).toEqual(["declared"]);
});

test("Node's own modules are named with their prefix", () => {
  expect(rulesBroken({ "packages/model/src/a.ts": 'import "fs";\n' })).toEqual(["declared"]);
});

test.each(["node:path", "node:util", "node:crypto"])("what runs in a browser does not import %s; its tests may", (specifier) => {
  expect(
    rulesBroken({
      "packages/protocol/src/a.ts": `import "${specifier}";\n`,
      "packages/client/src/a.ts": `import "${specifier}";\n`,
      "packages/client/src/a.test.ts": `import "${specifier}";\n`,
      "packages/runtime/src/a.ts": `import "${specifier}";\n`,
    }),
  ).toEqual(["io", "io"]);
});

test.each(["node:fs", "node:fs/promises", "node:net", "node:http", "node:child_process"])(
  "protocol and runtime do not import %s",
  (specifier) => {
    expect(
      rulesBroken({
        "packages/protocol/src/a.ts": `import "${specifier}";\n`,
        "packages/runtime/src/a.ts": `export const load = () => import("${specifier}");\n`,
        "packages/model/src/a.ts": `import "${specifier}";\n`,
      }),
    ).toEqual(["io", "io"]);
  },
);

test("files that import each other in a circle are a violation, by types too", () => {
  const violations = checkImports(
    houseWith({
      "packages/model/src/a.ts": 'import type { B } from "./b.ts";\nexport type A = B;\n',
      "packages/model/src/b.ts": 'import type { A } from "./a.ts";\nexport type B = A | 1;\n',
    }),
  );
  expect(violations).toEqual([
    {
      rule: "cycle",
      where: "packages/model/src/a.ts",
      problem: "imports run in a circle: packages/model/src/a.ts → packages/model/src/b.ts → packages/model/src/a.ts",
    },
  ]);
});

test("a circle through the entries of packages is a violation", () => {
  expect(
    rulesBroken({
      "packages/runtime/src/testing/index.ts": importing("@retinue/model/testing"),
      "packages/model/package.json": manifest("model", ["@retinue/protocol", "@retinue/runtime"]),
      "packages/model/src/testing/index.ts": importing("@retinue/runtime/testing"),
    }),
  ).toEqual(["cycle"]);
});

test.each([
  "packages/model/src/someThing.ts",
  "packages/model/src/some_thing.ts",
  "packages/model/src/Thing.test.ts",
  "packages/model/src/bigThings/thing.ts",
  "packages/model/src/utils.ts",
  "packages/model/src/helpers/thing.ts",
  "packages/model/src/common.ts",
  "packages/model/src/misc.test.ts",
  "packages/model/src/types.ts",
  "scripts/helpers.mjs",
  "examples/firstExample.ts",
])("%s is misnamed", (file) => {
  expect(checkImports(houseWith({ [file]: "export {};\n" }))).toEqual([
    { rule: "name", where: file, problem: expect.stringMatching(/kebab-case|drawer/) },
  ]);
});
