/** Words that settings choose from. */

/** As `@retinue/model` knows them. */
export const PROVIDER_TYPES = [
  "anthropic",
  "openai",
  "google",
  "openrouter",
  "deepseek",
  "mistral",
  "groq",
  "xai",
  "together",
  "fireworks",
  "cerebras",
  "huggingface",
  "moonshot",
  "zai",
  "github-models",
  "azure",
  "bedrock",
  "vertex",
  "ollama",
  "lmstudio",
  "docker-model-runner",
  "llamacpp",
  "vllm",
  "openai-compatible",
  "offline",
] as const;

export const HOOK_EVENTS = ["tool.before", "tool.after", "run.started", "run.settled", "approval.asked"] as const;

/** As `@retinue/agents` knows them. */
export const PRESET_NAMES = ["s0", "s1", "s2", "s3", "s4"] as const;
