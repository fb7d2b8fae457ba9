/**
 * A second process that keeps changing what lies under a name of the workspace while tools use it: links that lead in turn to what may be read, to a
 * secret of the workspace and to a file outside, and a folder that is exchanged with links.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";

export type FlipRace = {
  /** How often the names were changed so far is not told; that they were, is. */
  readonly stop: () => Promise<void>;
};

export const CANARY = "canary-key-93c2f1";

/**
 * Makes in the workspace `flip.txt` (a file in turn plain, a secret and outside) and `flip/` (a folder in turn plain, one of secrets, and outside),
 * each with `config.json`, and begins to change them.
 */
export const startFlipRace = async (workspace: string): Promise<FlipRace> => {
  const outside = path.join(path.dirname(workspace), "outside");
  const folders = { plain: path.join(workspace, "plain"), secret: path.join(workspace, ".docker"), outside };
  for (const folder of Object.values(folders)) {
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, "config.json"), folder === folders.plain ? "a plain word\n" : `${CANARY} word\n`);
  }
  await writeFile(path.join(workspace, ".env"), `${CANARY} word\n`);
  await writeFile(path.join(workspace, "plain.txt"), "a plain word\n");
  await symlink("plain.txt", path.join(workspace, "flip.txt"));
  await mkdir(path.join(workspace, "real"));
  await writeFile(path.join(workspace, "real/config.json"), "a plain word\n");
  await symlink("plain", path.join(workspace, "flip"));
  const child = spawn(process.execPath, ["--input-type=module", "-e", FLIP, outside], {
    cwd: workspace,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  await once(child.stdout, "data");
  return {
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
};

/** `real` is a folder that gives way to a link for moments, as a walk through folders meets it. */
const FLIP = `
import { renameSync, rmSync, symlinkSync } from "node:fs";
const outside = process.argv[1];
const put = (target, name) => { try { rmSync("tmp-link", { force: true }); symlinkSync(target, "tmp-link"); renameSync("tmp-link", name); } catch {} };
const spin = () => { const until = performance.now() + Math.random() * 0.4; while (performance.now() < until); };
process.stdout.write("ready");
for (;;) {
  for (const [file, folder] of [["plain.txt", "plain"], [".env", ".docker"], ["plain.txt", "plain"], [outside + "/config.json", outside]]) {
    put(file, "flip.txt");
    put(folder, "flip");
    spin();
    try { renameSync("real", "kept"); symlinkSync(folder, "real"); spin(); rmSync("real"); renameSync("kept", "real"); } catch {}
    spin();
  }
}
`;
