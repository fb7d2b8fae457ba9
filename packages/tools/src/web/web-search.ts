/** `web_search`: hits of the search engine that the settings name. The output is a numbered list of title, address and excerpt. */
import { RetinueError } from "@retinue/protocol";
import type { AnyTool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { count as countOf } from "@retinue/confine";
import type { BraveOptions } from "./search/brave.ts";
import { createBrave } from "./search/brave.ts";
import type { SearchHit, SearchProvider } from "./search/provider.ts";
import type { SearxngOptions } from "./search/searxng.ts";
import { createSearxng } from "./search/searxng.ts";
import type { TavilyOptions } from "./search/tavily.ts";
import { createTavily } from "./search/tavily.ts";
import { wrapUntrusted } from "./untrusted-text.ts";

export type WebSearchEngine =
  | ({ readonly type: "searxng" } & SearxngOptions)
  | ({ readonly type: "brave" } & BraveOptions)
  | ({ readonly type: "tavily" } & TavilyOptions);

export type WebSearchOptions = {
  /** Without one the tool tells how to set one. */
  readonly engine?: WebSearchEngine;
};

const DEFAULT_COUNT = 8;
const MAX_COUNT = 20;

const INPUT = z.object({
  query: z.string().trim().min(1).max(400).describe("What to search for, in a few words."),
  count: z.number().int().min(1).max(MAX_COUNT).default(DEFAULT_COUNT).describe("How many hits to give."),
});

export const createWebSearch = ({ engine }: WebSearchOptions = {}): AnyTool => {
  const provider = engine === undefined ? undefined : createProvider(engine);
  return defineTool<z.infer<typeof INPUT>>({
    name: "web_search",
    description: "Searches the web and gives titles, addresses and excerpts. Read a hit with web_fetch.",
    input: INPUT,
    effect: "network",
    repeatable: true,
    timeoutMs: 30_000,
    touches: () => ({ hosts: provider === undefined ? [] : [provider.host] }),
    execute: async ({ query, count }, { signal }) => {
      if (provider === undefined)
        throw new RetinueError("tool_failed", "No search engine is configured, so the web cannot be searched.", {
          hint: HOW_TO_CONFIGURE,
        });
      const hits = await provider.search({ query, count, signal });
      if (hits.length === 0) return `${provider.name} finds nothing for ${JSON.stringify(query)}.`;
      return wrapUntrusted({
        source: `${countOf(hits.length, "hit")} of ${provider.name}`,
        text: hits.map(toEntry).join("\n\n"),
      });
    },
  });
};

const HOW_TO_CONFIGURE =
  "Go on without it, and tell the user that web.search in retinue.yaml names one: SearXNG with its baseUrl, or Brave or Tavily with a key.";

const createProvider = (engine: WebSearchEngine): SearchProvider => {
  switch (engine.type) {
    case "searxng":
      return createSearxng(engine);
    case "brave":
      return createBrave(engine);
    case "tavily":
      return createTavily(engine);
    default:
      return engine satisfies never;
  }
};

const toEntry = ({ title, url, snippet, date }: SearchHit, at: number): string =>
  [
    `${at + 1}. ${title}${date === undefined ? "" : ` (${date})`}`,
    `   ${url}`,
    ...(snippet === "" ? [] : [`   ${snippet}`]),
  ].join("\n");
