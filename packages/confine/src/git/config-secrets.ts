/** Credentials that people and programs leave in the settings of a repository: in addresses of remotes, and in headers that are sent with requests. */
import path from "node:path";
import { readPlainFile } from "../files/read-plain-file.ts";
import { findRepository } from "./find-repository.ts";

const MOST_BYTES = 1024 * 1024;

/** `scheme://user:password@host`, or a token in place of the user. */
const IN_ADDRESS = /([a-z][a-z\d+.-]*:\/\/)([^\s/@"']+)(@)/gi;
/** A user's name alone is none, but what is long and has no other reason to be. */
const LEAST_TOKEN_CHARS = 16;
/** `AUTHORIZATION: basic …` and the like. */
const IN_HEADER = /^(\s*extraheader\s*=\s*"?[^:\n]*:\s*(?:(?:basic|bearer|token)\s+)?)([^"\n]+?)("?\s*)$/gim;
/** Such as those for sending mail. */
const BY_NAME = /^(\s*\w*(?:password|passwd|smtppass|token|secret|apikey|oauth\w*)\s*=\s*"?)([^"\n]+?)("?\s*)$/gim;

const IN_PLACE_OF_SECRET = "redacted";

/** Replaces each where it stands, so that a short one takes nothing else with it. */
const replaceSecrets = (text: string, replace: (secret: string) => string): string => {
  const inAddress = (_: string, before: string, user: string, after: string): string => {
    const at = user.indexOf(":");
    if (at < 0) return before + (user.length < LEAST_TOKEN_CHARS ? user : replace(user)) + after;
    // Some services take the token for the user, and any word for the password.
    const name = at < LEAST_TOKEN_CHARS ? user.slice(0, at) : replace(user.slice(0, at));
    return `${before}${name}:${at + 1 < user.length ? replace(user.slice(at + 1)) : ""}${after}`;
  };
  const whole = (_: string, before: string, secret: string, after: string): string => before + replace(secret) + after;
  return text.replaceAll(IN_ADDRESS, inAddress).replaceAll(IN_HEADER, whole).replaceAll(BY_NAME, whole);
};

/** The settings with something else in the place of each; the same text where there are none. */
export const withoutConfigSecrets = (text: string): string => replaceSecrets(text, () => IN_PLACE_OF_SECRET);

export const findConfigSecrets = (text: string): readonly string[] => {
  const secrets = new Set<string>();
  replaceSecrets(text, (secret) => {
    secrets.add(secret);
    return secret;
  });
  return [...secrets];
};

/** Shorter ones could not be told from ordinary words. */
const LEAST_CHARS = 8;

/** Those of the repository that a workspace belongs to, for never being shown. */
export const readRepositorySecrets = async (workspace: string): Promise<readonly string[]> => {
  const found = await findRepository(workspace).catch(() => undefined);
  if (found === undefined) return [];
  const secrets: string[] = [];
  for (const folder of new Set([found.commonFolder, found.gitFolder]))
    for (const name of ["config", "config.worktree"])
      secrets.push(...findConfigSecrets((await readSettings(path.join(folder, name))) ?? ""));
  return [...new Set(secrets)].filter((secret) => secret.length >= LEAST_CHARS);
};

/** Undefined where there is no plain file of a sensible size. */
export const readSettings = async (file: string): Promise<string | undefined> =>
  (await readPlainFile(file, MOST_BYTES))?.toString("utf8");
