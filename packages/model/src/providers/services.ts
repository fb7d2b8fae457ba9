/** Services that speak OpenAI Chat Completions, by name: only data, each from the service's own documentation. */
import { toOpenAiCompatible } from "./openai-compatible.ts";
import type { Provider } from "./provider.ts";

type Service = Pick<Provider, "type" | "keyEnvs"> &
  Partial<Pick<Provider, "baseUrl" | "baseUrlEnv" | "path">> & { readonly priceId?: string };

const SERVICES: readonly Service[] = [
  // https://docs.mistral.ai/api
  { type: "mistral", baseUrl: "https://api.mistral.ai/v1", keyEnvs: ["MISTRAL_API_KEY"], priceId: "mistral" },
  // https://console.groq.com/docs/openai
  { type: "groq", baseUrl: "https://api.groq.com/openai/v1", keyEnvs: ["GROQ_API_KEY"], priceId: "groq" },
  // https://docs.x.ai/docs/api-reference
  { type: "xai", baseUrl: "https://api.x.ai/v1", keyEnvs: ["XAI_API_KEY"], priceId: "x-ai" },
  // https://docs.together.ai/docs/openai-api-compatibility
  { type: "together", baseUrl: "https://api.together.xyz/v1", keyEnvs: ["TOGETHER_API_KEY"], priceId: "together" },
  // https://docs.fireworks.ai/tools-sdks/openai-compatibility
  { type: "fireworks", baseUrl: "https://api.fireworks.ai/inference/v1", keyEnvs: ["FIREWORKS_API_KEY"], priceId: "fireworks" },
  // https://inference-docs.cerebras.ai/resources/openai
  { type: "cerebras", baseUrl: "https://api.cerebras.ai/v1", keyEnvs: ["CEREBRAS_API_KEY"], priceId: "cerebras" },
  // https://huggingface.co/docs/inference-providers
  { type: "huggingface", baseUrl: "https://router.huggingface.co/v1", keyEnvs: ["HF_TOKEN", "HUGGINGFACE_API_KEY"] },
  // https://platform.moonshot.ai/docs
  { type: "moonshot", baseUrl: "https://api.moonshot.ai/v1", keyEnvs: ["MOONSHOT_API_KEY"], priceId: "moonshotai" },
  // https://docs.z.ai/guides/develop/openai
  { type: "zai", baseUrl: "https://api.z.ai/api/paas/v4", keyEnvs: ["ZAI_API_KEY", "ZHIPU_API_KEY"], priceId: "zai" },
  // https://docs.github.com/en/rest/models/inference; GITHUB_TOKEN is not taken unless settings name it: it is everywhere, and mostly has no right to this.
  { type: "github-models", baseUrl: "https://models.github.ai/inference", keyEnvs: ["GITHUB_MODELS_TOKEN"] },
  // https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle: the address is that of one's own resource.
  { type: "azure", path: "/openai/v1", baseUrlEnv: "AZURE_OPENAI_ENDPOINT", keyEnvs: ["AZURE_OPENAI_API_KEY"], priceId: "azure" },
];

export const services: readonly Provider[] = SERVICES.map(({ priceId, ...service }) =>
  toOpenAiCompatible({
    ...service,
    needsKey: true,
    maxConcurrent: 32,
    ...(priceId === undefined ? {} : { priceSource: () => ({ type: "listed", providerId: priceId }) as const }),
  }),
);
