/** SearXNG, the metasearch engine that people run themselves. */
import { z } from "zod";
import type { SearchProvider } from "./provider.ts";
import type { SearchDoorOptions } from "./search-door.ts";
import { createSearchDoor } from "./search-door.ts";
import { toHits } from "./to-hits.ts";

export type SearxngOptions = { readonly baseUrl: string } & Pick<SearchDoorOptions, "resolve" | "ca">;

const RESULT = z.object({
  url: z.string(),
  title: z.string(),
  content: z.string().nullish(),
  publishedDate: z.string().nullish(),
});

const JSON_HINT = 'The user must allow JSON in its settings.yml: "search: formats: [html, json]".';

export const createSearxng = (options: SearxngOptions): SearchProvider => {
  const door = createSearchDoor({
    ...options,
    name: "SearXNG",
    hints: { 0: JSON_HINT, 403: JSON_HINT, 429: "Its limiter refuses; the user can allow this machine there." },
  });
  return {
    name: "SearXNG",
    host: door.host,
    search: async ({ query, count, signal }) => {
      const answer = await door.ask({ path: "search", query: { q: query, format: "json" }, signal });
      return toHits({
        answer,
        at: (value) => value["results"],
        result: RESULT,
        toHit: ({ url, title, content, publishedDate }) => ({
          url,
          title,
          snippet: content ?? "",
          ...(publishedDate == null ? {} : { date: publishedDate }),
        }),
        count,
      });
    },
  };
};
