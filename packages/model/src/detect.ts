/**
 * What could serve right now: providers whose key is in the environment, and servers on this machine that answer where
 * such servers usually listen. Asking is one quick GET without any key or header of the user's, since whatever listens
 * on a port may be anything.
 */
import type { ProviderAccess, Env } from "./providers/access.ts";
import { findProviderAccess } from "./providers/access.ts";
import type { ProviderSettings } from "./providers/provider.ts";
import { PROVIDERS, providerOf } from "./providers/registry.ts";
import type { ServedModel } from "./providers/served-models.ts";

export type Detected =
  /** The key is there; nothing was sent. */
  | { readonly type: "key"; readonly provider: string; readonly keyEnv: string; readonly defaultModel?: string }
  | { readonly type: "server"; readonly provider: string; readonly baseUrl: string; readonly models: readonly ServedModel[] }
  /** A server is there and wants a key before it says more. */
  | { readonly type: "locked"; readonly provider: string; readonly baseUrl: string };

export type DetectOptions = {
  readonly env: Env;
  /** As in settings; they win over the built-in ones of the same name. */
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  /** For each server; they are asked at the same time. */
  readonly timeoutMs: number;
};

/** In the order in which they would be chosen: those of the settings, then those of the registry. */
export const detectProviders = async ({ env, providers, timeoutMs }: DetectOptions): Promise<readonly Detected[]> => {
  const names = [...new Set([...Object.keys(providers), ...PROVIDERS.map(({ type }) => type)])];
  const found = await Promise.all(
    names.map(async (name) => {
      const access = findProviderAccess(name, { providers, env });
      return access && (await detect(access, env, timeoutMs));
    }),
  );
  return found.filter((one) => one !== undefined);
};

/** The model to use when none is set: the first that is there, else the built-in one that follows rules. */
export const chooseModel = (detected: readonly Detected[]): string => {
  for (const one of detected) {
    if (one.type === "key" && one.defaultModel !== undefined) return `${one.provider}/${one.defaultModel}`;
    if (one.type !== "server") continue;
    const model = one.models.find(({ name }) => !CANNOT_CHAT.test(name));
    if (model) return `${one.provider}/${model.name}`;
  }
  return "offline/rules";
};

const CANNOT_CHAT = /embed|rerank|whisper|\btts\b|moderation|\bclip\b|\bbge\b|minilm/i;

const detect = async (access: ProviderAccess, env: Env, timeoutMs: number): Promise<Detected | undefined> => {
  const { name, provider, baseUrl } = access;
  if (access.needsKey || !(provider.isLocal || provider === providerOf("openai-compatible"))) {
    const keyEnv = access.keyEnvs.find((variable) => env[variable] !== undefined && env[variable] !== "");
    if (keyEnv === undefined) return undefined;
    const { defaultModel } = provider;
    return { type: "key", provider: name, keyEnv, ...(defaultModel === undefined ? {} : { defaultModel }) };
  }
  const { readServedModels } = await import("./providers/served-models.ts");
  const models = await readServedModels(baseUrl, timeoutMs);
  if (models === undefined) return undefined;
  return models === "locked" ? { type: "locked", provider: name, baseUrl } : { type: "server", provider: name, baseUrl, models };
};
