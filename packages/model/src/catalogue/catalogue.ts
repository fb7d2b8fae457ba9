/**
 * What models cost and how much they can hold: from the catalogue of genai-prices, which is loaded when first asked and
 * needs no network, under the user's own figures. What nobody knows is null, never a guess.
 */
import type { Usage } from "@retinue/protocol";
import type { CatalogueEntry, PriceSource } from "./catalogue-entry.ts";

/** A user's own figures for a model. Prices are USD for a million tokens; `cached` costs as `input` unless told. */
export type PriceOverride = {
  readonly price?: { readonly input: number; readonly output: number; readonly cached?: number };
  readonly contextWindow?: number;
};

export type CatalogueOptions = {
  readonly sourceOf: (provider: string) => PriceSource | undefined;
  /** By `provider/model`; a `*` at the end stands for any rest, and the longest key that fits wins. */
  readonly overrides?: Readonly<Record<string, PriceOverride>>;
};

export type Catalogue = {
  readonly entryOf: (modelId: string) => Promise<CatalogueEntry>;
  readonly priceOf: (modelId: string, usage: Usage) => Promise<number | null>;
  readonly contextWindowOf: (modelId: string) => Promise<number | null>;
  /** Whether the provider is known to have the model; false where nobody has a list of its models. */
  readonly lists: (modelId: string) => Promise<boolean>;
};

export const createCatalogue = ({ sourceOf, overrides = {} }: CatalogueOptions): Catalogue => {
  const entryOf = async (modelId: string): Promise<CatalogueEntry> => {
    const slash = modelId.indexOf("/");
    const source = slash < 0 ? undefined : sourceOf(modelId.slice(0, slash));
    const known = source ? await lookUp(source, modelId.slice(slash + 1)) : UNKNOWN;
    const override = overrideFor(modelId, overrides);
    return {
      price: override?.price ? priceBy(override.price) : known.price,
      contextWindow: override?.contextWindow ?? known.contextWindow,
    };
  };
  return {
    entryOf,
    lists: async (modelId) => {
      const slash = modelId.indexOf("/");
      const source = slash < 0 ? undefined : sourceOf(modelId.slice(0, slash));
      return (
        Object.hasOwn(overrides, modelId) ||
        (source !== undefined && (await findListing(source, modelId.slice(slash + 1))) !== undefined)
      );
    },
    priceOf: async (modelId, usage) => (await entryOf(modelId)).price(usage),
    contextWindowOf: async (modelId) => (await entryOf(modelId)).contextWindow,
  };
};

const UNKNOWN: CatalogueEntry = { price: () => null, contextWindow: null };
const FREE: CatalogueEntry = { price: () => 0, contextWindow: null };

const lookUp = async (source: PriceSource, model: string): Promise<CatalogueEntry> => {
  if (source.type === "free") return FREE;
  return (await findListing(source, model)) ?? UNKNOWN;
};

const findListing = async (source: PriceSource, model: string): Promise<CatalogueEntry | undefined> => {
  if (source.type === "free") return undefined;
  const { listingOf } = await import("./genai-prices.ts");
  return listingOf(source, model);
};

const overrideFor = (modelId: string, overrides: Readonly<Record<string, PriceOverride>>): PriceOverride | undefined => {
  if (Object.hasOwn(overrides, modelId)) return overrides[modelId];
  const fitting = Object.keys(overrides).filter((key) => key.endsWith("*") && modelId.startsWith(key.slice(0, -1)));
  const longest = fitting.toSorted((left, right) => right.length - left.length)[0];
  return longest === undefined ? undefined : overrides[longest];
};

const priceBy =
  ({ input, output, cached = input }: NonNullable<PriceOverride["price"]>) =>
  (usage: Usage): number => {
    const fromCache = Math.min(usage.cached, usage.input);
    return ((usage.input - fromCache) * input + fromCache * cached + usage.output * output) / 1_000_000;
  };
