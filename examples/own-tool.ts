/** A tool of one's own, driven by a scripted model: how to test an agent without a network. */
import assert from "node:assert/strict";
import { createScriptedModel } from "retinue/testing";
import { createRetinue, defineTool } from "retinue";
import { z } from "zod";

const stock = new Map([["apples", 3]]);
const inStock = defineTool({
  name: "in_stock",
  description: "How many of a thing are in stock.",
  input: z.object({ thing: z.string() }),
  effect: "read",
  execute: ({ thing }) => `${stock.get(thing) ?? 0} ${thing}`,
});

const model = createScriptedModel([
  { toolCalls: [{ tool: "in_stock", input: { thing: "apples" } }] },
  {
    expect: ({ messages }) => assert.deepEqual(messages.at(-1)?.content, [{ type: "text", text: "3 apples" }]),
    text: "There are three apples left.",
  },
]);

const retinue = await createRetinue({ model, tools: [inStock], env: {} });
const run = await retinue.run("How many apples are left?");
const result = await run.result;
console.log(result.summary);

assert.equal(result.status, "completed");
assert.equal(result.toolCalls, 1);
model.assertDone();
await retinue.close();
