/** Reads one source file of the workspace and its symbols; runs in a worker, so that it may wait for the disk. */
import { createHash } from "node:crypto";
import { languageOf } from "./code-languages.ts";
import type { ReadSymbols } from "./read-symbols.ts";
import type { SourceAnswer, SourceRequest } from "./source-answer.ts";
import { readWorkspaceFile } from "./workspace-file.ts";

/** A file changed so shortly before it was read may change again without its time telling. */
const RACY_MS = 100;
/** No file has this time, so that it is looked at again. */
const NEVER = -1;
/** Written by programs for programs. */
const GENERATED_BYTES = 50_000;
const GENERATED_LINE_CHARS = 1000;

export const readSourceFile = async (request: SourceRequest, readSymbols: ReadSymbols): Promise<SourceAnswer> => {
  const opened = readWorkspaceFile(request);
  const language = languageOf(request.path);
  if (!opened || !language) return { type: "gone", path: request.path };
  const { bytes, size } = opened;
  const mtimeMs = Date.now() - opened.mtimeMs < RACY_MS ? NEVER : opened.mtimeMs;
  const hash = bytes === undefined ? `${size}` : createHash("sha1").update(bytes).digest("base64");
  if (hash === request.knownHash) return { type: "same", path: request.path, size, mtimeMs };
  const known = { path: request.path, size, mtimeMs, hash, language: language.name };
  const nothing = { definitions: [], uses: "" };
  if (bytes === undefined) return { type: "read", file: { ...known, ...nothing, lines: 0, left: "too large" } };
  const source = bytes.toString("utf8");
  const lines = countLines(source);
  const isGenerated = size > GENERATED_BYTES && size / (lines + 1) > GENERATED_LINE_CHARS;
  if (isGenerated || source.includes("\0")) return { type: "read", file: { ...known, ...nothing, lines, left: "generated" } };
  const symbols = await readSymbols(language, request.path, source);
  if (!symbols) return { type: "read", file: { ...known, ...nothing, lines, left: "not parsed" } };
  const uses = Array.from(symbols.uses, ([name, at]) => `\n${name}\t${at.join(",")}`).join("");
  return { type: "read", file: { ...known, lines, left: undefined, definitions: symbols.definitions, uses } };
};

const countLines = (source: string): number => {
  let lines = source === "" || source.endsWith("\n") ? 0 : 1;
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) lines += 1;
  return lines;
};
