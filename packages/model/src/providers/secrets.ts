/** All that must never reach a log, a row, an event or a child process, so that whoever writes such can redact it. */
import type { Env } from "./access.ts";
import { fromVariables } from "./from-variables.ts";
import { readSettingsFile } from "./settings-file.ts";
import type { ProviderSettings } from "./provider.ts";
import { PROVIDERS } from "./registry.ts";

/** Shorter values are no secrets, and redacting them would take ordinary words out of texts. */
const SHORTEST = 6;

/** Keys, header values and credentials inside addresses, of the given providers and of the built-in ones; longest first. */
export const secretsOf = (providers: Readonly<Record<string, ProviderSettings>>, env: Env): readonly string[] => {
  const settings = Object.values(providers);
  const variables = [...PROVIDERS.flatMap(({ keyEnvs }) => keyEnvs), ...settings.flatMap(({ apiKeyEnv }) => apiKeyEnv ?? [])];
  const addresses = [
    ...settings.flatMap(({ baseUrl }) => baseUrl ?? []),
    ...PROVIDERS.flatMap(({ baseUrlEnv }) => (baseUrlEnv === undefined ? [] : (env[baseUrlEnv] ?? []))),
  ];
  const found = [
    ...variables.flatMap((variable) => env[variable] ?? []),
    ...settings.flatMap(({ headers }) => Object.values(fromVariables(headers, env)).flatMap(headerSecrets)),
    ...settings.flatMap(({ apiKeyFile }) => (apiKeyFile === undefined ? [] : keyIn(apiKeyFile))),
    ...settings.flatMap(({ query, proxy }) => [
      // What settings write out, such as a version, is no secret; what they take from a variable is.
      ...Object.entries(fromVariables(query, env)).flatMap(([name, value]) => (query?.[name] === value ? [] : [value])),
      ...addressSecrets(proxy ?? ""),
    ]),
    ...addresses.flatMap(addressSecrets),
  ];
  const spellings = found.flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]);
  return [...new Set(spellings)]
    .filter((secret) => secret.length >= SHORTEST)
    .toSorted((left, right) => right.length - left.length);
};

const keyIn = (path: string): string[] => {
  try {
    return [readSettingsFile(path).trim()];
  } catch {
    // Told where the key is needed.
    return [];
  }
};

/** `Bearer abc` hides `abc`. */
const headerSecrets = (value: string): string[] => {
  const [, credentials] = /^\s*(?:bearer|basic|token|apikey)\s+(.+?)\s*$/i.exec(value) ?? [];
  return credentials === undefined ? [value] : [value, credentials];
};

const addressSecrets = (address: string): string[] => {
  if (!URL.canParse(address)) return [];
  const { password, searchParams } = new URL(address);
  return [password, ...searchParams.values()].filter((value) => value !== "");
};
