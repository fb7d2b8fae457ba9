/** vLLM, which batches, so that many requests at once are what it wants. */
import { toLocalServer } from "./openai-compatible.ts";

export const vllm = toLocalServer({ type: "vllm", baseUrl: "http://127.0.0.1:8000/v1", maxConcurrent: 64 });
