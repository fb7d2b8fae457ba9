/** Skills, instructions and a server of tools, given in code: no file of the project is needed, and none is asked. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createRetinue } from "retinue";
import { createScriptedModel } from "retinue/testing";

const workspace = await mkdtemp(path.join(tmpdir(), "retinue-example-"));
// Any server of the Model Context Protocol; this one knows one thing.
const server = path.join(workspace, "prices.mjs");
await writeFile(
  server,
  `import { createInterface } from "node:readline";
const answers = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "prices", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "price", description: "What a thing costs.", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "30 cents" }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method]?.() ?? {} }));
}
`,
);

const model = createScriptedModel([
  {
    expect: ({ system, tools }) => {
      assert.match(system, /Prices are in cents\./);
      assert.match(JSON.stringify(tools), /How to haggle\./);
    },
    toolCalls: [
      { tool: "load_skill", input: { name: "haggling" } },
      { tool: "prices.price", input: {} },
    ],
  },
  {
    expect: ({ messages }) => assert.match(JSON.stringify(messages.slice(-2)), /Offer half\..*30 cents/),
    text: "Offer 15 cents.",
  },
]);

const retinue = await createRetinue({
  workspace,
  model,
  env: { PATH: process.env["PATH"] },
  instructions: "Prices are in cents.",
  skills: [{ name: "haggling", description: "How to haggle.", instructions: "Offer half." }],
  mcpServers: { prices: { command: process.execPath, args: [server], sandbox: false } },
});
const run = await retinue.run("What shall I offer for a quince?", { approve: "all" });
console.log((await run.result).details);
assert.equal((await run.result).details, "Offer 15 cents.");
model.assertDone();
await retinue.close();
await rm(workspace, { recursive: true });
