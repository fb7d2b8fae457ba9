/** The secrets that this process knows: the keys of its providers, and what its environment names as such. */

/** The part of the settings that leads to secrets. */
export type SecretSources = {
  readonly providers: Readonly<
    Record<string, { readonly apiKeyEnv?: string | undefined; readonly headers?: Readonly<Record<string, string>> | undefined }>
  >;
};

const SECRET_NAME = /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/i;

/** Shorter ones are words as well as secrets; replacing them would tear holes into every text. */
const SHORTEST = 8;

const isPath = (value: string): boolean => /^(?:[~.]?\/|[A-Za-z]:\\)/.test(value);

export const knownSecrets = (env: NodeJS.ProcessEnv, settings?: SecretSources): readonly string[] => {
  const secrets = new Set<string>();
  const add = (value: string | undefined): void => {
    const trimmed = value?.trim() ?? "";
    if (trimmed.length < SHORTEST || isPath(trimmed)) return;
    secrets.add(trimmed);
    // As they stand in a URL and inside JSON.
    secrets.add(encodeURIComponent(trimmed.toWellFormed()));
    secrets.add(JSON.stringify(trimmed).slice(1, -1));
  };
  for (const [name, value] of Object.entries(env)) if (SECRET_NAME.test(name)) add(value);
  for (const provider of Object.values(settings?.providers ?? {})) {
    if (provider.apiKeyEnv !== undefined) add(env[provider.apiKeyEnv]);
    for (const value of Object.values(provider.headers ?? {})) {
      add(value);
      add(/^\S+\s+(?<credential>\S+)$/.exec(value)?.groups?.["credential"]);
    }
  }
  return [...secrets];
};
