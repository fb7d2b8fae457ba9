/**
 * The models of a host. Workspaces whose settings say the same have the same models, and all requests to one server wait in one queue, whichever
 * workspace makes them.
 */
import type { Models, TrafficTap } from "@retinue/model";
import { chooseModel, createModels, detectProviders, fromAiSdk, isAiSdkModel } from "@retinue/model";
import type { ModelSettings, SharedModels } from "./shared.ts";

const DETECT_MS = 500;

export const createSharedModels = (tap: TrafficTap | undefined): SharedModels => {
  /** Keys of providers stand in the environment, so that two environments never share a model. */
  const made = new WeakMap<NodeJS.ProcessEnv, Map<string, Models>>();

  const madeFor = (env: NodeJS.ProcessEnv): Map<string, Models> => {
    const known = made.get(env) ?? new Map<string, Models>();
    made.set(env, known);
    return known;
  };

  return {
    modelsOf: ({ providers, models, retry, streamIdleMs }, env) => {
      const of: ModelSettings = { providers, models, retry, streamIdleMs };
      const known = madeFor(env);
      const key = JSON.stringify(of);
      const earlier = known.get(key);
      if (earlier) return earlier;
      const created = createModels({ ...of, env, ...(tap === undefined ? {} : { tap }) });
      known.set(key, created);
      return created;
    },
    detect: async ({ providers }, env) => chooseModel(await detectProviders({ env, providers, timeoutMs: DETECT_MS })),
    wrap: (model, { retry, streamIdleMs }) => (isAiSdkModel(model) ? fromAiSdk(model, { retry, streamIdleMs }) : model),
  };
};
