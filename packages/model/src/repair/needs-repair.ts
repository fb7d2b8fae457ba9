/** Which models write calls so reliably that a text of theirs is a text: the large ones of OpenAI, Anthropic, Google and xAI. */

const FRONTIER_PROVIDERS = new Set(["anthropic", "openai", "google", "azure", "xai", "offline"]);
const FRONTIER = /(?:^|\/)(?:claude|gpt-[4-9]|chatgpt|o[1-9](?:-|$)|gemini|grok)/i;

/** `model` as the provider knows it. */
export const needsRepair = (providerType: string, model: string): boolean =>
  !FRONTIER_PROVIDERS.has(providerType) && !FRONTIER.test(model);
