import { expect, test } from "vitest";
import { nearestName } from "./nearest-name.ts";

const NAMES = ["openai", "openrouter", "ollama", "anthropic", "cheap"];

test.each([
  ["opnai", "openai"],
  ["OpenAI", "openai"],
  ["oepnai", "openai"],
  ["olama", "ollama"],
  ["antropic", "anthropic"],
  ["chaep", "cheap"],
])("%s is near to %s", (name, expected) => {
  expect(nearestName(name, NAMES)).toBe(expected);
});

test.each(["", "gpt-4o", "zzzzzz", "mistral"])("%j is near to none", (name) => {
  expect(nearestName(name, NAMES)).toBeUndefined();
});
