/** What an answer is, from what its server says and from its first bytes, and in which alphabet its text is written. */
import { RetinueError } from "@retinue/protocol";

export type ContentKind = "html" | "pdf" | "text";

const MIME = /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)/;

const TEXT_TYPES: ReadonlySet<string> = new Set([
  "application/json",
  "application/ld+json",
  "application/x-ndjson",
  "application/jsonl",
  "application/xml",
  "application/javascript",
  "application/x-javascript",
  "application/ecmascript",
  "application/typescript",
  "application/yaml",
  "application/x-yaml",
  "application/toml",
  "application/sql",
  "application/graphql",
  "application/x-sh",
  "application/rtf",
  "application/x-www-form-urlencoded",
  "message/rfc822",
]);

/** Types that say nothing, so that the bytes must. */
const UNTOLD: ReadonlySet<string> = new Set(["", "application/octet-stream", "binary/octet-stream", "application/unknown"]);

export const toMimeType = (contentType: string | undefined): string => MIME.exec(contentType ?? "")?.[1]?.toLowerCase() ?? "";

/** Before the body is read. Undefined where only the bytes can tell; throws for what cannot be read. */
export const toToldKind = (contentType: string | undefined): ContentKind | undefined => {
  const type = toMimeType(contentType);
  if (UNTOLD.has(type)) return undefined;
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  if (type === "application/pdf" || type === "application/x-pdf") return "pdf";
  if (type.startsWith("text/") || TEXT_TYPES.has(type) || /\+(json|xml|yaml)$/.test(type)) return "text";
  throw refuseType(type);
};

const SNIFF_BYTES = 8 * 1024;

/** After the body was read; the bytes overrule a server that calls a PDF or a program text. */
export const toContentKind = (told: ContentKind | undefined, bytes: Buffer): ContentKind => {
  const head = bytes.subarray(0, SNIFF_BYTES);
  if (head.subarray(0, 1024).includes("%PDF-")) return "pdf";
  if (told === "pdf") throw new RetinueError("tool_failed", "The answer calls itself a PDF and is none.");
  // UTF-16 is text with many NULs and begins with a mark.
  if (head.includes(0) && !isUtf16(head)) throw refuseType("a binary file");
  if (told !== undefined) return told;
  return /^\s*(<!doctype html|<html|<head|<body|<!--)/i.test(head.toString("latin1")) ? "html" : "text";
};

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^image\//, "Images are not fetched; a screenshot of the page by the browser tools can show them."],
  [/^(audio|video)\//, "Sound and film are not fetched; look for a transcript."],
  [
    /zip|tar|gzip|compressed|rar|7z/,
    "Archives are not fetched; a shell command can download and unpack it where that is allowed.",
  ],
  [/word|excel|powerpoint|officedocument|opendocument/, "Look for the same document as a page, PDF or text."],
];

const refuseType = (type: string): RetinueError =>
  new RetinueError("tool_failed", `The answer is ${type}, which cannot be read as text.`, {
    hint: HINTS.find(([pattern]) => pattern.test(type))?.[1] ?? "Only web pages, PDF, JSON and other text are read.",
  });

/** Text of any alphabet that the web knows; UTF-8 where nothing is said. */
export const decodeText = (bytes: Buffer, contentType: string | undefined, kind: ContentKind): string => {
  const charset = toMark(bytes) ?? toCharset(contentType) ?? (kind === "html" ? toMetaCharset(bytes) : undefined);
  try {
    return new TextDecoder(charset ?? "utf-8").decode(bytes);
  } catch {
    // An alphabet that nobody knows.
    return new TextDecoder("utf-8").decode(bytes);
  }
};

const isUtf16 = (head: Buffer): boolean => toMark(head)?.startsWith("utf-16") === true;

const toMark = (bytes: Buffer): string | undefined => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? "utf-8" : undefined;
};

const toCharset = (text: string | undefined): string | undefined => /charset\s*=\s*["']?([\w:-]{1,40})/i.exec(text ?? "")?.[1];

const toMetaCharset = (bytes: Buffer): string | undefined =>
  toCharset(/<meta[^>]{0,400}charset[^>]{0,400}>/i.exec(bytes.subarray(0, 2048).toString("latin1"))?.[0]);
