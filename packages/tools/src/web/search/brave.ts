/** The search API of Brave. */
import { z } from "zod";
import { htmlToText } from "../parse/html-to-text.ts";
import type { SearchProvider } from "./provider.ts";
import { requireKey } from "./require-key.ts";
import type { SearchDoorOptions } from "./search-door.ts";
import { createSearchDoor } from "./search-door.ts";
import { toHits } from "./to-hits.ts";

export type BraveOptions = { readonly apiKey: string; readonly baseUrl?: string } & Pick<SearchDoorOptions, "resolve" | "ca">;

const RESULT = z.object({
  url: z.string(),
  title: z.string(),
  description: z.string().nullish(),
  age: z.string().nullish(),
});

const KEY_HINT = "The user must check the key for Brave.";

export const createBrave = ({ apiKey, baseUrl = "https://api.search.brave.com", ...rest }: BraveOptions): SearchProvider => {
  requireKey("Brave", apiKey);
  const door = createSearchDoor({
    ...rest,
    baseUrl,
    name: "Brave",
    hints: { 401: KEY_HINT, 403: KEY_HINT, 422: KEY_HINT, 429: "The plan's rate or quota is used up; search less, or later." },
  });
  return {
    name: "Brave",
    host: door.host,
    search: async ({ query, count, signal }) => {
      const answer = await door.ask({
        path: "res/v1/web/search",
        query: { q: query, count: String(count), text_decorations: "false" },
        headers: { "x-subscription-token": apiKey },
        signal,
      });
      return toHits({
        answer,
        at: (value) => z.looseObject({ results: z.unknown() }).safeParse(value["web"]).data?.results ?? [],
        result: RESULT,
        // Titles and descriptions come as HTML.
        toHit: ({ url, title, description, age }) => ({
          url,
          title: htmlToText(title),
          snippet: htmlToText(description ?? ""),
          ...(age == null ? {} : { date: age }),
        }),
        count,
      });
    },
  };
};
