import type { Model } from "@retinue/model/contract";
import { RetinueError } from "@retinue/protocol";
import { expect, test } from "vitest";
import { runTest } from "../testing/index.ts";

/** Fails, and would answer after so many tries that nobody makes them. */
const failing = (id: string, asked: string[]): Model => ({
  id,
  price: () => 0,
  stream: async function* () {
    asked.push(id);
    if (asked.length < 20) throw new RetinueError("model_auth", `${id} refuses the key.`);
    yield {
      type: "answer",
      content: [{ type: "text", text: "At last." }],
      finishReason: "stop",
      usage: { input: 1, output: 1, cached: 0, reasoning: 0 },
      costUsd: 0,
    };
  },
});

test.each([
  [["a", "a"], ["a"]],
  [
    ["a", "b", "a"],
    ["a", "b"],
  ],
  [
    ["a", "a", "b", "b"],
    ["a", "b"],
  ],
])("of the models %j each that fails is asked once, though some stand among the fallbacks twice", async (names, once) => {
  const asked: string[] = [];
  const { result } = await runTest({ models: names.map((name) => failing(name, asked)) });
  expect(result).toMatchObject({ status: "failed", error: { code: "model_auth" } });
  expect(asked).toEqual(once);
});
