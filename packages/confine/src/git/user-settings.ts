/**
 * What of the user's own settings of git holds for our calls too: name, address, line endings, which folders are trusted, and what is ignored or marked
 * everywhere. They are asked for apart from the call itself, which then sees no home.
 */
import { lstat, realpath } from "node:fs/promises";
import path from "node:path";
import type { GitEnd } from "./git-process.ts";
import type { GitSetting } from "./harmless-config.ts";
import { CARRIED_OVER } from "./harmless-config.ts";

export type UserSettings = {
  readonly settings: readonly GitSetting[];
  /** Of the user's files those that are there, by the setting that names them. */
  readonly files: readonly { readonly key: string; readonly from: string }[];
};

export type ReadUserSettings = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** By which `includeIf` may choose. */
  readonly gitFolder: string;
  /** Starts git where the user's settings are seen. */
  readonly start: (args: readonly string[]) => Promise<GitEnd>;
};

/** With the name of the file that git takes where the setting is not made. */
const FILES = new Map([
  ["core.excludesfile", "ignore"],
  ["core.attributesfile", "attributes"],
]);

const ASKED = `^(${[...CARRIED_OVER, ...FILES.keys(), "include.path"].map((key) => key.replaceAll(".", "\\.")).join("|")}|includeif\\..*\\.path)$`;

type Remembered = { readonly signature: string; readonly until: number; readonly settings: readonly GitSetting[] };

const remembered = new Map<string, Remembered>();
const MOST_REMEMBERED = 200;
/** How long settings are believed that come from more files than were looked at. */
const BELIEVED_MS = 5000;

export const readUserSettings = async (read: ReadUserSettings): Promise<UserSettings> => {
  const { environment } = read;
  const home = environment["HOME"] ?? environment["USERPROFILE"];
  const xdg = environment["XDG_CONFIG_HOME"] || (home === undefined ? undefined : path.join(home, ".config"));
  const all = await readAll(read, home, xdg);
  const files: { key: string; from: string }[] = [];
  for (const [key, name] of FILES) {
    const named = all.findLast(([each]) => each.toLowerCase() === key)?.[1];
    const file = named === undefined ? xdg && path.join(xdg, "git", name) : expand(named, home);
    const real = file ? await realpath(file).catch(() => undefined) : undefined;
    if (real !== undefined && (await lstat(real)).isFile()) files.push({ key, from: real });
  }
  return { settings: all.filter(([key]) => CARRIED_OVER.has(key.toLowerCase())), files };
};

const readAll = async (
  { gitFolder, start }: ReadUserSettings,
  home: string | undefined,
  xdg: string | undefined,
): Promise<readonly GitSetting[]> => {
  if (home === undefined && xdg === undefined) return [];
  const sources = [home && path.join(home, ".gitconfig"), xdg && path.join(xdg, "git", "config")].filter((file) => !!file);
  const signature = await signatureOf(sources as string[]);
  const key = JSON.stringify([gitFolder, sources]);
  const before = remembered.get(key);
  if (before?.signature === signature && before.until > performance.now()) return before.settings;
  const settings = toSettings(await start(["config", "--global", "--includes", "--null", "--get-regexp", ASKED]));
  const includes = settings.some(([each]) => /^include/i.test(each));
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(key, { signature, settings, until: includes ? performance.now() + BELIEVED_MS : Infinity });
  return settings;
};

/** Says of files whether they were changed. */
export const signatureOf = async (files: readonly string[]): Promise<string> => {
  const parts: string[] = [];
  for (const file of files) {
    const stats = await lstat(file, { bigint: true }).catch(() => undefined);
    // What a link leads to may change without it.
    const real = stats?.isSymbolicLink() === true ? await realpath(file).catch(() => undefined) : undefined;
    const followed = real === undefined ? stats : await lstat(real, { bigint: true }).catch(() => undefined);
    parts.push(followed ? [followed.dev, followed.ino, followed.size, followed.mtimeNs, followed.ctimeNs].join(":") : "-");
  }
  return parts.join(" ");
};

const expand = (file: string, home: string | undefined): string | undefined =>
  path.isAbsolute(file) ? file : file.startsWith("~/") && home !== undefined ? path.join(home, file.slice(2)) : undefined;

/** `key\nvalue\0…`; none where the user has no such settings. */
const toSettings = ({ output }: GitEnd): readonly GitSetting[] =>
  output
    .split("\0")
    .filter((entry) => entry !== "")
    .map((entry): GitSetting => {
      const at = entry.indexOf("\n");
      return at < 0 ? [entry, "true"] : [entry.slice(0, at), entry.slice(at + 1)];
    });
