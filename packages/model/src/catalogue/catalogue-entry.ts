/** What is known of one model, and where that is looked up. */
import type { Usage } from "@retinue/protocol";

/** Where the prices of a provider's models stand. */
export type PriceSource =
  /** A server of one's own: tokens cost nothing. */
  | { readonly type: "free" }
  | { readonly type: "listed"; readonly providerId: string }
  /** Some server, recognised by its address if the catalogue knows it. */
  | { readonly type: "by-url"; readonly baseUrl: string };

export type CatalogueEntry = {
  readonly price: (usage: Usage) => number | null;
  readonly contextWindow: number | null;
};
