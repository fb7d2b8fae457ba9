/** Every secret that a session could come across: of the environment, of the settings, and of the files where people keep such. */
import { readRepositorySecrets } from "@retinue/confine";
import { secretsOf } from "@retinue/model";
import type { Settings } from "../settings/settings.ts";
import { environmentSecrets } from "./environment-secrets.ts";
import { fileSecrets } from "./file-secrets.ts";
import { secretsOfValue } from "./secret-value.ts";

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

export const findSecrets = async ({ env, settings, workspace, servers }: FindSecretsOptions): Promise<readonly string[]> => {
  const { providers, databases, store, web } = settings;
  const searchKey = web.search?.apiKeyEnv === undefined ? undefined : env[web.search.apiKeyEnv];
  const found = [
    ...environmentSecrets(env),
    ...secretsOf(providers, env),
    ...Object.values(servers).flatMap((server) => serverSecrets(server, env)),
    ...[...Object.values(databases), store.url ?? ""].flatMap((address) => secretsOfValue("", address)),
    ...(searchKey === undefined ? [] : [searchKey]),
    ...(await readRepositorySecrets(workspace)),
    ...(await fileSecrets({ home: env["HOME"], workspace, unprotected: settings.unprotected })),
  ];
  return [...new Set(found)];
};

/** What its entry hands it by names that say so, also where it is taken from a variable. */
const serverSecrets = ({ env: named = {}, headers = {} }: Server, env: NodeJS.ProcessEnv): readonly string[] => {
  return Object.entries({ ...named, ...headers }).flatMap(([name, value]) => {
    const variables = [...value.matchAll(/\$\{(\w+)/g)].flatMap(([, variable = ""]) => env[variable] ?? []);
    return variables.length === 0 ? secretsOfValue(name, value) : variables.filter((each) => each.length >= 8);
  });
};
