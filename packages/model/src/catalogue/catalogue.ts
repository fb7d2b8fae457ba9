/**
 * What models cost, how much they can hold and how they want to be spoken to: from our own data, and for prices that it lacks from genai-prices, both
 * loaded when first asked and without a network, under the user's own word. A price or window that nobody knows is null, never a guess.
 */
import type { Usage } from "@retinue/protocol";
import type { CatalogueEntry, ModelOverride, PriceSource } from "./catalogue-entry.ts";
import { findTraits, priceOfTraits, supposeTraits, withOverride } from "./to-traits.ts";

export type CatalogueOptions = {
  readonly sourceOf: (provider: string) => PriceSource | undefined;
  /** By `provider/model`; a `*` at the end stands for any rest, and the longest key that fits wins. */
  readonly overrides?: Readonly<Record<string, ModelOverride>>;
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
    const model = modelId.slice(slash + 1);
    const override = overrideFor(modelId, overrides);
    const provider = source?.type === "listed" ? source.providerId : modelId.slice(0, Math.max(0, slash));
    const line = source === undefined || source.type === "free" ? undefined : await findTraits(provider, model);
    const traits = withOverride(line ?? supposeTraits(provider, model), override);
    const listed = line && priceOfTraits(line);
    const known = source ? await lookUp(source, model, { price: listed, contextWindow: line?.contextWindow }) : UNKNOWN;
    return {
      price: override?.price ? priceBy(override.price) : known.price,
      contextWindow: override?.contextWindow ?? known.contextWindow,
      traits,
      isListed: line !== undefined,
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

type Figures = Pick<CatalogueEntry, "price" | "contextWindow">;

const UNKNOWN: Figures = { price: () => null, contextWindow: null };
const FREE: Figures = { price: () => 0, contextWindow: null };

/** Genai-prices is asked only for what our own data does not say. */
const lookUp = async (
  source: PriceSource,
  model: string,
  { price, contextWindow }: { readonly [Name in keyof Figures]: Figures[Name] | undefined },
): Promise<Figures> => {
  if (source.type === "free") return FREE;
  if (price !== undefined && contextWindow !== undefined) return { price, contextWindow };
  const listing = (await findListing(source, model)) ?? UNKNOWN;
  return { price: price ?? listing.price, contextWindow: contextWindow ?? listing.contextWindow };
};

const findListing = async (source: PriceSource, model: string): Promise<Figures | undefined> => {
  if (source.type === "free") return undefined;
  const { listingOf } = await import("./genai-prices.ts");
  return listingOf(source, model);
};

const overrideFor = (modelId: string, overrides: Readonly<Record<string, ModelOverride>>): ModelOverride | undefined => {
  if (Object.hasOwn(overrides, modelId)) return overrides[modelId];
  const fitting = Object.keys(overrides).filter((key) => key.endsWith("*") && modelId.startsWith(key.slice(0, -1)));
  const longest = fitting.toSorted((left, right) => right.length - left.length)[0];
  return longest === undefined ? undefined : overrides[longest];
};

const priceBy =
  ({ input, output, cached = input }: NonNullable<ModelOverride["price"]>) =>
  (usage: Usage): number => {
    const fromCache = Math.min(usage.cached, usage.input);
    return ((usage.input - fromCache) * input + fromCache * cached + usage.output * output) / 1_000_000;
  };
