/**
 * `web_fetch`: a page of the web as readable Markdown, the text of a PDF, JSON and other text as it is. The output is a first line in
 * brackets that names the source, then the text between two marks.
 */
import { RetinueError } from "@retinue/protocol";
import type { AnyTool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { count, formatBytes } from "@retinue/confine";
import type { ContentKind } from "./content-kind.ts";
import { decodeText, toContentKind, toMimeType, toToldKind } from "./content-kind.ts";
import type { GuardOptions } from "@retinue/confine";
import { createGuard } from "@retinue/confine";
import type { GuardedResponse } from "./guarded-request.ts";
import { requestGuarded } from "./guarded-request.ts";
import { toHost } from "@retinue/confine";
import { readHtml } from "./parse/read-html.ts";
import { readPdf } from "./parse/read-pdf.ts";
import type { Body } from "./read-body.ts";
import { ACCEPT_ENCODING, readBody } from "./read-body.ts";
import { toRequestError } from "./request-error.ts";
import { wrapUntrusted } from "./untrusted-text.ts";

export type WebFetchOptions = GuardOptions & {
  /** Redirects to other hosts are told to the model, so that each host is judged by itself; `follow` goes there at once. */
  readonly otherHosts?: "tell" | "follow";
  /** After decompression; 5 MiB by default. */
  readonly maxBytes?: number;
  /** 20 MiB by default. */
  readonly maxPdfBytes?: number;
  /** For the whole of the request; 20 seconds by default. */
  readonly timeLimitMs?: number;
  /** Certificates to trust besides those of the system, as PEM. */
  readonly ca?: string;
};

const MIB = 1024 * 1024;
const MAX_BYTES = 5 * MIB;
const MAX_PDF_BYTES = 20 * MIB;
const TIME_LIMIT_MS = 20_000;
const MAX_PDF_PAGES = 500;
const DEFAULT_CHARS = 100_000;
const MAX_CHARS = 1_000_000;

const ACCEPT = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/pdf;q=0.8, text/*;q=0.8, */*;q=0.5";

const INPUT = z.object({
  url: z.string().min(1).max(8192),
  format: z.enum(["markdown", "text", "raw"]).default("markdown"),
  maxChars: z.number().int().min(100).max(MAX_CHARS).default(DEFAULT_CHARS),
});

type WebFetchInput = z.infer<typeof INPUT>;

export const createWebFetch = (options: WebFetchOptions = {}): AnyTool => {
  const guard = createGuard(options);
  const timeLimitMs = options.timeLimitMs ?? TIME_LIMIT_MS;
  return defineTool<WebFetchInput>({
    name: "web_fetch",
    description: "Fetches an http(s) address: pages as Markdown, PDF as text; redirects to other hosts are told.",
    input: INPUT,
    effect: "network",
    repeatable: true,
    timeoutMs: timeLimitMs + 30_000,
    touches: ({ url }) => ({ hosts: hostsOf(url), about: url }),
    execute: async (input, context) => {
      const limit = AbortSignal.timeout(timeLimitMs);
      const signal = AbortSignal.any([context.signal, limit]);
      try {
        const response = await requestGuarded({
          guard,
          url: input.url,
          headers: { accept: ACCEPT, "accept-encoding": ACCEPT_ENCODING, "accept-language": "en, *;q=0.5" },
          otherHosts: options.otherHosts === "follow" ? "follow" : "hand-back",
          signal,
          ...(options.ca === undefined ? {} : { ca: options.ca }),
        });
        if (response.type === "redirect") return toRedirectText(response.from, response.to);
        const fetched = await readFetched(response, options, signal);
        // From here on the parsers have their own limits.
        return await toOutput(fetched, input, context.signal);
      } catch (thrown) {
        if (limit.aborted && !context.signal.aborted)
          throw new RetinueError("tool_timeout", `${hostsOf(input.url).join()} took longer than ${timeLimitMs / 1000} s.`, {
            hint: "Try another source.",
          });
        throw thrown;
      }
    },
  });
};

/** None for what is no address; such a call is answered with what is wrong with it. */
const hostsOf = (url: string): readonly string[] => {
  const parsed = URL.parse(url);
  return parsed === null || parsed.hostname === "" ? [] : [toHost(parsed)];
};

const toRedirectText = (from: URL, to: URL): string =>
  `${from.href} redirects to another host:\n${to.href}\nNothing was fetched from there. Call web_fetch with that address if it is what you want.`;

type Fetched = Body & { readonly url: URL; readonly kind: ContentKind; readonly contentType: string | undefined };

const readFetched = async (
  { url, status, headers, body, close }: Extract<GuardedResponse, { type: "response" }>,
  { maxBytes = MAX_BYTES, maxPdfBytes = MAX_PDF_BYTES }: WebFetchOptions,
  signal: AbortSignal,
): Promise<Fetched> => {
  try {
    if (status < 200 || status > 299) {
      // Node loads much with it, and this is the only place that asks for it.
      const { STATUS_CODES } = await import("node:http");
      throw new RetinueError("tool_failed", `${url.href} answers ${status} ${STATUS_CODES[status] ?? ""}`.trimEnd() + ".", {
        hint: status === 404 || status === 410 ? "Check the address, or search for it." : "Try another source.",
      });
    }
    const contentType = headers.get("content-type");
    const told = toToldKind(contentType);
    const read = await readBody({
      body,
      encoding: headers.get("content-encoding"),
      maxBytes: told === "pdf" ? maxPdfBytes : maxBytes,
    });
    return { ...read, url, contentType, kind: toContentKind(told, read.bytes) };
  } catch (thrown) {
    throw toRequestError(thrown, { url, signal });
  } finally {
    await close();
  }
};

const toOutput = async (fetched: Fetched, input: WebFetchInput, signal: AbortSignal): Promise<string> => {
  const { title, text, notes } = await toReading(fetched, input, signal);
  const shown = text.slice(0, input.maxChars);
  const about = [
    toMimeType(fetched.contentType) || fetched.kind,
    formatBytes(fetched.bytes.length),
    ...notes,
    ...(fetched.cut ? [`cut at ${formatBytes(fetched.bytes.length)}`] : []),
    ...(shown.length < text.length ? [`the first ${shown.length} of ${text.length} characters; more with maxChars`] : []),
  ];
  return wrapUntrusted({
    source: `${fetched.url.href} (${about.join("; ")})`,
    text: title === undefined || input.format === "raw" ? shown : `Title: ${title}\n\n${shown}`,
  });
};

type Reading = { readonly title?: string | undefined; readonly text: string; readonly notes: readonly string[] };

const toReading = async (fetched: Fetched, { format, maxChars }: WebFetchInput, signal: AbortSignal): Promise<Reading> => {
  const { kind, bytes, contentType } = fetched;
  switch (kind) {
    case "pdf": {
      if (fetched.cut)
        throw new RetinueError("tool_failed", `The PDF is larger than ${formatBytes(bytes.length)}.`, {
          hint: "Look for the same text as a web page.",
        });
      const { title, pages, totalPages } = await readPdf(
        { bytes: new Uint8Array(bytes), maxPages: MAX_PDF_PAGES, maxChars },
        signal,
      );
      const text = pages.map((page, at) => `[page ${at + 1}]\n${page}`).join("\n\n");
      const read = pages.length < totalPages ? `, the first ${pages.length} read` : "";
      return { title, text, notes: [`${count(totalPages, "page")}${read}`] };
    }
    case "html": {
      const html = decodeText(bytes, contentType, kind);
      if (format === "raw") return { text: html, notes: [] };
      const { title, text, bare } = await readHtml({ html, url: fetched.url.href, format }, signal);
      return { title, text, notes: bare ? ["too deep or large for more than its bare words"] : [] };
    }
    case "text":
      return { text: decodeText(bytes, contentType, kind), notes: [] };
    default:
      return kind satisfies never;
  }
};
