/**
 * Recorded exchanges as lines of JSON, one an exchange, so that a cassette can be read, reviewed and kept in version
 * control. No request header is kept at all, and known secrets are taken out of everything else before it is written.
 */
import { appendFile, readFile, writeFile } from "node:fs/promises";
import type { Json, JsonObject } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";

/** Bytes that are no UTF-8 by themselves, such as half a character, are kept as base64. */
export type CassetteChunk = string | { readonly base64: string };

export type CassetteRequest = {
  readonly method: string;
  readonly url: string;
  readonly body: Json;
  /** What was made anew for the recording, in the order in which it stood in the body. */
  readonly names?: readonly string[];
};

export type CassetteResponse = {
  /** 0 where the server could not be reached or closed without an answer. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: readonly CassetteChunk[];
  /** `cut`: the server broke off; `left`: the client did, so that how it would have ended is not known. */
  readonly end: "whole" | "cut" | "left";
};

export type CassetteEntry = { readonly request: CassetteRequest; readonly response: CassetteResponse };

const HEADER = { cassette: 1 } as const;

export const createCassetteFile = (file: string): Promise<void> => writeFile(file, `${JSON.stringify(HEADER)}\n`);

export const appendCassetteEntry = (file: string, entry: CassetteEntry): Promise<void> =>
  appendFile(file, `${JSON.stringify(entry)}\n`);

/** What whoever recorded it wants to be known when it is played; later lines come on top. */
export type CassetteNote = { readonly about: JsonObject };

export const appendCassetteNote = (file: string, note: CassetteNote): Promise<void> =>
  appendFile(file, `${JSON.stringify(note)}\n`);

export type CassetteContent = { readonly entries: readonly CassetteEntry[]; readonly about: JsonObject };

export const readCassetteFile = async (file: string): Promise<CassetteContent> => {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new RetinueError("cassette_mismatch", `The cassette ${file} cannot be read.`, { cause, hint: "Record it first." });
  });
  const [first, ...lines] = text.split("\n").filter((line) => line !== "");
  try {
    if (first === undefined || (JSON.parse(first) as Partial<typeof HEADER>).cassette !== HEADER.cassette)
      throw new Error("header");
    const read = lines.map((line) => JSON.parse(line) as CassetteEntry | CassetteNote);
    const about = read.flatMap((one) => ("about" in one ? [one.about] : []));
    return { entries: read.filter((one) => "request" in one), about: Object.assign({}, ...about) as JsonObject };
  } catch (cause) {
    throw new RetinueError("cassette_mismatch", `${file} is no cassette, or one that was cut.`, {
      cause,
      hint: "Record it anew.",
    });
  }
};

export const toCassetteChunk = (bytes: Buffer): CassetteChunk => {
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes) ? text : { base64: bytes.toString("base64") };
};

export const fromCassetteChunk = (chunk: CassetteChunk): Buffer =>
  typeof chunk === "string" ? Buffer.from(chunk, "utf8") : Buffer.from(chunk.base64, "base64");
