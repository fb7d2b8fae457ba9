/** `appsettings.json` belongs to many projects: a human is asked before it is written only where it defines agents, or would. */
import { createScriptedModel } from "@retinue/model/testing";
import type { RecordedEvent } from "@retinue/protocol";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { createMemoryLog } from "@retinue/store";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { createProject } from "./cli/testing/spawn-retinue.ts";
import { createRetinue } from "./create-retinue.ts";
import { DEFAULT_SETTINGS } from "./settings/settings.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

test.each([
  ["plain settings", '{ "Logging": {} }', '{ "Logging": { "Level": "Debug" } }', "ok"],
  ["a new file", undefined, '{ "Logging": {} }', "ok"],
  ["settings that define agents", '{ "AgentRoles": {} }', "{}", "denied"],
  ["settings that would define agents", "{}", '{ "agentRoles": {} }', "denied"],
  ["settings that would define agents in escaped letters", "{}", '{ "Agent\\u0052oles": {} }', "denied"],
] as const)("%s: %s becomes %s: %s without a human", async (_, before, content, outcome) => {
  const project = await createProject();
  if (before !== undefined) await writeFile(path.join(project.workspace, "appsettings.json"), before);
  const retinue = await createRetinue({
    workspace: project.workspace,
    env: { RETINUE_HOME: project.home },
    settings: { ...DEFAULT_SETTINGS, approve: "all" },
    store: createMemoryLog(),
    agents: [
      {
        ...agentFrontMatterSchema.parse({ name: "lead", description: "Leads.", tools: ["*"] }),
        delegates: [],
        prompt: "You are lead.",
      },
    ],
    model: createScriptedModel((__, turn) =>
      turn > 0
        ? { text: "Done." }
        : {
            toolCalls: [
              { tool: "read", input: { path: "appsettings.json" } },
              { tool: "write", input: { path: "appsettings.json", content } },
            ],
          },
    ),
  });
  cleanups.push(project.remove, retinue.close);
  const run = await retinue.run("go", { agent: "lead" });
  await run.result;
  const events = await retinue.events(run.sessionId);
  const settled = events.find(
    (event): event is Extract<RecordedEvent, { type: "tool.settled" }> => event.type === "tool.settled" && event.tool === "write",
  );
  expect(settled?.outcome).toBe(outcome);
});
