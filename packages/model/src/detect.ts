/**
 * What could serve right now: providers whose key is in the environment, and servers on this machine that answer where
 * such servers usually listen. Asking is one quick GET without any key or header of the user's, since whatever listens
 * on a port may be anything.
 */
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { request as requestSecurely } from "node:https";
import type { ProviderAccess, Env } from "./providers/access.ts";
import { toProviderAccess } from "./providers/access.ts";
import type { ProviderSettings } from "./providers/provider.ts";
import { PROVIDERS, providerOf } from "./providers/registry.ts";

export type ServedModel = { readonly name: string; readonly contextWindow?: number };

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
      const access = toAccessOrNone(name, { providers, env });
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

/** Settings at fault are told when their model is asked for; they do not hide what else is there. */
const toAccessOrNone = (...parameters: Parameters<typeof toProviderAccess>): ProviderAccess | undefined => {
  try {
    return toProviderAccess(...parameters);
  } catch {
    return undefined;
  }
};

const detect = async (access: ProviderAccess, env: Env, timeoutMs: number): Promise<Detected | undefined> => {
  const { name, provider, baseUrl } = access;
  if (access.needsKey || !(provider.isLocal || provider === providerOf("openai-compatible"))) {
    const keyEnv = access.keyEnvs.find((variable) => env[variable] !== undefined && env[variable] !== "");
    if (keyEnv === undefined) return undefined;
    const { defaultModel } = provider;
    return { type: "key", provider: name, keyEnv, ...(defaultModel === undefined ? {} : { defaultModel }) };
  }
  const models = await askForModels(`${baseUrl}/models`, timeoutMs);
  if (models === undefined) return undefined;
  return models === "locked" ? { type: "locked", provider: name, baseUrl } : { type: "server", provider: name, baseUrl, models };
};

/** No list of models is longer; what is, is no such list. */
const MOST_BYTES = 4 * 1024 * 1024;

const askForModels = async (url: string, timeoutMs: number): Promise<readonly ServedModel[] | "locked" | undefined> => {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await get(url, signal);
    const isJson = /\bjson\b/i.test(response.headers["content-type"] ?? "");
    if (!isJson) {
      response.destroy();
      return undefined;
    }
    const text = await readText(response);
    if (response.statusCode === 401 || response.statusCode === 403) return "locked";
    return response.statusCode === 200 ? toServedModels(JSON.parse(text)) : undefined;
  } catch {
    // Nobody listens, it does not answer in time or not in JSON: no model server.
    return undefined;
  }
};

/** Without an agent, so that no connection outlives the question, and without following redirects. */
const get = (url: string, signal: AbortSignal): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const ask = url.startsWith("https:") ? requestSecurely : request;
    ask(url, { agent: false, signal, headers: { accept: "application/json" } })
      .once("response", resolve)
      .once("error", reject)
      .end();
  });

const readText = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    const buffer = chunk as Buffer; // Without an encoding set, chunks are buffers.
    bytes += buffer.length;
    if (bytes > MOST_BYTES) throw new Error("too long");
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
};

/** `{"object":"list","data":[{"id":…}]}`; `data` is null with some servers that have no models. */
const toServedModels = (body: unknown): readonly ServedModel[] | undefined => {
  if (!isRecord(body) || !("data" in body) || !(Array.isArray(body["data"]) || body["data"] === null)) return undefined;
  if (body["data"] === null) return body["object"] === "list" ? [] : undefined;
  const models: ServedModel[] = [];
  for (const row of body["data"] as unknown[]) {
    if (!isRecord(row) || typeof row["id"] !== "string" || row["id"] === "") return undefined;
    const contextWindow = windowOf(row);
    models.push({ name: row["id"], ...(contextWindow === undefined ? {} : { contextWindow }) });
  }
  return models;
};

/** Each server has a word of its own for it: vLLM, llama.cpp, LM Studio and others. */
const windowOf = (row: Readonly<Record<string, unknown>>): number | undefined => {
  const meta = isRecord(row["meta"]) ? row["meta"] : {};
  const said = [
    row["max_model_len"],
    meta["n_ctx"],
    row["loaded_context_length"],
    row["context_length"],
    row["max_context_length"],
  ];
  return said.find((value): value is number => typeof value === "number" && Number.isInteger(value) && value > 0);
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
