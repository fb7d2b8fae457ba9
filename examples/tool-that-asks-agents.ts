/** A tool that has agents work below it and catches what goes wrong, but for what is not its own: a run that waits for an answer outside of memory. */
import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createScriptedModel } from "retinue/testing";
import { createRetinue, defineAgent, defineTool, isParked, type Retinue } from "retinue";
import { z } from "zod";

const home = await realpath(await mkdtemp(path.join(tmpdir(), "tool-that-asks-agents-")));
// Nobody is there to ask: what needs an answer waits for it, in the record alone.
await writeFile(path.join(home, "retinue.yaml"), "approvals: { unattended: park }\n");

const retinues: Retinue[] = [];
const order = defineTool({
  name: "order",
  description: "Orders a thing, by an agent that may have to ask first.",
  input: z.object({ thing: z.string() }),
  effect: "read",
  timeoutMs: Infinity,
  execute: async ({ thing }) => {
    try {
      const result = await retinues[0]?.spawn("buyer", `Buy ${thing}.`);
      return result?.summary ?? "";
    } catch (thrown) {
      // The call is made again when the answer is there, and finds the agent that it has started.
      if (isParked(thrown)) throw thrown;
      return `${thing} cannot be had: ${String(thrown)}`;
    }
  },
});

const bought: string[] = [];
const pay = defineTool({
  name: "pay",
  description: "Pays for a thing.",
  input: z.object({ thing: z.string() }),
  effect: "execute",
  execute: ({ thing }) => {
    bought.push(thing);
    return "paid";
  },
});

const model = createScriptedModel(({ system }, answered) => {
  const isBuyer = system.startsWith("You buy");
  if (answered > 0) return { text: isBuyer ? "Apples are bought." : "Done: apples are bought." };
  return { toolCalls: [{ tool: isBuyer ? "pay" : "order", input: { thing: "apples" } }] };
});

const retinue = await createRetinue({
  model,
  workspace: home,
  env: { RETINUE_HOME: home },
  tools: [order, pay],
  agents: [defineAgent({ name: "buyer", description: "Buys things.", prompt: "You buy things.", tools: ["pay"] })],
});
retinues.push(retinue);
const run = await retinue.run("We need apples.");
assert.equal((await run.outcome).type, "parked");
assert.deepEqual(bought, []);

for (const { approvalId } of await retinue.live.approvals(run.sessionId))
  await retinue.live.answer(approvalId, { allowed: true });
const result = await run.result;
console.log(result.summary);
assert.equal(result.status, "completed");
assert.deepEqual(bought, ["apples"]);
await retinue.close();
await rm(home, { recursive: true });
