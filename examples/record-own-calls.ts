/** A program that calls a model itself, and records its calls in the same tree of messages as those of agents. */
import assert from "node:assert/strict";
import { createRetinue } from "retinue";
import { createScriptedModel } from "retinue/testing";

const retinue = await createRetinue({ model: createScriptedModel([]), env: {} });

const parent = await retinue.startMessage({ agentRole: "main", requestContent: "Add authentication", modelId: "acme/large" });
const child = await retinue.startMessage({ agentRole: "coder", requestContent: "Write it", parentMessageId: parent });
await retinue.completeMessage(child, {
  responseContent: "Written.",
  filesCreated: ["auth.ts"],
  promptTokens: 900,
  completionTokens: 80,
});
const late = await retinue.startMessage({ agentRole: "tester", requestContent: "Test it", parentMessageId: parent });
await retinue.failMessage(late, "The test server did not start.");
await retinue.completeMessage(parent, { responseContent: "Written, and not tested." });

const row = await retinue.sessions.message(child);
assert.equal(row?.request_type, "delegation");
assert.equal(row?.parent_message_id, parent);
assert.equal((await retinue.sessions.message(late))?.status, "failed");
await retinue.close();
