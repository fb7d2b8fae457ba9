/** An agent whose results have a type: what it hands in is checked against a schema, it may mend it once, and TypeScript knows what comes out. */
import assert from "node:assert/strict";
import { createRetinue, defineAgent } from "retinue";
import { createScriptedModel } from "retinue/testing";
import { z } from "zod";

const reviewer = defineAgent({
  name: "reviewer",
  description: "Reviews a change and says whether it may be merged.",
  prompt: "You review changes. Be brief, and name files and lines.",
  tools: ["read", "grep"],
  output: z.object({
    verdict: z.enum(["merge", "mend"]),
    findings: z.array(z.object({ file: z.string(), line: z.number().int().positive(), problem: z.string() })).default([]),
  }),
});

const model = createScriptedModel([
  { text: "I would mend line 3." },
  {
    expect: ({ messages }) => assert.match(JSON.stringify(messages.at(-1)), /not one JSON value/),
    text: '{"verdict": "mend", "findings": [{"file": "price.ts", "line": 3, "problem": "It rounds twice."}]}',
  },
]);

const retinue = await createRetinue({ model, agents: [reviewer], env: {} });
const run = await retinue.run("May this be merged?", { agent: reviewer });
const result = await run.result;

assert.equal(result.status, "completed");
// From here on `result.output` is `{ verdict: "merge" | "mend"; findings: … }`.
const { verdict, findings } = result.output;
console.log(`${verdict}: ${findings.map(({ file, line, problem }) => `${file}:${line} ${problem}`).join("; ")}`);
assert.equal(findings[0]?.line, 3);
model.assertDone();

// One run may have a schema of its own, too.
const names = createScriptedModel([{ text: '["quince", "medlar"]' }]);
const asked = await createRetinue({ model: names, env: {} });
const listed = await (await asked.run("Name two old fruits.", { output: z.array(z.string()).min(2) })).result;
assert.deepEqual(listed.output, ["quince", "medlar"]);
await asked.close();
await retinue.close();
