/** The models that files of other programs name in one word, as `sonnet`, where their provider can be reached: its key is there, or the settings name it. */
import { PROVIDERS } from "@retinue/model";
import type { Settings } from "./settings/settings.ts";

export const shortModelsOf = ({ providers }: Pick<Settings, "providers">, env: NodeJS.ProcessEnv): ReadonlyMap<string, string> =>
  new Map(
    PROVIDERS.flatMap(({ type, keyEnvs, shortNames = {} }) => {
      const isReachable = Object.hasOwn(providers, type) || keyEnvs.some((name) => (env[name] ?? "") !== "");
      return isReachable ? Object.entries(shortNames).map(([short, model]) => [short, `${type}/${model}`] as const) : [];
    }),
  );
