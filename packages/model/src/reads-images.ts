/** Which models take pictures, by the names of their families. What is not known to is not asked about a picture unless the settings name it. */

const FAMILIES: readonly RegExp[] = [
  /^claude-(?!2|instant)/,
  /^gpt-(?:4o|4\.\d|4-turbo|[5-9])/,
  /^o[34](?:-|$)/,
  /^gemini-/,
  /^grok-(?:[4-9]|\d\d)/,
  /^kimi-k(?:2\.[5-9]|[3-9])/,
  /(?:^|[-_/.:])(?:vl|vlm|vision|llava|pixtral|moondream|internvl|minicpm-v|idefics|molmo)\d*(?:[-_/.:]|$)/,
  /\dvl(?:[-_/.:]|$)/,
  /^(?:ai\/)?gemma-?[34]/,
  /^(?:ai\/)?llama-?4/,
  /^(?:ai\/)?mistral-(?:small-3\.|medium-3|large-3)/,
];

/** `id` is `provider/model`; a router's model has the provider's name before its own. */
export const readsImages = (id: string): boolean => {
  const name = id.slice(id.indexOf("/") + 1).toLowerCase();
  const own = name.slice(name.lastIndexOf("/") + 1);
  return FAMILIES.some((family) => family.test(own) || family.test(name));
};
