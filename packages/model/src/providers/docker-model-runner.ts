/** Docker Model Runner, with its TCP access switched on. */
import { toLocalServer } from "./openai-compatible.ts";

export const dockerModelRunner = toLocalServer({
  type: "docker-model-runner",
  baseUrl: "http://127.0.0.1:12434/engines/v1",
  maxConcurrent: 4,
});
