/** The one file that knows genai-prices. Imported only by the catalogue, and only when a price is asked for. */
import { calcPrice, findProvider } from "@pydantic/genai-prices";
import type { PriceOptions } from "@pydantic/genai-prices";
import type { Usage } from "@retinue/protocol";
import type { CatalogueEntry, PriceSource } from "./catalogue-entry.ts";

/** The catalogue's word on a model, undefined where it has none. */
export const listingOf = (
  source: Exclude<PriceSource, { type: "free" }>,
  model: string,
): Pick<CatalogueEntry, "price" | "contextWindow"> | undefined => {
  const where: PriceOptions = source.type === "listed" ? { providerId: source.providerId } : { providerApiUrl: source.baseUrl };
  const provider = findProvider(where);
  if (!provider) return undefined;
  const listed = { providerId: provider.id };
  if (!calculate(NOTHING, model, listed)) return undefined;
  return {
    price: (usage) => calculate(toTheirs(usage), model, listed)?.total_price ?? null,
    contextWindow: windowOf(model, provider.id),
  };
};

/** Some windows are listed only with the reseller that carries nearly every model under `maker/model`. */
const windowOf = (model: string, providerId: string): number | null =>
  calculate(NOTHING, model, { providerId })?.model.context_window ??
  calculate(NOTHING, `${providerId}/${model}`, { providerId: "openrouter" })?.model.context_window ??
  null;

const NOTHING = { input_tokens: 0, output_tokens: 0 };

/** They refuse more cached than input tokens, which some servers report. */
const toTheirs = (usage: Usage): Record<string, number> => ({
  input_tokens: usage.input,
  cache_read_tokens: Math.min(usage.cached, usage.input),
  ...(usage.written ? { cache_write_tokens: Math.min(usage.written, Math.max(0, usage.input - usage.cached)) } : {}),
  output_tokens: usage.output,
});

const calculate = (usage: Record<string, number>, model: string, options: PriceOptions) => {
  try {
    return calcPrice(usage, model, options);
  } catch {
    // They throw on usage that makes no sense and on price rows they cannot apply: then the price is not known.
    return null;
  }
};
