/** Reads one file into chunks: HTML and PDF by the parsers that take hostile documents, the rest as text. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { RetinueError } from "@retinue/protocol";
import { formatBytes } from "@retinue/confine";
import { readHtml } from "../../web/parse/read-html.ts";
import { readPdf } from "../../web/parse/read-pdf.ts";
import type { Chunk } from "./chunk.ts";
import { chunkLines, toLines } from "./chunk-lines.ts";
import { chunkMarkdown } from "./chunk-markdown.ts";
import type { DocumentKind } from "./document-kind.ts";

export type DocumentText = { readonly title: string; readonly chunks: readonly Chunk[] };

export type DocumentSource = {
  readonly file: string;
  readonly kind: DocumentKind;
  readonly bytes: Buffer;
  readonly signal: AbortSignal;
};

const MIB = 1024 * 1024;
const MAX_BYTES: Readonly<Record<DocumentKind, number>> = {
  markdown: 5 * MIB,
  html: 5 * MIB,
  pdf: 50 * MIB,
  text: 5 * MIB,
  source: 2 * MIB,
};
const MAX_PDF_PAGES = 2000;
const MAX_PDF_CHARS = 5 * MIB;

/** Throws what the user should read about a file that is too large. */
export const checkSize = (kind: DocumentKind, size: number): void => {
  if (size > MAX_BYTES[kind])
    throw new RetinueError(
      "tool_failed",
      `The file is ${formatBytes(size)}, more than the ${formatBytes(MAX_BYTES[kind])} that are read.`,
    );
};

export const readDocument = async ({ file, kind, bytes, signal }: DocumentSource): Promise<DocumentText> => {
  const name = path.basename(file);
  if (kind === "pdf") {
    const { title, pages } = await readPdf(
      { bytes: new Uint8Array(bytes), maxPages: MAX_PDF_PAGES, maxChars: MAX_PDF_CHARS },
      signal,
    );
    return {
      title: title ?? name,
      chunks: pages.flatMap((page, at) => chunkLines(toLines(page)).map((chunk) => onPage(chunk, at + 1))),
    };
  }
  const text = toDocumentText(bytes);
  switch (kind) {
    case "html": {
      const { title, text: markdown } = await readHtml({ html: text, url: pathToFileURL(file).href, format: "markdown" }, signal);
      const read = chunkMarkdown(markdown);
      return { title: title ?? read.title ?? name, chunks: read.chunks.map(withoutLines) };
    }
    case "markdown": {
      const { title, chunks } = chunkMarkdown(text);
      return { title: title ?? name, chunks };
    }
    case "text":
    case "source":
      return { title: name, chunks: chunkLines(toLines(text)) };
    default:
      return kind satisfies never;
  }
};

const toDocumentText = (bytes: Buffer): string => {
  if (bytes.subarray(0, 8192).includes(0)) throw new RetinueError("tool_failed", "The file is binary.");
  return new TextDecoder("utf-8").decode(bytes);
};

/** The lines of a text made from HTML or PDF are not those of the file. */
const withoutLines = ({ heading, text }: Chunk): Chunk => ({ heading, text });
const onPage = ({ heading, text }: Chunk, page: number): Chunk => ({ heading, page, text });
