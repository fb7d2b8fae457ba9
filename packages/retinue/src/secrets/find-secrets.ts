/** Every secret that a session could come across: of the environment, of the settings, and of the files where people keep such. */
import { readRepositorySecrets } from "@retinue/confine";
import { secretsOf } from "@retinue/model";
import { readdir } from "node:fs/promises";
import path from "node:path";
import type { Settings } from "../settings/settings.ts";
import { environmentSecrets } from "./environment-secrets.ts";
import { fileSecrets } from "./file-secrets.ts";
import { isRandom, isWord } from "./guessable.ts";
import { secretsOfValue } from "./secret-value.ts";
import type { Secret } from "./secret.ts";

/** As many entries of a workspace as are looked at for words. */
const MOST_NAMES = 1_000;

/** Shorter ones are no secrets, and redacting them would take ordinary words out of texts. */
const SHORTEST = 6;

export type FindSecretsOptions = {
  readonly env: NodeJS.ProcessEnv;
  readonly settings: Settings;
  readonly workspace: string;
  /** All servers of tools, those of the project among them. */
  readonly servers: Readonly<Record<string, Server>>;
};

type Server = {
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

export const findSecrets = async ({ env, settings, workspace, servers }: FindSecretsOptions): Promise<readonly Secret[]> => {
  const { providers, databases, store, web } = settings;
  const variableOf = (value: string): string | undefined => Object.entries(env).find(([, one]) => one === value)?.[0];
  const { apiKeyEnv } = web.search ?? {};
  const found = [
    ...environmentSecrets(env),
    ...secretsOf(providers, env).map((value) => ({ name: variableOf(value) ?? "provider", value })),
    ...Object.values(servers).flatMap((server) => serverSecrets(server, env)),
    ...Object.entries(databases).flatMap(([name, address]) => secretsOfValue(name, address)),
    ...secretsOfValue("store.url", store.url ?? ""),
    ...(apiKeyEnv === undefined ? [] : [{ name: apiKeyEnv, value: env[apiKeyEnv] ?? "" }]),
    ...(await readRepositorySecrets(workspace)).map((value) => ({ name: "git", value })),
    ...(await fileSecrets({ home: env["HOME"], workspace, unprotected: settings.unprotected })),
  ];
  const words = await workspaceWords(workspace);
  const byValue = new Map<string, Secret>();
  for (const secret of found) {
    const { value } = secret;
    const isHidden = value.length >= SHORTEST && (isRandom(value) || !(isWord(value) || words.has(value.toLowerCase())));
    if (isHidden && !byValue.has(value)) byValue.set(value, secret);
  }
  return [...byValue.values()];
};

/** What the workspace itself is called, and what lies in it: such a word stands in its files, and hiding it would spoil them. */
const workspaceWords = async (workspace: string): Promise<ReadonlySet<string>> => {
  const names = await readdir(workspace).catch(() => []);
  const own = [path.basename(workspace), ...names.slice(0, MOST_NAMES)];
  return new Set(own.flatMap((name) => [name, name.replace(/\.\w+$/, "")]).map((name) => name.toLowerCase()));
};

/** What its entry hands it by names that say so, also where it is taken from a variable. */
const serverSecrets = ({ env: named = {}, headers = {} }: Server, env: NodeJS.ProcessEnv): readonly Secret[] =>
  Object.entries({ ...named, ...headers }).flatMap(([name, value]) => {
    const variables = [...value.matchAll(/\$\{(\w+)/g)].flatMap(([, variable = ""]) => {
      const held = env[variable];
      return held === undefined ? [] : [{ name: variable, value: held }];
    });
    return variables.length === 0 ? secretsOfValue(name, value) : variables.filter((each) => each.value.length >= 8);
  });
