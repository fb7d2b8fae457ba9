/** The built-in model that follows rules: no key, no network, no cost. */
import { RetinueError } from "@retinue/protocol";
import type { Provider } from "./provider.ts";

export const offline: Provider = {
  type: "offline",
  baseUrl: "http://offline.invalid",
  keyEnvs: [],
  needsKey: false,
  isLocal: false,
  defaultModel: "rules",
  maxConcurrent: Number.MAX_SAFE_INTEGER,
  priceSource: () => ({ type: "free" }),
  createModel: async ({ id, model }) => {
    if (model === "call") {
      const { createCallModel } = await import("../offline/call-model.ts");
      return createCallModel();
    }
    if (model !== "rules")
      throw new RetinueError("model_unknown", `There is no offline model "${model}" (${id}); there is just offline/rules.`);
    const { createOfflineModel } = await import("../offline/offline-model.ts");
    return createOfflineModel();
  },
};
