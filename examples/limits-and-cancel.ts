/** Hard limits and cancelling: what a run hands back when it was not allowed to finish. */
import assert from "node:assert/strict";
import { createScriptedModel } from "retinue/testing";
import { createRetinue } from "retinue";

const restless = createScriptedModel((request, answered) =>
  request.toolChoice === "none"
    ? { text: `I listed the folder ${answered} times and would have gone on.` }
    : { toolCalls: [{ tool: "ls", input: { path: ".", depth: answered + 1 } }] },
);

const retinue = await createRetinue({ model: restless, workspace: import.meta.dirname, env: {} });

const limited = await retinue.run("List this folder for ever.", { limits: { iterations: 2 } });
const partial = await limited.result;
console.log(`${partial.status} (${partial.bailoutReason}): ${partial.summary}`);
assert.equal(partial.status, "partial");
assert.equal(partial.bailoutReason, "max_iterations");
assert.equal(partial.iterations, 2);

const stopped = await retinue.run("List this folder for ever.");
for await (const event of stopped) if (event.type === "tool.settled") stopped.cancel("That is enough.");
const cancelled = await stopped.result;
console.log(`${cancelled.status}: ${cancelled.error?.message}`);
assert.equal(cancelled.status, "cancelled");
await retinue.close();
