/**
 * The secrets that lie in the usual files of a home and in the `.env` of a workspace. They are read only to know what may never be shown:
 * where there is no sandbox a command could print them. What cannot be read cannot be printed either.
 */
import { constants, open, readdir } from "node:fs/promises";
import path from "node:path";
import { isInScope } from "@retinue/runtime";
import { secretsOfValue } from "./secret-value.ts";

const MOST_BYTES = 256 * 1024;

/** Below a home: files of lines that name what they hold. */
const NAMED = [
  ".aws/credentials",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".pgpass",
  ".git-credentials",
  ".docker/config.json",
  ".config/gh/hosts.yml",
  ".cargo/credentials.toml",
  ".env",
];

export type SecretPlaces = {
  readonly home: string | undefined;
  readonly workspace: string;
  /** Files of the workspace that the user has set free, so that agents may know them. */
  readonly unprotected: readonly string[];
};

export const fileSecrets = async ({ home, workspace, unprotected }: SecretPlaces): Promise<readonly string[]> => {
  const texts = await Promise.all([
    ...(home === undefined ? [] : NAMED.map((name) => readText(path.join(home, name)))),
    ...(await list(workspace))
      .filter((name) => isEnvFile(name) && !(unprotected.length > 0 && isInScope([unprotected], name)))
      .map((name) => readText(path.join(workspace, name))),
  ]);
  const keys = home === undefined ? [] : await list(path.join(home, ".ssh"));
  const keyTexts = await Promise.all(keys.map((name) => readText(path.join(home ?? "", ".ssh", name))));
  return [
    ...new Set([
      ...texts.flatMap(secretsOfLines),
      ...keyTexts.filter((text) => /^-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)),
    ]),
  ];
};

const isEnvFile = (name: string): boolean => /^\.env(?:\.|$)/.test(name) && !/\.(?:example|sample|template)$/.test(name);

/** `name = value`, `name: value`, `"name": "value"`, `password value`, the last field of a .pgpass, and addresses with a password in them. */
const secretsOfLines = (text: string): readonly string[] =>
  text.split(/\r?\n/).flatMap((line) => {
    const pairs = [...line.matchAll(/([\w.-]+)["']?\s*[=:]\s*(?:"([^"]*)"|'([^']*)'|([^\s,"']+))/g)];
    const spoken = [...line.matchAll(/\b(password|token)\s+(\S+)/gi)];
    const addresses = line.match(/[a-z][a-z\d+.-]*:\/\/\S+@\S+/gi) ?? [];
    const [, password] = /^[^:\s]+:(?:\d+|\*):[^:]+:[^:]+:(\S+)$/.exec(line) ?? [];
    return [
      ...pairs.flatMap(([, name = "", ...values]) => secretsOfValue(name, values.find((value) => value !== undefined) ?? "")),
      ...spoken.flatMap(([, word = "", said = ""]) => secretsOfValue(word, said)),
      ...addresses.flatMap((address) => secretsOfValue("", address)),
      ...(password === undefined ? [] : secretsOfValue("password", password)),
    ];
  });

const list = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);

/** Nothing where there is no plain file of a sensible size. */
const readText = async (file: string): Promise<string> => {
  // Without waiting for the other end, should it be a pipe.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch(() => undefined);
  if (!handle) return "";
  try {
    const stats = await handle.stat();
    return stats.isFile() && stats.size <= MOST_BYTES ? await handle.readFile("utf8") : "";
  } catch {
    return "";
  } finally {
    await handle.close();
  }
};
