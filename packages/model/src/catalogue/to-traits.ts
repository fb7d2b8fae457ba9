/** What is known of a model: the user's own word, then its line in the catalogue, then what its provider and its family let us suppose. */
import { readsImages } from "../reads-images.ts";
import type { CatalogueEntry, ModelOverride } from "./catalogue-entry.ts";
import { readModelTraits } from "./model-traits.ts";
import type { ModelTraits } from "./model-traits.ts";

/** New models of these makers refuse a temperature, so that a name nobody knows yet is asked without one. */
const STRICT_MAKERS: ReadonlySet<string> = new Set(["openai", "anthropic", "azure"]);
const DATED = /-(?:\d{8}|\d{4}-\d{2}-\d{2})$/;

/** Names with a date are as the same without. */
export const findTraits = async (provider: string, model: string): Promise<ModelTraits | undefined> =>
  (await readModelTraits(provider, model)) ??
  (DATED.test(model) ? await readModelTraits(provider, model.replace(DATED, "")) : undefined);

/** The safest form of a model that the catalogue does not have. */
export const supposeTraits = (provider: string, model: string): ModelTraits => ({
  ...(readsImages(`${provider}/${model}`) ? { images: true } : {}),
  ...(STRICT_MAKERS.has(provider) && !/^(?:gpt-(?:3|4)|chatgpt)/.test(model) ? { temperature: false } : {}),
});

export const withOverride = (traits: ModelTraits, override: ModelOverride | undefined): ModelTraits => {
  if (!override) return traits;
  const { contextWindow, outputTokens, images, temperature } = override;
  return {
    ...traits,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(images === undefined ? {} : { images }),
    ...(temperature === undefined ? {} : { temperature }),
  };
};

/** The price by a line of the catalogue; undefined where it has none. */
export const priceOfTraits = ({ price, tiers = [] }: ModelTraits): CatalogueEntry["price"] | undefined => {
  if (price === undefined || price.every((one) => one === 0)) return undefined;
  return ({ input, output, cached, written = 0 }) => {
    const tier = tiers.findLast(([above]) => input > above);
    const [perInput = 0, perOutput = 0, perRead = 0, perWrite = 0] = tier ? tier.slice(1) : price;
    const read = Math.min(cached, input);
    const kept = Math.min(written, input - read);
    const sum =
      (input - read - kept) * perInput +
      // Where a provider takes nothing for a write, or has no price for a read, the tokens cost as any other.
      kept * (perWrite || perInput) +
      read * (perRead || perInput) +
      output * perOutput;
    return Number.isFinite(sum) ? sum / 1_000_000 : null;
  };
};
