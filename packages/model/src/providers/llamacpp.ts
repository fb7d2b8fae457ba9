/** llama.cpp's `llama-server`. */
import { toLocalServer } from "./openai-compatible.ts";

export const llamacpp = toLocalServer({ type: "llamacpp", baseUrl: "http://127.0.0.1:8080/v1", maxConcurrent: 4 });
