/** A command that is run by a memory folder finds it empty and writable, and nobody else sees what it writes there. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { createMemoryFolder } from "./memory-folder.ts";
import { runNode } from "./run-node.ts";

test("what a command writes into its memory folder is there for it alone; where nothing can be mounted it is run as it is", async () => {
  const folder = createMemoryFolder();
  const at = folder?.path ?? mkdtempSync(path.join(tmpdir(), "rt-"));
  const script = `const fs = require("node:fs");
    fs.writeFileSync(process.argv[1] + "/a", "x");
    console.log(fs.readdirSync(process.argv[1]).join());
    process.exit(3)`;
  const ending = await runNode({
    ...(folder === undefined ? {} : { by: folder.by }),
    args: ["-e", script, at],
    cwd: path.dirname(at),
    output: "captured",
  });
  expect([ending.output, ending.exitCode]).toEqual(["a\n", 3]);
  expect(readdirSync(at)).toEqual(folder === undefined ? ["a"] : []);
  if (folder === undefined) rmSync(at, { recursive: true });
  else folder.remove();
});
