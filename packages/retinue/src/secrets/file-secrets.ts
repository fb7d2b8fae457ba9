/**
 * The secrets that lie in the usual files of a home and in the `.env` of a workspace. They are read only to know what may never be shown:
 * where there is no sandbox a command could print them. What cannot be read cannot be printed either.
 */
import { constants, open, readdir } from "node:fs/promises";
import path from "node:path";
import { isInScope } from "@retinue/runtime";
import { secretsOfValue } from "./secret-value.ts";
import type { Secret } from "./secret.ts";

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

export const fileSecrets = async ({ home, workspace, unprotected }: SecretPlaces): Promise<readonly Secret[]> => {
  const texts = await Promise.all([
    ...(home === undefined ? [] : NAMED.map((name) => readText(path.join(home, name)))),
    ...(await list(workspace))
      .filter((name) => isEnvFile(name) && !(unprotected.length > 0 && isInScope([unprotected], name)))
      .map((name) => readText(path.join(workspace, name))),
  ]);
  const keys = home === undefined ? [] : await list(path.join(home, ".ssh"));
  const keyTexts = await Promise.all(keys.map((name) => readText(path.join(home ?? "", ".ssh", name))));
  return [
    ...texts.flatMap(secretsOfLines),
    ...keyTexts.flatMap((text, index): Secret[] =>
      /^-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text) ? [{ name: keys[index] ?? "", value: text }] : [],
    ),
  ];
};

export const isEnvFile = (name: string): boolean => /^\.env(?:\.|$)/.test(name) && !/\.(?:example|sample|template)$/.test(name);

/** A name begins where no other does, so that a line of any length is looked at once. */
const PAIR = /(?<![\w.-])([\w.-]{1,100})["']?[ \t]{0,20}[=:][ \t]{0,20}(?:"([^"]*)"|'([^']*)'|([^\s,"']+))/g;
const SPOKEN = /\b(password|token)[ \t]{1,20}(\S+)/gi;
const PGPASS = /^[^:\s]{1,200}:(?:\d{1,5}|\*):[^:]{1,200}:[^:]{1,200}:(\S+)$/;

/** `name = value`, `name: value`, `"name": "value"`, `password value`, the last field of a .pgpass, and addresses with a password in them. */
const secretsOfLines = (text: string): readonly Secret[] =>
  text.split(/\r?\n/).flatMap((line) => {
    const [, password] = PGPASS.exec(line) ?? [];
    return [
      ...[...line.matchAll(PAIR)].flatMap(([, name = "", ...values]) =>
        secretsOfValue(name, values.find((value) => value !== undefined) ?? ""),
      ),
      ...secretsOfDotenv(line),
      ...[...line.matchAll(SPOKEN)].flatMap(([, word = "", said = ""]) => secretsOfValue(word, said)),
      ...addressesOf(line).flatMap((address) => secretsOfValue("address", address)),
      ...(password === undefined ? [] : secretsOfValue("password", password)),
    ];
  });

/** All of a line after its first equals sign: a connection string has more of them, and spaces. */
const secretsOfDotenv = (line: string): readonly Secret[] => {
  const at = line.indexOf("=");
  const name = line
    .slice(0, Math.max(at, 0))
    .replace(/^\s*export\s+/, "")
    .trim();
  const value = line
    .slice(at + 1)
    .trim()
    .replace(/^(["'])(.*)\1$/, "$2");
  return at > 0 && /[;\s]/.test(value) && /^[\w.-]{1,100}$/.test(name) ? secretsOfValue(name, value) : [];
};

/** Of each word of a line at most one: what leads up to its last at sign, from the scheme before it. */
const addressesOf = (line: string): readonly string[] =>
  line.includes("://")
    ? line.split(/[\s"',]+/).flatMap((word) => {
        const at = word.lastIndexOf("@");
        const colon = at < 0 ? -1 : word.lastIndexOf("://", at);
        const scheme = colon < 0 ? undefined : /[a-z][a-z\d+.-]*$/i.exec(word.slice(Math.max(0, colon - 30), colon))?.[0];
        return scheme === undefined ? [] : [`${scheme}${word.slice(colon)}`];
      })
    : [];

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
