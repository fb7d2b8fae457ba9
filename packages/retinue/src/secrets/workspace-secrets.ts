/** The secrets that the `.env` files of the workspace hold for the project itself: those that a human may let a command use, and those that a test case names. Keys of the user's own are not among them. */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { readPlainText } from "@retinue/confine";
import { isEnvFile } from "./file-secrets.ts";
import { secretsOfValue } from "./secret-value.ts";

const MOST_BYTES = 256 * 1024;
const LINE = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]{0,63})[ \t]*=[ \t]*(.*?)[ \t]*$/;

/** Whole values by name, of which name and look say that they are secrets. Of a name that stands in several files the first holds. */
export const workspaceSecrets = async (workspace: string): Promise<ReadonlyMap<string, string>> =>
  new Map([...(await readEnvFiles(workspace))].filter(([name, value]) => secretsOfValue(name, value).length > 0));

/** The values of these names, whatever they look like: whoever names a secret knows that it is one, be it a PIN of four digits. */
export const namedSecrets = async (workspace: string, names: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const values = names.length === 0 ? new Map<string, string>() : await readEnvFiles(workspace);
  return new Map(
    [...new Set(names)].flatMap((name) => {
      const value = values.get(name) ?? "";
      return value === "" ? [] : [[name, value] as const];
    }),
  );
};

const readEnvFiles = async (workspace: string): Promise<ReadonlyMap<string, string>> => {
  const values = new Map<string, string>();
  for (const name of (await readdir(workspace).catch(() => [])).filter(isEnvFile).toSorted()) {
    const file = path.join(workspace, name);
    for (const line of (await readPlainText(file, MOST_BYTES, { followsLink: true })).split(/\r?\n/)) {
      const [, key, written = ""] = LINE.exec(line) ?? [];
      if (key !== undefined && !values.has(key)) values.set(key, written.replace(/^(["'])(.*)\1$/, "$2"));
    }
  }
  return values;
};
