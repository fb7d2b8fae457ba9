/** Guardrails: functions that look at what is asked and at what is answered. What one refuses ends the run, and the record says why. */
import assert from "node:assert/strict";
import { createRetinue, type GuardedInput, type GuardedOutput } from "retinue";
import { createScriptedModel } from "retinue/testing";

const noCardNumbers = ({ text }: GuardedInput) =>
  /\b\d{16}\b/.test(text) ? { refuse: "It holds the number of a card." } : undefined;

const noPromises = ({ text }: GuardedOutput): void => {
  if (/\bI (?:promise|guarantee)\b/.test(text)) throw new Error("We promise nothing.");
};

const model = createScriptedModel([{ text: "I promise that it arrives tomorrow." }, { text: "It should arrive tomorrow." }]);
const retinue = await createRetinue({ model, env: {}, guardrails: { input: [noCardNumbers], output: [noPromises] } });

const leaked = await (await retinue.run("Charge 4111111111111111, please.")).result;
console.log(leaked.error?.message);
assert.equal(leaked.error?.code, "guardrail_refused");

const promised = await (await retinue.run("When does it arrive?")).result;
console.log(promised.error?.message);
assert.equal(promised.status, "failed");
// What was refused is not handed back; it stands in the record alone.
assert.equal(promised.details, "");

const fine = await (await retinue.run("When does it arrive?")).result;
assert.equal(fine.details, "It should arrive tomorrow.");
await retinue.close();
