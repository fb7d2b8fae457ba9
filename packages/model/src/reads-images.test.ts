import { expect, test } from "vitest";
import { readsImages } from "./reads-images.ts";

test.each([
  "anthropic/claude-sonnet-4-5",
  "openai/gpt-4o-mini",
  "openai/gpt-5.1",
  "openai/gpt-6-sol",
  "xai/grok-4",
  "openrouter/moonshotai/kimi-k2.5",
  "openrouter/google/gemini-2.5-pro",
  "google/gemini-2.5-flash",
  "ollama/qwen2.5vl:7b",
  "ollama/llava:13b",
  "docker-model-runner/ai/gemma3",
  "vllm/Qwen/Qwen3-VL-8B",
])("%s reads images", (id) => expect(readsImages(id)).toBe(true));

test.each([
  "deepseek/deepseek-v4-flash",
  "docker-model-runner/ai/qwen3:32B-Q8_K_XL",
  "docker-model-runner/ai/mistral",
  "offline/rules",
  "openai/gpt-3.5-turbo",
])("%s is not known to", (id) => expect(readsImages(id)).toBe(false));
