/** What is known of one model, and where that is looked up. */
import type { Usage } from "@retinue/protocol";
import type { ModelTraits } from "./model-traits.ts";

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
  /** How it wants to be spoken to. */
  readonly traits: ModelTraits;
  /** Whether the catalogue has the model; where not, `traits` is the safest form. */
  readonly isListed: boolean;
};

/** A user's own word on a model. Prices are USD for a million tokens; `cached` costs as `input` unless told. */
export type ModelOverride = {
  readonly price?: { readonly input: number; readonly output: number; readonly cached?: number };
  readonly contextWindow?: number;
  /** The most that one answer may be. */
  readonly outputTokens?: number;
  /** Whether it reads images. */
  readonly images?: boolean;
  /** Whether it takes a temperature. */
  readonly temperature?: boolean;
};
