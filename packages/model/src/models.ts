/**
 * From a name to a model: aliases, then `provider/model`, split at the first slash, then a model's own id where one configured provider
 * has it. A model is made once and kept; what is wrong with a name is told with what there is instead.
 */
import { RetinueError } from "@retinue/protocol";
import { createCatalogue } from "./catalogue/catalogue.ts";
import type { ModelOverride } from "./catalogue/catalogue-entry.ts";
import { describeTraits } from "./catalogue/describe-traits.ts";
import { toFittingModel } from "./catalogue/fit-request.ts";
import type { Model } from "./contract.ts";
import { findProvidersOf } from "./find-providers-of.ts";
import { gateFor } from "./gate.ts";
import type { Env, ProviderAccess } from "./providers/access.ts";
import { findProviderAccess, toProviderAccess } from "./providers/access.ts";
import { nearestName } from "@retinue/protocol/names";
import type { ProviderSettings } from "./providers/provider.ts";
import { dockerModelRunner } from "./providers/docker-model-runner.ts";
import { PROVIDERS } from "./providers/registry.ts";
import { createPlausibleCount } from "./plausible-usage.ts";
import { needsRepair } from "./repair/needs-repair.ts";
import type { RetrySettings } from "./retry.ts";

/** Traffic that is recorded or played back: requests go to an address of its own, and models are watched for mismatches. */
export type TrafficTap = {
  readonly baseUrlFor: (baseUrl: string) => string;
  /** False: nothing leaves this machine, so that missing keys are no fault. */
  readonly needsKeys: boolean;
  readonly watch: (model: Model) => Model;
};

export type ModelsOptions = {
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  /** Short names, such as `cheap`, for `provider/model` or for another short name. */
  readonly models?: Readonly<Record<string, string>>;
  readonly retry: RetrySettings;
  /** A stream that is silent for longer has failed. */
  readonly streamIdleMs: number;
  readonly env: Env;
  /** The user's own word on models by `provider/model`, over the catalogue's. */
  readonly catalogue?: Readonly<Record<string, ModelOverride>>;
  readonly tap?: TrafficTap;
};

export type Models = {
  /** Throws `model_unknown`, `key_missing` or `settings_invalid`. The same name gives the same model. */
  readonly resolve: (name: string) => Promise<Model>;
  /** What the catalogue says of a model, in words. */
  readonly describe: (name: string) => Promise<string>;
  /** What may be asked for now: short names, then `provider/*` for every provider that has what it needs. */
  readonly names: () => readonly string[];
};

/** Names of Docker Model Runner begin with it, as in `ai/qwen3`. */
const DOCKER_PREFIX = "ai/";

export const createModels = (options: ModelsOptions): Models => {
  const { providers, models: aliases = {}, env } = options;
  const accessOf = (name: string): ProviderAccess | undefined => toProviderAccess(name, { providers, env });
  const providerNames = [...new Set([...Object.keys(providers), ...PROVIDERS.map(({ type }) => type)])];
  // Settings that can never work are told now and not in the middle of a run.
  for (const name of Object.keys(providers)) accessOf(name);

  const catalogue = createCatalogue({
    sourceOf: (name) => {
      const access = accessOf(name);
      return access?.provider.priceSource(access.baseUrl);
    },
    ...(options.catalogue === undefined ? {} : { overrides: options.catalogue }),
  });

  const known = (): ProviderAccess[] => providerNames.flatMap((name) => findProviderAccess(name, { providers, env }) ?? []);

  const names = (): readonly string[] => [
    ...Object.keys(aliases),
    ...known()
      .filter((access) => access.provider.isOptIn !== true || isConfigured(access))
      .filter(({ needsKey, apiKey, apiKeyCommand }) => !needsKey || apiKey !== undefined || apiKeyCommand !== undefined)
      .map(({ name, provider }) => (provider.type === "offline" ? `${name}/rules` : `${name}/*`)),
  ];

  const toFullName = (name: string): string => {
    const seen = [name];
    let full = name;
    while (Object.hasOwn(aliases, full)) {
      full = aliases[full] ?? full;
      if (seen.includes(full))
        throw new RetinueError(
          "settings_invalid",
          `The model name "${name}" leads back to itself: ${[...seen, full].join(" → ")}.`,
        );
      seen.push(full);
    }
    return full;
  };

  const isConfigured = ({ name, provider, apiKey }: ProviderAccess): boolean =>
    (Object.hasOwn(providers, name) && providers[name]?.isKeyless !== true) ||
    apiKey !== undefined ||
    (provider.baseUrlEnv !== undefined && (env[provider.baseUrlEnv] ?? "") !== "");

  /** Puts the provider before a name that has none. A provider that a project defined is never guessed. */
  const withProvider = async (full: string): Promise<string> => {
    const slash = full.indexOf("/");
    if (slash > 0 && accessOf(full.slice(0, slash))) return full;
    const configured = known().filter(isConfigured);
    const found = await findProvidersOf(full, { configured, catalogue, mayAsk: options.tap?.needsKeys !== false });
    if (found.length > 1)
      throw new RetinueError("model_unknown", `The model "${full}" is served by more than one provider: ${found.join(", ")}.`, {
        hint: `Name one of them: ${found.map((name) => `${name}/${full}`).join(" or ")}.`,
      });
    if (found[0] !== undefined) return `${found[0]}/${full}`;
    if (!full.startsWith(DOCKER_PREFIX)) return full;
    const runner = configured.find(({ provider }) => provider === dockerModelRunner);
    return `${runner?.name ?? dockerModelRunner.type}/${full}`;
  };

  const unknown = (asked: string, full: string): RetinueError => {
    const via = asked === full ? "" : ` (by the short name "${asked}")`;
    const [provider, rest] = full.includes("/") ? [full.slice(0, full.indexOf("/")), full.slice(full.indexOf("/"))] : [full, ""];
    const isThere = known().some(({ name }) => name === provider);
    const why =
      rest === ""
        ? "is neither a short name nor provider/model, and no configured provider lists it"
        : isThere
          ? "names no model"
          : "names no provider that there is";
    const candidates = [...(rest === "" ? Object.keys(aliases) : []), ...known().map(({ name }) => name)];
    const near = isThere ? undefined : nearestName(provider, candidates);
    const meant = near === undefined ? "" : ` Did you mean "${near}${rest}"?`;
    return new RetinueError("model_unknown", `The model "${full}"${via} ${why}.${meant} There are: ${names().join(", ")}.`);
  };

  const create = async (asked: string, full: string): Promise<Model> => {
    const slash = full.indexOf("/");
    const access = slash <= 0 ? undefined : accessOf(full.slice(0, slash));
    const model = full.slice(slash + 1);
    if (!access || model === "") throw unknown(asked, full);
    const { name, provider, baseUrl, apiKeyCommand } = access;
    const mayAskForKey = apiKeyCommand !== undefined && options.tap?.needsKeys !== false;
    const apiKey = mayAskForKey
      ? await (await import("./providers/key-command.ts")).readKeyOf(name, apiKeyCommand)
      : access.apiKey;
    const isKeyMissing = access.needsKey && apiKey === undefined && options.tap?.needsKeys !== false;
    if (isKeyMissing && access.keyEnvs.length === 0)
      throw new RetinueError(
        "key_missing",
        `The model "${full}" needs a key, and none is sent to a provider that a project defined.`,
        {
          hint: `Define providers.${name} in your own settings; or the project names apiKeyEnv for it, and you trust the project.`,
        },
      );
    if (isKeyMissing)
      throw new RetinueError("key_missing", `The model "${full}" needs a key and ${access.keyEnvs.join(", ")} is not set.`, {
        hint: `Export ${access.keyEnvs[0]}, or name another variable in providers.${name}.apiKeyEnv.`,
      });
    const { price, contextWindow: listed, traits } = await catalogue.entryOf(full);
    const contextWindow = providers[name]?.contextWindow ?? listed;
    const created = await provider.createModel({
      id: full,
      model,
      provider: name,
      baseUrl: options.tap?.baseUrlFor(baseUrl) ?? baseUrl,
      ...(apiKey === undefined ? {} : { apiKey }),
      headers: access.headers,
      // Where traffic is played back, it goes to this machine.
      ...(options.tap === undefined
        ? { reach: access.reach }
        : access.reach.query === undefined
          ? {}
          : { reach: { query: access.reach.query } }),
      // By address too, so that two servers called alike in two sets of settings do not wait for each other.
      gate: gateFor(`${name} ${baseUrl}`, { maxConcurrent: access.maxConcurrent }),
      retry: options.retry,
      streamIdleMs: options.streamIdleMs,
      price,
      count: createPlausibleCount(price),
      ...(contextWindow === null ? {} : { contextWindow }),
      traits,
      ...(access.protocol === undefined ? {} : { protocol: access.protocol }),
    });
    const isClumsy = providers[name]?.repairCalls ?? needsRepair(provider.type, model);
    const mended = isClumsy ? (await import("./repair/repaired-model.ts")).repairCalls(created) : created;
    const watched = options.tap?.watch(mended) ?? mended;
    return toFittingModel(
      {
        ...watched,
        ...(traits.images === true ? { readsImages: true } : {}),
        ...(traits.thinking?.type === "effort" || traits.thinking?.forced === true ? { thinks: true } : {}),
        ...(traits.outputTokens === undefined ? {} : { outputTokens: traits.outputTokens }),
      },
      traits,
    );
  };

  const made = new Map<string, Promise<Model>>();
  return {
    names,
    describe: async (name) => describeTraits(await catalogue.entryOf(await withProvider(toFullName(name)))),
    resolve: async (name) => {
      const full = toFullName(name);
      const earlier = made.get(full);
      if (earlier) return earlier;
      const model = withProvider(full).then((placed) => create(name, placed));
      made.set(full, model);
      // A key may be set later; a failure is not kept.
      model.catch(() => made.delete(full));
      return model;
    },
  };
};
