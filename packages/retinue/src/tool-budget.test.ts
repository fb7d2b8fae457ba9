/** A role can spend its whole tool budget with one call a turn, and still answer. */
import { readBuiltinAgents } from "@retinue/agents";
import { createScriptedModel } from "@retinue/model/testing";
import { createMemoryLog } from "@retinue/store";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Project } from "./cli/testing/spawn-retinue.ts";
import { createProject } from "./cli/testing/spawn-retinue.ts";
import type { RunOptions } from "./host/workspace.ts";
import { createRetinue } from "./create-retinue.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const openProject = async (settings: string): Promise<Project> => {
  const project = await createProject();
  cleanups.push(project.remove);
  await writeFile(path.join(project.home, "retinue.yaml"), settings);
  for (let number = 0; number < 60; number += 1) await writeFile(path.join(project.workspace, `${number}.txt`), `${number}\n`);
  return project;
};

/** Makes as many calls as the agent's budget allows, one a turn. */
const spendAll = async (settings: string, agent: string, options: RunOptions = {}) => {
  const { workspace, home } = await openProject(settings);
  let budget = 0;
  const retinue = await createRetinue({
    workspace,
    env: { RETINUE_HOME: home },
    store: createMemoryLog(),
    model: createScriptedModel((_request, turn) =>
      turn < budget ? { toolCalls: [{ tool: "read", input: { path: `${turn}.txt` } }] } : { text: "Done." },
    ),
  });
  try {
    budget = options.limits?.toolCalls ?? retinue.agents.get(agent)?.limits.toolCalls ?? 0;
    const { status, toolCalls } = await (await retinue.run("Read.", { ...options, agent })).result;
    return { status, toolCalls, budget };
  } finally {
    await retinue.close();
  }
};

const roles = [...(await readBuiltinAgents()).values()].filter(({ limits }) => limits.toolCalls !== undefined);

describe("a role spends its whole tool budget at one call a turn, and answers", () => {
  test.each(roles.map(({ name, limits }) => [name, limits.toolCalls ?? 0] as const))(
    "%s makes %i calls",
    async (name, budget) => {
      expect(await spendAll("", name)).toEqual({ status: "completed", toolCalls: budget, budget });
    },
  );

  test.each(["[s1]", "[s2]", "[s3]", "[s1, s2]", "[s2, s1]"])("with the presets %s", async (presets) => {
    for (const { name } of roles) {
      const { status, toolCalls, budget } = await spendAll(`agent: { presets: ${presets} }\n`, name);
      expect([name, status, toolCalls]).toEqual([name, "completed", budget]);
    }
  });

  test("where the settings raise the budget alone", async () => {
    const settings = "agents: { reviewer: { limits: { toolCalls: 25 } } }\n";
    expect(await spendAll(settings, "reviewer")).toEqual({ status: "completed", toolCalls: 25, budget: 25 });
  });

  test("where a call raises the budget alone", async () => {
    const raised = await spendAll("", "planner", { limits: { toolCalls: 20 } });
    expect(raised).toEqual({ status: "completed", toolCalls: 20, budget: 20 });
  });

  test("and not where somebody has limited the iterations", async () => {
    const settings = "agents: { reviewer: { limits: { toolCalls: 25, iterations: 5 } } }\n";
    expect(await spendAll(settings, "reviewer")).toMatchObject({ status: "partial", toolCalls: 5 });
  });
});
