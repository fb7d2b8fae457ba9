/** Finds the providers of a model that is named without one: those whose list in the catalogue, or on their own server, has it. */
import type { Catalogue } from "./catalogue/catalogue.ts";
import type { ProviderAccess } from "./providers/access.ts";

const ASK_MS = 1_000;

export type ProviderSearch = {
  readonly configured: readonly ProviderAccess[];
  readonly catalogue: Pick<Catalogue, "lists">;
  /** False: no server may be asked, as where recorded traffic is played back. */
  readonly mayAsk: boolean;
};

/** Their names. */
export const findProvidersOf = async (
  model: string,
  { configured, catalogue, mayAsk }: ProviderSearch,
): Promise<readonly string[]> => {
  const serves = async ({ name, needsKey, baseUrl }: ProviderAccess): Promise<boolean> => {
    if (await catalogue.lists(`${name}/${model}`)) return true;
    if (needsKey || !mayAsk) return false;
    const { readServedModels } = await import("./providers/served-models.ts");
    const served = await readServedModels(baseUrl, ASK_MS);
    return Array.isArray(served) && served.some((one) => one.name === model);
  };
  const found = await Promise.all(configured.map(serves));
  return configured.flatMap(({ name }, index) => (found[index] === true ? [name] : []));
};
