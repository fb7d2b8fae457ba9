/** The search API of Tavily. */
import { z } from "zod";
import type { SearchProvider } from "./provider.ts";
import { requireKey } from "./require-key.ts";
import type { SearchDoorOptions } from "./search-door.ts";
import { createSearchDoor } from "./search-door.ts";
import { toHits } from "./to-hits.ts";

export type TavilyOptions = { readonly apiKey: string; readonly baseUrl?: string } & Pick<SearchDoorOptions, "resolve" | "ca">;

const RESULT = z.object({
  url: z.string(),
  title: z.string().nullish(),
  content: z.string().nullish(),
  published_date: z.string().nullish(),
});

const QUOTA_HINT = "The plan's rate or quota is used up; search less, or later.";
const KEY_HINT = "The user must check the key for Tavily.";

export const createTavily = ({ apiKey, baseUrl = "https://api.tavily.com", ...rest }: TavilyOptions): SearchProvider => {
  requireKey("Tavily", apiKey);
  const door = createSearchDoor({
    ...rest,
    baseUrl,
    name: "Tavily",
    hints: { 401: KEY_HINT, 403: KEY_HINT, 429: QUOTA_HINT, 432: QUOTA_HINT, 433: QUOTA_HINT },
  });
  return {
    name: "Tavily",
    host: door.host,
    search: async ({ query, count, signal }) => {
      const answer = await door.ask({
        path: "search",
        headers: { authorization: `Bearer ${apiKey}` },
        body: { query, max_results: count, search_depth: "basic" },
        signal,
      });
      return toHits({
        answer,
        at: (value) => value["results"],
        result: RESULT,
        toHit: ({ url, title, content, published_date: date }) => ({
          url,
          title: title ?? url,
          snippet: content ?? "",
          ...(date == null ? {} : { date }),
        }),
        count,
      });
    },
  };
};
