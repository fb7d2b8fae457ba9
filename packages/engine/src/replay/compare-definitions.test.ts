import type { RecordedEvent } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { createMemoryLog } from "@retinue/store";
import { expect, test } from "vitest";
import { compareDefinitions } from "./compare-definitions.ts";
import { createGeneratedEngine, FAMILIES } from "../testing/generated-runs.ts";
import { createMemoryDisk } from "../testing/memory-worktrees.ts";
import { askedOf, createTestEngine, delegateTo, testAgent } from "../testing/test-engine.ts";

const TOOLS = ["echo", "act"];
const AGENTS = [testAgent("main", { tools: TOOLS, delegates: ["worker"] }), testAgent("worker", { tools: ["echo"] })];

const record = async (input: Parameters<typeof delegateTo>[2] = {}): Promise<readonly RecordedEvent[]> => {
  const made = createTestEngine({
    agents: AGENTS,
    script: (request) =>
      askedOf(request).agent === "main" && request.messages.length === 1
        ? { toolCalls: [delegateTo("worker", "look", input)] }
        : { text: "Done." },
    limits: { iterations: 7, durationMs: 60_000 },
  });
  const handle = await made.start("go");
  await handle.result;
  return made.log.read(handle.sessionId);
};

const today = (agents: readonly AgentDefinition[] = AGENTS, tools: readonly string[] = TOOLS) => ({
  agents: new Map(agents.map((agent) => [agent.name, agent])),
  tools,
});

const changed = (name: string, change: Partial<AgentDefinition>): readonly AgentDefinition[] =>
  AGENTS.map((agent) => (agent.name === name ? { ...agent, ...change } : agent));

test("the definitions that a session was recorded with do not differ, whatever limits and tools its delegations were given", async () => {
  expect(compareDefinitions(await record(), today())).toEqual([]);
  expect(compareDefinitions(await record({ tools: ["echo"], limits: { iterations: 2 } }), today())).toEqual([]);
});

test.each<[string, string, Partial<AgentDefinition>, string]>([
  [
    "main",
    "prompt",
    { prompt: "You are main, and careful." },
    '"You are main." was recorded, and it is "You are main, and careful." now',
  ],
  ["worker", "prompt", { prompt: "You are somebody." }, "from character 9 on"],
  ["main", "tools", { tools: ["echo"] }, '["echo","act"] was recorded, and it is ["echo"] now'],
  ["worker", "tools", { tools: TOOLS }, '["echo"] was recorded, and it is ["echo","act"] now'],
  ["worker", "limits", { limits: { iterations: 1 } }, '"iterations":1'],
  ["worker", "model", { model: "other/model" }, '"other/model"'],
  ["main", "delegates", { delegates: [] }, '["worker"] was recorded, and it is [] now'],
  ["worker", "writes", { writes: ["src/**"] }, '[] was recorded, and it is [["src/**"]] now'],
  ["worker", "hosts", { hosts: [] }, "[] was recorded, and it is [[]] now"],
  ["worker", "rules", { rules: [{ tools: ["echo"], effect: "deny" }] }, '"effect":"deny"'],
  ["worker", "isolation", { isolation: "worktree" }, '"none" was recorded'],
  ["worker", "output", { output: { type: "object" } }, '{"type":"object"} now'],
  ["worker", "accept", { accept: { command: "npm test" } }, '"npm test"'],
  ["worker", "fallbacks", { fallbacks: ["other/model"] }, '["other/model"] now'],
  ["worker", "maxOutputTokens", { maxOutputTokens: 9 }, "it is 9 now"],
  ["worker", "temperature", { temperature: 1 }, "nothing was recorded, and it is 1 now"],
])("a %s with another %s is named with what differs", async (agent, field, change, message) => {
  expect(compareDefinitions(await record(), today(changed(agent, change)))).toEqual([
    { agent, field, runId: expect.stringMatching(/^run_/), message: expect.stringContaining(message) },
  ]);
});

const GENERATED = Object.values(FAMILIES).map((family) => ({ name: family.name, seed: 2_004, family }));

test.each(GENERATED)(
  "generated runs, $name: the agents that they were made by do not differ, and one that was changed is named",
  async (generated) => {
    const log = createMemoryLog();
    const engine = createGeneratedEngine(generated, log, createMemoryDisk());
    const first = await engine.startTurn();
    if (!first) throw new Error("There is no first turn.");
    for (let handle: typeof first | undefined = first; handle; handle = await engine.startTurn(first.sessionId))
      await handle.result;
    const events = log.read(first.sessionId);
    expect(compareDefinitions(events, engine.definitions)).toEqual([]);
    for (const name of new Set(events.map(({ agent }) => agent))) {
      const agent = engine.definitions.agents.get(name) ?? testAgent(name);
      const agents = new Map(engine.definitions.agents).set(name, {
        ...agent,
        prompt: `${agent.prompt} Be quick.`,
        maxOutputTokens: 7,
      });
      const found = compareDefinitions(events, { ...engine.definitions, agents });
      expect(found.map((one) => `${one.agent} ${one.field}`)).toEqual([`${name} prompt`, `${name} maxOutputTokens`]);
    }
  },
);

test("a tool that is gone, and an agent that is gone, are named", async () => {
  const events = await record();
  expect(compareDefinitions(events, today(AGENTS, ["echo"]))).toMatchObject([{ agent: "main", field: "tools" }]);
  expect(compareDefinitions(events, today(AGENTS.slice(0, 1)))).toMatchObject([
    { agent: "main", field: "delegates" },
    { agent: "worker", field: "agent" },
  ]);
});
