import { expect, test } from "vitest";
import { shortModelsOf } from "./short-models.ts";

test("one word names a model of Anthropic where its key is there or the settings name it, and none otherwise", () => {
  expect(shortModelsOf({ providers: {} }, {})).toEqual(new Map());
  expect(shortModelsOf({ providers: {} }, { ANTHROPIC_API_KEY: "" })).toEqual(new Map());
  for (const models of [
    shortModelsOf({ providers: {} }, { ANTHROPIC_API_KEY: "k" }),
    shortModelsOf({ providers: { anthropic: { type: "anthropic" } } }, {}),
  ])
    expect([...models.keys()].map((name) => models.get(name)?.startsWith(`anthropic/claude-${name}`))).toEqual([
      true,
      true,
      true,
    ]);
});
