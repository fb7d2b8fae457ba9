/** One question about a folder, answered without any key by the offline model, which searches with the real tools. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createRetinue } from "retinue";

const workspace = await mkdtemp(path.join(tmpdir(), "retinue-example-"));
await writeFile(
  path.join(workspace, "server.ts"),
  'import { createServer } from "node:http";\n\nexport const handleLogin = (name: string) => `hello ${name}`;\n',
);

const retinue = await createRetinue({ workspace, model: "offline/rules" });
const run = await retinue.run("where is handleLogin defined?");
for await (const event of run)
  if (event.type === "tool.started") console.log(`${event.agent} calls ${event.tool} ${JSON.stringify(event.input)}`);
const result = await run.result;
console.log(result.details);

assert.equal(result.status, "completed");
assert.match(result.details, /server\.ts:3/);
await retinue.close();
await rm(workspace, { recursive: true });
