/** LM Studio's local server. */
import { toLocalServer } from "./openai-compatible.ts";

export const lmstudio = toLocalServer({ type: "lmstudio", baseUrl: "http://127.0.0.1:1234/v1", maxConcurrent: 4 });
