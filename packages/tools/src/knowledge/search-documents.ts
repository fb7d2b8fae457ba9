/** `search_documents`: excerpts of the documents that the user added, each with its place. */
import { existsSync } from "node:fs";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { AnyTool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { count as countOf } from "@retinue/confine";
import { toAbsolutePath, toShownPath } from "@retinue/confine";
import { wrapUntrusted } from "../web/untrusted-text.ts";
import { openDocumentIndex } from "./documents/document-index.ts";
import type { DocumentHit } from "./documents/search-chunks.ts";

export type SearchDocumentsOptions = {
  /** The file of the index, absolute. Documents get into it by `openDocumentIndex(file).add`. */
  readonly indexFile: string;
};

const DEFAULT_COUNT = 8;
const MAX_COUNT = 30;

const INPUT = z.object({
  query: z.string().trim().min(1).max(1000).describe('Words to look for; "words in quotes" must follow one another.'),
  count: z.number().int().min(1).max(MAX_COUNT).default(DEFAULT_COUNT).describe("How many excerpts to give."),
  path: z.string().min(1).max(4096).optional().describe("Only documents at or below this path."),
});

export const createSearchDocuments = ({ indexFile }: SearchDocumentsOptions): AnyTool =>
  defineTool<z.infer<typeof INPUT>>({
    name: "search_documents",
    description:
      "Searches the documents that the user added (Markdown, text, HTML, PDF, source) by words and gives excerpts with file and line, " +
      "heading or page, the best first.",
    input: INPUT,
    effect: "read",
    // The index holds what the user put there, wherever the files lie; the path only narrows the search.
    touches: () => ({}),
    execute: ({ query, count, path: under }, { workspace }) => {
      if (!existsSync(indexFile)) throw noDocuments();
      using index = openDocumentIndex(indexFile, { readOnly: true });
      const hits = index.search({ query, count, ...(under === undefined ? {} : { under: toUnder(workspace, under) }) });
      if (hits === undefined) throw new RetinueError("tool_failed", "The query holds no word to look for.");
      if (hits.length === 0) {
        if (index.list().length === 0) throw noDocuments();
        return `No document holds ${JSON.stringify(query)}${under === undefined ? "" : ` below ${under}`}.`;
      }
      return wrapUntrusted({
        source: `${countOf(hits.length, "excerpt")} of the user's documents`,
        text: hits.map((hit) => toEntry(hit, workspace)).join("\n\n"),
      });
    },
  });

const noDocuments = (): RetinueError =>
  new RetinueError("tool_failed", "No documents have been added.", {
    hint: "Search the files of the workspace with grep instead; the user adds documents with `retinue documents add <path>`.",
  });

const toUnder = (workspace: string, named: string): string =>
  toAbsolutePath(workspace, named).replace(new RegExp(`(?<=.)\\${path.sep}+$`), "");

const toEntry = ({ path: file, title, heading, line, page, excerpt, rank }: DocumentHit, workspace: string): string => {
  const place = [
    toShownPath(workspace, file),
    ...(line === undefined ? [] : [`:${line}`]),
    ...(page === undefined ? [] : [`, page ${page}`]),
  ];
  const about = heading === "" || heading.startsWith(title) ? heading || title : `${title} › ${heading}`;
  return `${rank}. ${place.join("")}${file.endsWith(about) ? "" : `, ${about}`}\n${excerpt.replaceAll(/^/gm, "   ")}`;
};
