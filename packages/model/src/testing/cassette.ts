/**
 * A cassette records the real HTTP traffic of models to a file and plays it back without a network. It is a server on the
 * loopback to which models are pointed instead of their provider, so it works for every protocol and for every SDK, and
 * what it plays goes through the same sockets and parsers as the real thing.
 *
 * ```ts
 * const cassette = await openCassette({ file: "greeting.jsonl", mode: process.env.RECORD ? "record" : "play" });
 * const models = createModels({ ...settings, tap: cassette });
 * // … use the models …
 * cassette.assertDone();
 * await cassette.close();
 * ```
 */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { AssistantPart, Json, JsonObject } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { Model, ModelChunk, ModelRequest } from "../contract.ts";
import type { TrafficTap } from "../models.ts";
import type { CassetteContent, CassetteEntry, CassetteRequest, CassetteResponse } from "./cassette-file.ts";
import {
  appendCassetteEntry,
  appendCassetteNote,
  createCassetteFile,
  fromCassetteChunk,
  readCassetteFile,
  toCassetteChunk,
} from "./cassette-file.ts";
import { explainMismatch, toRequestKey } from "./cassette-match.ts";
import type { NameMap } from "./cassette-names.ts";
import { createNameMap, namesIn } from "./cassette-names.ts";
import { passOn } from "./cassette-proxy.ts";
import { createScrubber } from "./cassette-scrub.ts";

export type CassetteOptions = {
  readonly file: string;
  /** `record` starts the file anew and passes requests on; `play` answers from the file and never leaves the machine. */
  readonly mode: "record" | "play";
  /** Taken out of all that is recorded, beside what credential headers carry; see `secretsOf`. */
  readonly secrets?: readonly string[];
  /** Makes equal what may differ between two recordings, such as dates, before bodies are kept and compared. */
  readonly normalize?: (body: Json) => Json;
  /** Takes requests for the same that differ only in the tools that they declare. */
  readonly ignoreToolSchemas?: boolean;
  /** Names that are made anew each time, such as ids, for `normalize` to make equal: answers are played with those of now. Needs the flag `g`. */
  readonly madeAnew?: RegExp;
};

export type Cassette = TrafficTap & {
  /** In play: what was noted when it was recorded. */
  readonly about: JsonObject;
  /** In record: keeps something for whoever plays it. */
  readonly note: (about: JsonObject) => Promise<void>;
  /** In play: throws `cassette_mismatch` for the first request that was not recorded, or if exchanges were not played. */
  readonly assertDone: () => void;
  /** Ends what is open and waits until all is written. */
  readonly close: () => Promise<void>;
};

export const openCassette = async (options: CassetteOptions): Promise<Cassette> => {
  const scrubber = createScrubber(options.secrets ?? []);
  const { entries, about } = options.mode === "play" ? await readCassetteFile(options.file) : NOTHING;
  if (options.mode === "record") await createCassetteFile(options.file);
  const origins = new Set<string>();
  const unplayed = Map.groupBy(entries, ({ request }) => toRequestKey(request, options));
  const played = new Set<CassetteEntry>();
  const mismatches: RetinueError[] = [];
  const { madeAnew = NEVER } = options;
  const names = createNameMap();
  let writing = Promise.resolve();
  const active = new Set<Promise<void>>();

  const toRecorded = (method: string, url: string, body: string): CassetteRequest => {
    const json = parseBody(scrubber.text(body));
    const found = namesIn(json, madeAnew);
    return {
      method,
      url: scrubber.text(url),
      body: options.normalize ? options.normalize(json) : json,
      ...(found.length === 0 ? {} : { names: found }),
    };
  };

  const play = async (asked: CassetteRequest, response: ServerResponse): Promise<void> => {
    const candidates = unplayed.get(toRequestKey(asked, options)) ?? [];
    // Of several that are asked alike, the one that is about the same.
    const at = candidates.findIndex(({ request }) => names.fits(request.names ?? [], asked.names ?? []));
    const [entry] = candidates.splice(Math.max(0, at), 1);
    if (!entry) {
      const where = { unread: entries.filter((one) => !played.has(one)), read: [...played] };
      mismatches.push(new RetinueError("cassette_mismatch", `${options.file}: ${explainMismatch(asked, where)}`));
      return sendMismatch(response, mismatches.length);
    }
    played.add(entry);
    names.learn(entry.request.names ?? [], asked.names ?? []);
    await sendRecorded(response, entry.response);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    const method = request.method ?? "GET";
    const url = toUpstreamUrl(request.url ?? "", origins);
    if (!url) return void response.writeHead(404).end();
    if (options.mode === "play") return play(toRecorded(method, url.href, body), response);
    scrubber.learn(request.headers);
    const { chunks, ...recorded } = await passOn({ method, url, headers: request.headers, body }, response);
    const entry: CassetteEntry = {
      request: toRecorded(method, url.href, body),
      response: { ...recorded, chunks: scrubber.chunks(chunks).map(toCassetteChunk) },
    };
    writing = writing.then(() => appendCassetteEntry(options.file, entry));
    await writing;
  };

  const server = createServer((request, response) => {
    const exchange = answer(request, response)
      .catch(() => void response.destroy())
      .finally(() => active.delete(exchange));
    active.add(exchange);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: 0, host: "127.0.0.1" }, resolve);
  });
  const { port } = server.address() as AddressInfo; // A TCP server's address is never a string.

  return {
    baseUrlFor: (baseUrl) => {
      const { protocol, host, origin, pathname } = new URL(baseUrl);
      origins.add(origin);
      return `http://127.0.0.1:${port}/${protocol.slice(0, -1)}/${encodeURIComponent(host)}${pathname.replace(/\/+$/, "")}`;
    },
    needsKeys: options.mode === "record",
    watch: (model) => watch(model, { mismatches, names }),
    about,
    note: (more) => {
      if (options.mode === "record") writing = writing.then(() => appendCassetteNote(options.file, { about: more }));
      return writing;
    },
    assertDone: () => {
      if (mismatches[0]) throw mismatches[0];
      const left = entries.filter((entry) => !played.has(entry)).map(({ request }) => `${request.method} ${request.url}`);
      if (left.length > 0)
        throw new RetinueError(
          "cassette_mismatch",
          `${options.file}: ${left.length} exchange(s) were not played: ${left.join(", ")}.`,
        );
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      // What is nearly over is recorded whole; what never ends is cut off.
      const patience = setTimeout(() => server.closeAllConnections(), PATIENCE_MS);
      if (options.mode === "play") server.closeAllConnections();
      await Promise.all(active);
      clearTimeout(patience);
      server.closeAllConnections();
      await Promise.all([closed, writing]);
    },
  };
};

/** Matches nothing. */
const NEVER = /(?!)/g;

const NOTHING: CassetteContent = { entries: [], about: {} };

/** How long an exchange under way may go on while the cassette is closed. */
const PATIENCE_MS = 1_000;

const MISMATCH = /cassette mismatch (\d+)/;

type Watching = { readonly mismatches: readonly RetinueError[]; readonly names: NameMap };

/** A refusal of ours comes out of the model as the provider's; here it is put right. So are the names in an answer, which comes in pieces before. */
const watch = (model: Model, { mismatches, names }: Watching): Model => ({
  ...model,
  stream: async function* (request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelChunk> {
    try {
      for await (const chunk of model.stream(request, signal))
        yield chunk.type === "answer" ? { ...chunk, content: chunk.content.map((part) => toPresent(part, names)) } : chunk;
    } catch (thrown) {
      const [, number] = MISMATCH.exec(thrown instanceof Error ? thrown.message : "") ?? [];
      throw mismatches[Number(number) - 1] ?? thrown;
    }
  },
});

/** Not in reasoning, which some providers sign. */
const toPresent = (part: AssistantPart, names: NameMap): AssistantPart => {
  switch (part.type) {
    case "text":
      return { ...part, text: names.apply(part.text) };
    case "tool-call":
      return { ...part, arguments: names.apply(part.arguments) };
    case "reasoning":
      return part;
    default:
      return part satisfies never;
  }
};

const sendMismatch = (response: ServerResponse, number: number): void => {
  const error = { code: 400, status: "INVALID_ARGUMENT", type: "invalid_request_error", message: `cassette mismatch ${number}` };
  response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ type: "error", error }));
};

const sendRecorded = async (response: ServerResponse, recorded: CassetteResponse): Promise<void> => {
  if (recorded.status === 0 && recorded.end === "left") return waitForLeaving(response);
  if (recorded.status === 0) return void response.destroy();
  response.writeHead(recorded.status, recorded.headers);
  response.flushHeaders();
  for (const chunk of recorded.chunks) {
    if (response.destroyed) return;
    response.write(fromCassetteChunk(chunk));
    // A turn between them, so that they arrive apart as they did.
    await nextTurn();
  }
  if (recorded.end === "whole") return void response.end();
  if (recorded.end === "cut") return void response.destroy();
  await waitForLeaving(response);
};

/** The client left at this point; it will again. */
const waitForLeaving = async (response: ServerResponse): Promise<void> => {
  if (!response.destroyed) await new Promise((resolve) => void response.once("close", resolve));
};

/** `/https/api.example.test/v1/…` is the path here of what lies there; only where models were pointed. */
const toUpstreamUrl = (path: string, origins: ReadonlySet<string>): URL | undefined => {
  const [, scheme, host, rest] = /^\/(https?)\/([^/]+)(\/.*)$/.exec(path) ?? [];
  if (scheme === undefined || host === undefined || rest === undefined) return undefined;
  const url = URL.parse(`${scheme}://${decodeURIComponent(host)}${rest}`);
  return url && origins.has(url.origin) ? url : undefined;
};

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer); // Without an encoding set, chunks are buffers.
  return Buffer.concat(chunks).toString("utf8");
};

const parseBody = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
};
