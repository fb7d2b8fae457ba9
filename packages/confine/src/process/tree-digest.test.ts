import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { digestTree } from "./tree-digest.ts";

/** Makes a link, a file in its place and nothing in its place, over and over. */
const FLIP = `
const { symlinkSync, unlinkSync, writeFileSync } = require("node:fs");
for (let round = 0; ; round += 1) {
  for (let link = 0; link < 20; link += 1) {
    round % 2 === 0 ? symlinkSync("elsewhere", "link" + link) : writeFileSync("link" + link, "");
  }
  if (round === 0) process.stdout.write("on");
  for (let link = 0; link < 20; link += 1) unlinkSync("link" + link);
}`;

test("links that come and go while a tree is read are no failure of the reading", { timeout: 120_000 }, async () => {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-tree-")));
  await writeFile(path.join(folder, "file"), "text\n");
  const flipper = spawn(process.execPath, ["-e", FLIP], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  try {
    await once(flipper.stdout, "data");
    for (let round = 0; round < 5; round += 1) expect(await digestTree(folder)).toMatch(/^[0-9a-f]{64}$/);
  } finally {
    flipper.kill("SIGKILL");
    await once(flipper, "exit");
    await rm(folder, { recursive: true, force: true });
  }
});
