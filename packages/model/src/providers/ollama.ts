/** Ollama. `OLLAMA_HOST` is where its own tools look for it. Where a window is set, it is asked for by its own API. */
import { toLocalServer } from "./openai-compatible.ts";
import type { Provider } from "./provider.ts";

const compatible = toLocalServer({
  type: "ollama",
  baseUrl: "http://127.0.0.1:11434/v1",
  baseUrlEnv: "OLLAMA_HOST",
  maxConcurrent: 4,
});

export const ollama: Provider = {
  ...compatible,
  createModel: async (options) => {
    const { contextWindow } = options;
    if (contextWindow === undefined) return compatible.createModel(options);
    const { createOllamaModel } = await import("../wire/ollama-chat.ts");
    return createOllamaModel({ ...options, contextWindow });
  },
};
