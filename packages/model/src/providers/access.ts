/**
 * Where the requests to a provider go and with what key: settings over the environment over the provider's defaults.
 * The one place that reads keys; it is a secret and is never recorded or shown.
 */
import { RetinueError } from "@retinue/protocol";
import type { Reach } from "../transport/endpoint.ts";
import { proxyOf } from "../transport/proxy-of.ts";
import { fromVariables } from "./from-variables.ts";
import { readSettingsFile } from "./settings-file.ts";
import type { Provider, ProviderSettings } from "./provider.ts";
import { PROVIDERS, providerOf } from "./registry.ts";

export type Env = Readonly<Record<string, string | undefined>>;

export type ProviderAccess = {
  /** As it stands before the slash in model names. */
  readonly name: string;
  readonly provider: Provider;
  readonly baseUrl: string;
  /** The variables in which the key is looked for, in order. */
  readonly keyEnvs: readonly string[];
  readonly apiKey?: string;
  /** Prints the key; asked when a model is made. */
  readonly apiKeyCommand?: string;
  readonly needsKey: boolean;
  readonly reach: Reach;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxConcurrent: number;
  readonly protocol?: "responses" | "chat";
};

export type AccessSources = { readonly providers: Readonly<Record<string, ProviderSettings>>; readonly env: Env };

/** The same for who only looks around: settings at fault are told when their model is asked for, and hide nothing else. */
export const findProviderAccess = (name: string, sources: AccessSources): ProviderAccess | undefined => {
  try {
    return toProviderAccess(name, sources);
  } catch {
    return undefined;
  }
};

/** Undefined where neither settings nor the registry know the name. Throws `settings_invalid`. */
export const toProviderAccess = (name: string, { providers, env }: AccessSources): ProviderAccess | undefined => {
  const settings = Object.hasOwn(providers, name) ? providers[name] : undefined;
  const provider = providerOf(settings?.type ?? name);
  if (!provider) {
    if (!settings) return undefined;
    throw new RetinueError(
      "settings_invalid",
      `providers.${name}.type is "${settings.type}"; it must be one of ${PROVIDERS.map(({ type }) => type).join(", ")}.`,
    );
  }
  const isAddressed =
    provider.baseUrl !== undefined || (provider.baseUrlEnv !== undefined && (env[provider.baseUrlEnv] ?? "") !== "");
  if (!settings && !isAddressed) return undefined;
  const named = settings?.apiKeyEnv === undefined ? provider.keyEnvs : [settings.apiKeyEnv];
  const keyEnvs = settings?.isKeyless === true ? [] : named;
  const isKeyless = settings?.isKeyless === true;
  const apiKey =
    settings?.apiKeyFile === undefined || isKeyless
      ? keyEnvs.map((variable) => env[variable]).find((value) => value !== undefined && value !== "")
      : readText(`providers.${name}.apiKeyFile`, settings.apiKeyFile).trim();
  const command = isKeyless ? undefined : settings?.apiKeyCommand;
  const baseUrl = toBaseUrl(name, provider, settings, env);
  return {
    name,
    provider,
    baseUrl,
    keyEnvs,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(command === undefined ? {} : { apiKeyCommand: command }),
    needsKey: provider.needsKey || settings?.apiKeyEnv !== undefined,
    headers: fromVariables(settings?.headers, env),
    reach: toReach(name, baseUrl, settings, env),
    maxConcurrent: settings?.maxConcurrent ?? provider.maxConcurrent,
    ...(settings?.protocol === undefined ? {} : { protocol: settings.protocol }),
  };
};

const readText = (setting: string, path: string): string => {
  try {
    return readSettingsFile(path);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new RetinueError("settings_invalid", `The file that ${setting} names cannot be read: ${why}`);
  }
};

const toReach = (name: string, baseUrl: string, settings: ProviderSettings | undefined, env: Env): Reach => {
  const query = fromVariables(settings?.query, env);
  const proxy = settings?.proxy === undefined ? proxyOf(baseUrl, env) : settings.proxy === "none" ? undefined : settings.proxy;
  const ca = settings?.ca === undefined ? undefined : readText(`providers.${name}.ca`, settings.ca);
  const way = { ...(proxy === undefined ? {} : { proxy }), ...(ca === undefined ? {} : { ca }) };
  return {
    ...(Object.keys(query).length === 0 ? {} : { query }),
    ...(Object.keys(way).length === 0 ? {} : { way }),
  };
};

const toBaseUrl = (name: string, provider: Provider, settings: ProviderSettings | undefined, env: Env): string => {
  const told = provider.baseUrlEnv === undefined ? undefined : env[provider.baseUrlEnv];
  const given = settings?.baseUrl ?? (told === "" ? undefined : told);
  if (given === undefined) {
    if (provider.baseUrl !== undefined) return provider.baseUrl;
    throw new RetinueError("settings_invalid", `providers.${name} is of type "${provider.type}" and needs a baseUrl.`);
  }
  const where = settings?.baseUrl === undefined ? String(provider.baseUrlEnv) : `providers.${name}.baseUrl`;
  const usual = provider.baseUrl === undefined ? undefined : new URL(provider.baseUrl);
  const url = parseAddress(given, provider.isLocal ? usual?.port : undefined);
  if (!url) throw new RetinueError("settings_invalid", `${where} is not an http or https address.`);
  if (url.username !== "" || url.password !== "" || url.search !== "")
    throw new RetinueError("settings_invalid", `${where} holds credentials or a query.`, {
      hint: `Put what authorises into the variable named by apiKeyEnv, or into providers.${name}.headers.`,
    });
  if (url.pathname === "/") url.pathname = usual?.pathname ?? provider.path ?? "/";
  url.hash = "";
  return url.href.replace(/\/+$/, "");
};

/** Local servers' own variables may be a mere `host` or `host:port`, and may name the address to listen on. */
const parseAddress = (given: string, usualPort: string | undefined): URL | undefined => {
  const isBare = !/^[a-z][a-z\d+.-]*:\/\//i.test(given);
  const address = isBare && usualPort !== undefined ? `http://${given}` : given;
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined;
  if (isBare && usualPort !== undefined && url.port === "") url.port = usualPort;
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  return url;
};
