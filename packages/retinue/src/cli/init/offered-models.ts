/** The models that a new project could use on this machine: of keys in the environment, and of servers that answer here. */
import type { Detected } from "@retinue/model";

export type OfferedModel = { readonly name: string; readonly why: string };

const MOST = 8;
const DETECT_MS = 1_000;

export const findOfferedModels = async (env: NodeJS.ProcessEnv): Promise<readonly OfferedModel[]> => {
  const { chooseModel, detectProviders } = await import("@retinue/model");
  const detected = await detectProviders({ env, providers: {}, timeoutMs: DETECT_MS });
  return detected
    .flatMap((one): OfferedModel[] => {
      const name = chooseModel([one]);
      return name.startsWith("offline/") ? [] : [{ name, why: toReason(one) }];
    })
    .slice(0, MOST);
};

const toReason = (one: Detected): string =>
  one.type === "key" ? `the key is in ${one.keyEnv}` : `a server answers at ${one.baseUrl}`;
