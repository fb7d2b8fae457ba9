/** Ollama. `OLLAMA_HOST` is where its own tools look for it. */
import { toLocalServer } from "./openai-compatible.ts";

export const ollama = toLocalServer({
  type: "ollama",
  baseUrl: "http://127.0.0.1:11434/v1",
  baseUrlEnv: "OLLAMA_HOST",
  maxConcurrent: 4,
});
