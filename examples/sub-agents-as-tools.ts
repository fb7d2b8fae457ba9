/** Sub-agents as tools: a plain definition, registered while the program runs, its events, and the loop as a generator. */
import assert from "node:assert/strict";
import type { SubAgentDefinition } from "retinue";
import { createRetinue, runAgentLoop } from "retinue";
import { createScriptedModel } from "retinue/testing";

const priceSearch: SubAgentDefinition = {
  name: "PriceSearch",
  description: "Finds what things cost.",
  systemPrompt: "You find prices.",
  allowedTools: ["Read", "Grep"],
  maxIterations: 5,
  inputSchema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
  summarize: ({ output, iterations }) => `${output} (${iterations} rounds)`,
};

const model = createScriptedModel(({ system, messages }) => {
  if (system.startsWith("You find prices")) return { text: "Quinces cost 3." };
  if (messages.at(-1)?.role !== "tool") return { toolCalls: [{ tool: "price-search", input: { query: "quinces" } }] };
  return { text: "They cost 3." };
});

const retinue = await createRetinue({ model, env: {} });
await retinue.registerAgent(priceSearch);

const run = await retinue.run("What do quinces cost?");
const told: string[] = [];
for await (const event of run.subAgentEvents()) told.push(`${event.type} ${event.subAgentName}`);
assert.deepEqual([told[0], told.at(-1)], ["sub_agent_start price-search", "sub_agent_end price-search"]);

const loop = runAgentLoop("And apples?", { retinue });
let next = await loop.next();
for (; next.done !== true; next = await loop.next()) console.log(next.value.type);
assert.equal(next.value.details, "They cost 3.");
await retinue.close();
