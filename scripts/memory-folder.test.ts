/** A command that is run by a memory folder finds it empty and writable, and nobody else sees what it writes there. */
import { readdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createMemoryFolder } from "./memory-folder.ts";
import { runNode } from "./run-node.ts";

test("what a command writes into its memory folder is there for it alone, and the folder can be removed", async () => {
  const folder = createMemoryFolder();
  // Where nothing can be mounted there is none, and commands are run as they are.
  if (folder === undefined) return;
  const script = `const fs = require("node:fs");
    fs.writeFileSync(process.argv[1] + "/a", "x");
    console.log(fs.readdirSync(process.argv[1]).join());
    process.exit(3)`;
  const ending = await runNode({
    by: folder.by,
    args: ["-e", script, folder.path],
    cwd: path.dirname(folder.path),
    output: "captured",
  });
  expect([ending.output, ending.exitCode]).toEqual(["a\n", 3]);
  expect(readdirSync(folder.path)).toEqual([]);
  folder.remove();
});
