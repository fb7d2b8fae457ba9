/** A conversation that is handed over: the main agent finds out whom it concerns, and that one goes on with it, in this turn and the next ones. */
import assert from "node:assert/strict";
import { createRetinue, defineAgent } from "retinue";
import { createScriptedModel } from "retinue/testing";

const billing = defineAgent({
  name: "billing",
  description: "Answers everything about bills.",
  prompt: "You answer questions about bills.",
  tools: ["read"],
  limits: { iterations: 10 },
});

const model = createScriptedModel(({ system, messages }) => {
  if (!system.startsWith("You answer questions about bills"))
    return {
      toolCalls: [{ tool: "delegate_to_agent", input: { agent: "billing", task: "Explain the bill of May.", transfer: true } }],
    };
  const [last] = messages.at(-1)?.content ?? [];
  return {
    text: last?.type === "text" && last.text.startsWith("And") ? "In June it was 12." : "In May you bought quinces for 30.",
  };
});

const retinue = await createRetinue({ model, agents: [billing], env: {} });
const run = await retinue.run("Why is my bill so high?");
const first = await run.result;
console.log(`${first.transferredTo?.agent}: ${first.details}`);
assert.equal(first.transferredTo?.agent, "billing");

// Whoever has the conversation goes on with it, with no more rights than whoever handed it over.
const second = await (await retinue.run("And in June?", { sessionId: run.sessionId })).result;
console.log(`${second.agent}: ${second.details}`);
assert.equal(second.agent, "billing");
assert.equal(second.details, "In June it was 12.");
await retinue.close();
