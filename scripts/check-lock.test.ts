/** Each rule of the lock check is broken once on purpose. */
import { expect, test } from "vitest";
import { checkLock, inexactVersions, type Lock, missingOptionals, reasonProblems, resolvedUrls } from "./check-lock.ts";
import { createTemporaryTree } from "./testing/temporary-tree.ts";

test("a platform's binary that the lock leaves out is found", () => {
  const lock: Lock = {
    packages: {
      "": { optionalDependencies: { "root-linux": "1.0.0" } },
      "node_modules/tool": { optionalDependencies: { "@tool/linux": "1.0.0", "@tool/win32": "1.0.0" } },
      "node_modules/@tool/linux": {},
    },
  };
  expect(missingOptionals(lock)).toEqual([
    'the root wants "root-linux", which the lock does not hold',
    'node_modules/tool wants "@tool/win32", which the lock does not hold',
  ]);
});

test("a binary counts where Node would find it, and nowhere else", () => {
  const optionalDependencies = { binary: "1.0.0" };
  expect(
    missingOptionals({
      packages: {
        "node_modules/@scope/tool/node_modules/inner": { optionalDependencies },
        "node_modules/@scope/tool/node_modules/binary": {},
        "packages/room": { optionalDependencies: { shared: "1.0.0" } },
        "node_modules/shared": {},
      },
    }),
  ).toEqual([]);
  expect(
    missingOptionals({
      packages: { "node_modules/tool": { optionalDependencies }, "node_modules/other/node_modules/binary": {} },
    }),
  ).toHaveLength(1);
});

test("a lock that names where a package was fetched is found, a link inside the workspace is none", () => {
  expect(
    resolvedUrls({
      packages: {
        "node_modules/a": { resolved: "https://registry.example/a.tgz" },
        "node_modules/b": { resolved: "packages/b" },
        "node_modules/c": {},
      },
    }),
  ).toEqual([expect.stringContaining("node_modules/a")]);
});

test.each(["^1.0.0", "~1.0.0", "1.x", "*", "latest", ">=1.0.0", "1.0", "file:../a", "https://example.com/a.tgz"])(
  "%s is not an exact version",
  (version) => {
    expect(inexactVersions({ dependencies: { a: version } })).toHaveLength(1);
    expect(inexactVersions({ devDependencies: { a: version } })).toHaveLength(1);
    expect(inexactVersions({ optionalDependencies: { a: version } })).toHaveLength(1);
    expect(inexactVersions({ peerDependencies: { a: version } })).toHaveLength(1);
    expect(inexactVersions({ overrides: { b: { a: version } } })).toHaveLength(1);
  },
);

test.each(["1.0.0", "18.4.0-beta.17", "1.0.0+build.1"])("%s is an exact version", (version) => {
  expect(inexactVersions({ dependencies: { a: version }, overrides: { a: version, b: "$a" } })).toEqual([]);
});

const uses = (places: Record<string, string[]>): Map<string, Set<string>> =>
  new Map(Object.entries(places).map(([name, where]) => [name, new Set(where)]));

test("a dependency without a reason, a reason without a dependency and a wrong place are found", () => {
  const document = [
    "| name | where | why |",
    "| --- | --- | --- |",
    "| `a`  | model | because |",
    "| `gone` | model | because |",
  ].join("\n");
  expect(reasonProblems(document, uses({ a: ["model"], gone: ["model"] }))).toEqual([]);
  expect(reasonProblems(document, uses({ a: ["store", "model"], b: ["tools"] }))).toEqual([
    "`gone` is listed but nothing depends on it",
    "`a` is said to be used in model; it is used in model, store",
    "add a row: | `b` | tools | why |",
  ]);
  expect(reasonProblems("| `a` | model |  |", uses({ a: ["model"] }))).toHaveLength(1);
});

test("manifests and locks of the whole tree are read, and packages of our own need no reason", () => {
  const root = createTemporaryTree({
    "package.json": { name: "workspace", devDependencies: { tool: "1.0.0" } },
    "package-lock.json": { packages: { "node_modules/tool": { resolved: "https://registry.example/tool.tgz" } } },
    "toolchain/package.json": { name: "toolchain", optionalDependencies: { node: "24.0.0" } },
    "toolchain/package-lock.json": { packages: { "": { optionalDependencies: { node: "24.0.0" } } } },
    "packages/model/package.json": { name: "@retinue/model", dependencies: { zod: "^4.0.0", "@retinue/protocol": "0.1.0" } },
    "packages/protocol/package.json": { name: "@retinue/protocol" },
    "docs/dependencies.md": "| `node` | toolchain | runs it |\n| `zod` | model | schemas |\n",
  });
  expect(checkLock(root)).toEqual([
    'packages/model/package.json: zod: "^4.0.0" is not an exact version',
    expect.stringMatching(/^package-lock.json: node_modules\/tool is resolved/),
    'toolchain/package-lock.json: the root wants "node", which the lock does not hold',
    "docs/dependencies.md: add a row: | `tool` | workspace | why |",
  ]);
});
