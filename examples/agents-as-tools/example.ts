/**
 * Sub-agents as tools, by the library: each has an input of its own, works in the same loop with fewer tools, and hands back a summary.
 * Reading needs nobody; a change asks whoever started it all, from however deep it comes.
 */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { createRetinue, type RetinueEvent } from "retinue";
import { openScene } from "../stage/scene.ts";
import { toTree } from "../stage/tree.ts";
import { script } from "./script.ts";

await using scene = await openScene({ example: import.meta.dirname, script });
const { workspace, env, requests, run } = scene;

const asked: string[] = [];
const retinue = await createRetinue({
  workspace,
  env,
  approver: ({ run: { agent, depth }, act: { tool, paths } }) => {
    const question = `${agent} (depth ${depth}) wants to ${tool} ${paths.map((file) => path.relative(workspace, path.resolve(workspace, file))).join(", ")}`;
    console.log(`?  ${question}`);
    asked.push(question);
    return Promise.resolve(
      paths.some((file) => file.endsWith("users.js")) ? { allowed: true } : { allowed: false, reason: "Leave the CLI alone." },
    );
  },
});
const events: RetinueEvent[] = [];
const task = await retinue.run("The lookup of users is sloppy. Find it, have it judged and mended.", { approve: "ask" });
for await (const event of task) {
  events.push(event);
  if (event.depth === 1 && event.type === "tool.started")
    console.log(`   ${event.agent}: ${event.tool} ${JSON.stringify(event.input)}`);
}
await retinue.close();
const main = toTree(events);
console.log(main.lines().join("\n"));
scene.assertSpoken();

assert.equal(main.result.status, "completed");
assert.deepEqual(
  main.below.map(({ agent, tools }) => [agent, tools]),
  [
    ["code-search", ["ls", "grep", "read"]],
    ["code-review", ["read"]],
    ["planner", ["read"]],
    ["fixer", ["read", "edit"]],
    ["fixer", ["read", "edit: denied"]],
  ],
);

// Each is a tool of the main agent with an input of its own; below, nobody can start anybody.
type Body = {
  readonly model: string;
  readonly tools: readonly {
    readonly function: { readonly name: string; readonly parameters: { readonly properties: object } };
  }[];
};
const bodies = requests.map(({ body, text }) => ({ ...(body as unknown as Body), isMain: !text.includes("sub-agent (depth") }));
const search = bodies[0]?.tools.find(({ function: { name } }) => name === "code-search");
assert.deepEqual(Object.keys(search?.function.parameters.properties ?? {}), ["query", "scope"]);
for (const { isMain, tools } of bodies)
  assert.equal(
    tools.some(({ function: { name } }) => name === "delegate_to_agent" || name === "planner"),
    isMain,
  );

// The one that only searches is served by the cheaper model that its file names.
assert.deepEqual([...new Set(bodies.map(({ model }) => model))], ["large", "small"]);

// Reading asked nobody. The two changes did, and the refusal came back as something that the agent could read.
assert.deepEqual(asked, ["fixer (depth 1) wants to edit src/users.js", "fixer (depth 1) wants to edit src/cli.js"]);
assert.ok(requests.some(({ text }) => text.includes("Leave the CLI alone.")));
assert.match(await readFile(path.join(workspace, "src/users.js"), "utf8"), /user\.name === name/);
assert.equal((await run("git", "status", "--short")).trim(), "M src/users.js");
assert.equal((await run(process.execPath, "src/cli.js", "users.json", "ada")).trim(), '{"name":"ada"}');
