/**
 * Asks a server of the OpenAI kind which models it serves: one GET without key or header of the user's, since whatever
 * listens there may be anything, and an answer is believed only if it has the shape of such a list.
 */
import { request } from "node:http";
import type { IncomingMessage } from "node:http";
import { request as requestSecurely } from "node:https";

export type ServedModel = { readonly name: string; readonly contextWindow?: number };

/** No list of models is longer; what is, is no such list. */
const MOST_BYTES = 4 * 1024 * 1024;

/** `locked` where the server wants a key first, undefined where there is no such server. */
export const readServedModels = async (
  baseUrl: string,
  timeoutMs: number,
): Promise<readonly ServedModel[] | "locked" | undefined> => {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await get(`${baseUrl}/models`, signal);
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
