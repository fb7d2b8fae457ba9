/** What the main agent says, as it says it, without its tools and sub-agents; and a task with a picture. */
import assert from "node:assert/strict";
import { createRetinue, defineAgent, imagePart } from "retinue";
import { createScriptedModel } from "retinue/testing";

const botanist = defineAgent({ name: "botanist", description: "Knows plants.", prompt: "You know plants." });

const model = createScriptedModel(({ system }, answered) => {
  if (system.startsWith("You know plants")) return { text: "Cydonia oblonga." };
  return answered === 0
    ? {
        text: "Let me ask somebody who knows.",
        toolCalls: [{ tool: "delegate_to_agent", input: { agent: "botanist", task: "Which fruit is yellow and hard?" } }],
      }
    : { text: "It is a quince.", chunkSize: 5 };
});

const retinue = await createRetinue({ model, agents: [botanist], env: {} });
const picture = await imagePart({ mediaType: "image/png", bytes: Buffer.from("89504e470d0a1a0a", "hex") });
const run = await retinue.run([{ type: "text", text: "Which fruit is this?" }, picture]);

let shown = "";
for await (const piece of run.text) {
  process.stdout.write(piece);
  shown += piece;
}
process.stdout.write("\n");

assert.equal(shown, "Let me ask somebody who knows.\n\nIt is a quince.");
assert.equal(await run.text.final, "It is a quince.");
await retinue.close();
