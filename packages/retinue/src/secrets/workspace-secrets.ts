/** The secrets that a human may let a command use: those that the `.env` files of the workspace hold for the project itself. Keys of the user's own are not among them. */
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { isEnvFile } from "./file-secrets.ts";
import { secretsOfValue } from "./secret-value.ts";

const MOST_BYTES = 256 * 1024;
const LINE = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]{0,63})[ \t]*=[ \t]*(.*?)[ \t]*$/;

/** Whole values by name. Of a name that stands in several files the first holds. */
export const workspaceSecrets = async (workspace: string): Promise<ReadonlyMap<string, string>> => {
  const values = new Map<string, string>();
  for (const name of (await readdir(workspace).catch(() => [])).filter(isEnvFile).toSorted()) {
    const file = path.join(workspace, name);
    const stats = await stat(file).catch(() => undefined);
    if (!stats?.isFile() || stats.size > MOST_BYTES) continue;
    for (const line of (await readFile(file, "utf8").catch(() => "")).split(/\r?\n/)) {
      const [, key, written = ""] = LINE.exec(line) ?? [];
      const value = written.replace(/^(["'])(.*)\1$/, "$2");
      if (key !== undefined && !values.has(key) && secretsOfValue(key, value).length > 0) values.set(key, value);
    }
  }
  return values;
};
