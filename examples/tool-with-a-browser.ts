/** Two tools share what is held open for a run, as a browser is: opened by the first call, closed however the run ends. */
import assert from "node:assert/strict";
import { createScriptedModel } from "retinue/testing";
import { createRetinue, defineResource, defineTool } from "retinue";
import { z } from "zod";

/** Stands for a browser: it has one page, and writes down what happens to it. */
const happened: string[] = [];
const browser = defineResource({
  name: "browser",
  per: "run",
  open: () => {
    happened.push("opened");
    return { url: "about:blank" };
  },
  close: (page) => void happened.push(`closed at ${page.url}`),
});

const goTo = defineTool({
  name: "go_to",
  description: "Opens a page in the browser.",
  input: z.object({ url: z.url() }),
  effect: "network",
  touches: ({ url }) => ({ hosts: [new URL(url).host] }),
  resource: browser,
  execute: ({ url }, _context, page) => {
    page.url = url;
    return `The page is ${url}.`;
  },
});

const whereAmI = defineTool({
  name: "where_am_i",
  description: "Tells which page is open.",
  input: z.object({}),
  effect: "read",
  resource: browser,
  execute: (_input, _context, page) => page.url,
});

const model = createScriptedModel([
  { toolCalls: [{ tool: "go_to", input: { url: "https://example.com/shop" } }] },
  { toolCalls: [{ tool: "where_am_i", input: {} }] },
  {
    expect: ({ messages }) => assert.deepEqual(messages.at(-1)?.content, [{ type: "text", text: "https://example.com/shop" }]),
    text: "I am in the shop.",
  },
]);

const retinue = await createRetinue({ model, tools: [goTo, whereAmI], env: {} });
const run = await retinue.run("Go to the shop.", { approve: "all" });
const { status, summary } = await run.result;
console.log(`${summary} The browser was ${happened.join(", ")}.`);

assert.equal(status, "completed");
assert.deepEqual(happened, ["opened", "closed at https://example.com/shop"]);
model.assertDone();
await retinue.close();
