/** Whether a git repository is as git makes one: without hooks that run, and without settings that name programs or other places. */
import { lstat, readdir } from "node:fs/promises";
import path from "node:path";
import { readPlainFile } from "../files/read-plain-file.ts";

/** Settings that a new or cloned repository has, and that start nothing. */
const PLAIN_SETTINGS: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)=/,
  /^user\.(?:name|email)=/,
  /^init\.defaultbranch=/,
  /^extensions\.objectformat=/,
  /^remote\.[^=]*\.fetch=/,
  /^remote\.[^=]*\.url=(?!ext::|-)/,
  /^branch\.[^=]*\.(?:remote|merge|rebase)=/,
];

const MAX_BYTES = 64 * 1024;

export const isPlainRepository = async (folder: string): Promise<boolean> => {
  try {
    if (!(await lstat(folder)).isDirectory()) return false;
    const names = await readdir(folder);
    // Either leads git to the settings of another place.
    if (names.includes("commondir") || names.includes("config.worktree") || names.includes("modules")) return false;
    const hooks = await lstat(path.join(folder, "hooks")).catch(() => undefined);
    if (hooks && !hooks.isDirectory()) return false;
    if (hooks && (await readdir(path.join(folder, "hooks"))).some((name) => !name.endsWith(".sample"))) return false;
    return await hasPlainSettings(path.join(folder, "config"));
  } catch {
    return false;
  }
};

const hasPlainSettings = async (file: string): Promise<boolean> => {
  const settings = await readPlainFile(file, MAX_BYTES);
  if (settings === undefined) return false;
  let section = "";
  for (const line of settings
    .toString("utf8")
    .split("\n")
    .map((each) => each.trim())) {
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue;
    const [, name, sub] = /^\[([\w.-]+)(?:\s+"([^"\\]*)")?\]$/.exec(line) ?? [];
    const [, key, value] = /^([A-Za-z][\w-]*)\s*=\s*([^\\]*)$/.exec(line) ?? [];
    if (name !== undefined) section = name.toLowerCase() + (sub === undefined ? "" : `.${sub}`);
    else if (key === undefined || section === "") return false;
    else if (!PLAIN_SETTINGS.some((setting) => setting.test(`${section}.${key.toLowerCase()}=${value}`))) return false;
  }
  return true;
};
