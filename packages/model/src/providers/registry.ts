/** Every provider there is. A new one is its file and its line here. */
import { anthropic } from "./anthropic.ts";
import { deepseek } from "./deepseek.ts";
import { dockerModelRunner } from "./docker-model-runner.ts";
import { google } from "./google.ts";
import { llamacpp } from "./llamacpp.ts";
import { lmstudio } from "./lmstudio.ts";
import { offline } from "./offline.ts";
import { ollama } from "./ollama.ts";
import { openAiCompatible } from "./openai-compatible.ts";
import { openai } from "./openai.ts";
import { openrouter } from "./openrouter.ts";
import type { Provider } from "./provider.ts";
import { bedrock, vertex } from "./sdk-package.ts";
import { services } from "./services.ts";
import { vllm } from "./vllm.ts";

/** In the order in which one is chosen where several are reachable and none is set. */
export const PROVIDERS: readonly Provider[] = [
  anthropic,
  openai,
  google,
  openrouter,
  deepseek,
  ...services,
  bedrock,
  vertex,
  ollama,
  lmstudio,
  dockerModelRunner,
  llamacpp,
  vllm,
  openAiCompatible,
  offline,
];

export const providerOf = (type: string): Provider | undefined => PROVIDERS.find((provider) => provider.type === type);
