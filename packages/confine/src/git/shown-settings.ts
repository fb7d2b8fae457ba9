/**
 * The settings of a repository as commands in a sandbox see them: without credentials. Git finds all that it needs in them but the tokens, which are no
 * command's business.
 */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { chmod, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ShownFile } from "../sandbox/sandbox.ts";
import { readSettings, withoutConfigSecrets } from "./config-secrets.ts";

let folder: string | undefined;

/** One folder of this process, which goes with it. */
const ownFolder = (): string => {
  if (folder === undefined) {
    const made = mkdtempSync(path.join(tmpdir(), "retinue-settings-"));
    process.once("exit", () => rmSync(made, { recursive: true, force: true }));
    folder = made;
  }
  return folder;
};

/** By content, so that each is written once. */
const written = new Map<string, string>();

const MOST_MODULES = 100;

/** `gitFolder` is the folder that holds the repository's settings; those of its submodules lie below. */
export const findShownSettings = async (gitFolder: string): Promise<readonly ShownFile[]> => {
  const modules = await readdir(path.join(gitFolder, "modules")).catch((): string[] => []);
  const folders = [gitFolder, ...modules.slice(0, MOST_MODULES).map((name) => path.join(gitFolder, "modules", name))];
  const shown: ShownFile[] = [];
  for (const at of folders)
    for (const name of ["config", "config.worktree"]) {
      const text = await readSettings(path.join(at, name));
      const cleaned = text === undefined ? undefined : withoutConfigSecrets(text);
      if (cleaned !== undefined && cleaned !== text) shown.push({ path: path.join(at, name), from: await write(cleaned) });
    }
  return shown;
};

const write = async (text: string): Promise<string> => {
  const before = written.get(text);
  if (before !== undefined) return before;
  const file = path.join(ownFolder(), randomUUID());
  await writeFile(file, text, { mode: 0o444, flag: "wx" });
  // The command may run as somebody else than we do.
  await chmod(ownFolder(), 0o755);
  written.set(text, file);
  return file;
};
