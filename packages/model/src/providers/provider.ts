/**
 * What a provider is: where its server stands by default, where its key is found, and how a model of it is made.
 * Data but for `createModel`, which imports its protocol only when a model is asked for.
 */
import type { PriceSource } from "../catalogue/catalogue-entry.ts";
import type { Model } from "../contract.ts";
import type { WireOptions } from "../wire/wire-options.ts";

/** `providers.<name>` in settings. The values of `headers` are secrets, like the key. */
export type ProviderSettings = {
  readonly type: string;
  readonly baseUrl?: string;
  /** The environment variable that holds the key. */
  readonly apiKeyEnv?: string;
  /** A file that holds the key, and a command of the user's own settings that prints it. */
  readonly apiKeyFile?: string;
  readonly apiKeyCommand?: string;
  /** `{env:NAME}` stands for a variable. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What a provider of the type `openai` speaks; told by its address by default. */
  readonly protocol?: "responses" | "chat";
  /** Added to every URL, such as `api-version`; `{env:NAME}` as in headers. */
  readonly query?: Readonly<Record<string, string>>;
  /** The address of a proxy, in place of the environment's; `none` for none. */
  readonly proxy?: string;
  /** A file of certificates to be trusted besides the usual ones. */
  readonly ca?: string;
  /** Requests at the same time, by all runs of this process together. */
  readonly maxConcurrent?: number;
  /** Tokens that its models can hold, in place of what is known of them. Ollama is asked for as many. */
  readonly contextWindow?: number;
  /** Whether calls that its models write wrongly are mended; by default where the model is not one of the large ones. */
  readonly repairCalls?: boolean;
  /** True: no key is sent to it, wherever one is found. */
  readonly isKeyless?: boolean;
};

export type Provider = {
  /** As in `providers.<name>.type`; also its name in model names where settings give it no other. */
  readonly type: string;
  /** Absent: settings must give one. A given one without a path gets this one's path. */
  readonly baseUrl?: string;
  /** The path of an address that is given without one, where there is no `baseUrl` to take it from. */
  readonly path?: string;
  /** The variable by which the provider's own tools are told another address. */
  readonly baseUrlEnv?: string;
  /** Where its key is looked for unless settings say where; the first that is set counts. */
  readonly keyEnvs: readonly string[];
  readonly needsKey: boolean;
  /** A server one runs oneself: looked for at `baseUrl` when detecting, and tokens cost nothing. */
  readonly isLocal: boolean;
  /** Only for those who ask for it: it is not among the names that are told unless something of it is set up. */
  readonly isOptIn?: boolean;
  /** What serves when its key is there and no model is set. */
  readonly defaultModel?: string;
  /** Short names that files of agents use for its models. */
  readonly shortNames?: Readonly<Record<string, string>>;
  readonly maxConcurrent: number;
  readonly priceSource: (baseUrl: string) => PriceSource;
  readonly createModel: (options: WireOptions) => Promise<Model>;
};
