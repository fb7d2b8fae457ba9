import { describe, expect, test } from "vitest";
import { findPrograms } from "./find-programs.ts";

const SCRIPTS: Readonly<Record<string, string>> = {
  "build.sh": "#!/bin/sh\nset -e\n# builds\nmkdir -p out\nsh lib/copy.sh a b\necho built > out/log\n",
  "lib/copy.sh": "cp 'a b' out/\n",
  run: "#!/usr/bin/env bash\necho run\n",
  tool: "#!/usr/bin/env node\necho run\n",
  "loop.sh": "for f in *; do . ./$f; done\n",
  "sources.sh": ". lib/copy.sh\n",
  "again.sh": "sh again.sh\n",
  "moves.sh": "cd lib\nsh copy.sh\n",
  "path.sh": "PATH=. ls\n",
};

const find = async (line: string): Promise<readonly string[] | undefined> =>
  (await findPrograms(line, { read: async (file) => SCRIPTS[file] }))?.map(({ file }) => file);

describe("the scripts of a command line", () => {
  test.each<readonly [string, readonly string[]]>([
    ["sh build.sh", ["build.sh", "lib/copy.sh"]],
    ["mkdir a && sh lib/copy.sh > log 2>&1", ["lib/copy.sh"]],
    ["./run x y", ["./run"]],
    ["sh again.sh", ["again.sh"]],
    ["echo hi > made.txt", []],
  ])("%s are known", async (line, files) => {
    expect(await findPrograms(line, { read: async (file) => SCRIPTS[file.replace(/^\.\//, "")] })).toEqual(
      files.map((file) => ({ file, text: SCRIPTS[file.replace(/^\.\//, "")] })),
    );
  });

  test.each([
    "sh loop.sh",
    "sh sources.sh",
    "sh moves.sh",
    "sh path.sh",
    "sh missing.sh",
    "sh $x",
    "sh ../x.sh",
    "sh -c 'echo x'",
    "sh < build.sh",
    "./tool",
    "node x.mjs",
    "make",
    "npm test",
    "cd lib && sh copy.sh",
    "find . -exec sh {} +",
    "X=1 sh build.sh",
    "sh build.sh &",
    "sh *.sh",
    "cat build.sh | sh",
  ])("%s cannot be told", async (line) => {
    expect(await find(line)).toBeUndefined();
  });
});
