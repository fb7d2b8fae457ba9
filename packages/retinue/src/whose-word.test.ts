/** A person's flag or call stands above the settings, those above the agents' files, and a model only takes away. */
import { createScriptedModel } from "@retinue/model/testing";
import type { ModelRequest } from "@retinue/model/contract";
import type { ScriptedTurn } from "@retinue/model/testing";
import type { RecordedEvent, RunSpec } from "@retinue/protocol";
import { createMemoryLog } from "@retinue/store";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { callRetinue } from "./cli/testing/call-retinue.ts";
import { createMockProject } from "./cli/testing/mock-project.ts";
import { createProject } from "./cli/testing/spawn-retinue.ts";
import type { Retinue } from "./create-retinue.ts";
import type { RunOptions } from "./host/workspace.ts";
import { createRetinue } from "./create-retinue.ts";
import type { Settings } from "./settings/settings.ts";
import { DEFAULT_SETTINGS } from "./settings/settings.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

type Script = (request: ModelRequest, answered: number) => ScriptedTurn | undefined;

const retinueWith = async (settings: Partial<Settings>, script: Script = () => ({ text: "Done." })): Promise<Retinue> => {
  const project = await createProject();
  const retinue = await createRetinue({
    workspace: project.workspace,
    env: { RETINUE_HOME: project.home },
    settings: { ...DEFAULT_SETTINGS, ...settings },
    store: createMemoryLog(),
    model: createScriptedModel(script, { contextWindow: 100_000 }),
  });
  cleanups.push(project.remove, retinue.close);
  return retinue;
};

const specsOf = async (retinue: Retinue, options: RunOptions = {}): Promise<readonly RunSpec[]> => {
  const run = await retinue.run("go", options);
  await run.result;
  const events = await retinue.events(run.sessionId);
  return events
    .filter((event): event is Extract<RecordedEvent, { type: "run.requested" }> => event.type === "run.requested")
    .map(({ spec }) => spec);
};

const delegating =
  (input: Record<string, unknown>): Script =>
  ({ system }, answered) =>
    system.startsWith("You are the main agent") && answered === 0
      ? { toolCalls: [{ tool: "delegate_to_agent", input: input as never }] }
      : { text: "Done." };

describe("limits", () => {
  test("of the settings stand above those of the agent's file", async () => {
    const [main] = await specsOf(await retinueWith({ limits: { iterations: 70, durationMs: 1_200_000 } }));
    expect(main?.limits).toMatchObject({ iterations: 70, durationMs: 1_200_000 });
  });

  test("of a call stand above those of the settings", async () => {
    const [main] = await specsOf(await retinueWith({ limits: { iterations: 20 } }), { limits: { iterations: 90 } });
    expect(main?.limits.iterations).toBe(90);
  });

  test("of one agent in the settings hold for the built-in agent, whatever name it is called by", async () => {
    const retinue = await retinueWith(
      { agents: { coder: { limits: { iterations: 99 } } } },
      delegating({ role: "coder", task: "x" }),
    );
    const [, coder] = await specsOf(retinue);
    expect(coder?.limits).toMatchObject({ iterations: 99, toolCalls: 30 });
  });

  test("that a model asks for only take away", async () => {
    const more = delegating({ agent: "executor", task: "x", limits: { iterations: 500, toolCalls: 3 } });
    const [, executor] = await specsOf(await retinueWith({}, more));
    expect(executor?.limits).toMatchObject({ iterations: 31, toolCalls: 3 });
  });
});

describe("agents in the settings", () => {
  test("get the model, tools and delegates that stand there", async () => {
    const retinue = await retinueWith({
      agents: { tester: { model: "local/cheap", tools: ["Read", "search"], delegates: ["CodeReview"] } },
    });
    expect(retinue.agents.get("tester")).toMatchObject({
      model: "local/cheap",
      tools: ["read", "grep"],
      delegates: ["code-review"],
    });
  });

  test("that there are not are told", async () => {
    const retinue = await retinueWith({ agents: { testre: { model: "local/cheap" } } });
    expect(retinue.problems).toContainEqual(
      expect.stringContaining("agents.testre of the settings: there is no such agent; did you mean tester?"),
    );
  });

  test("take the numbers of a preset", async () => {
    const retinue = await retinueWith({ agent: { ...DEFAULT_SETTINGS.agent, presets: ["s2"] } });
    expect(retinue.agents.get("planner")).toMatchObject({
      limits: { iterations: 15 },
      delegates: ["executor", "tester", "reviewer"],
    });
  });

  test("hand back as many tokens as is set, whatever their files say", async () => {
    const retinue = await retinueWith({
      agent: { ...DEFAULT_SETTINGS.agent, resultTokens: 700 },
      agents: { planner: { resultTokens: 900 } },
    });
    expect(retinue.agents.get("tester")?.resultTokens).toBe(700);
    expect(retinue.agents.get("planner")?.resultTokens).toBe(900);
  });
});

describe("on the command line", () => {
  const AGENT =
    "---\nname: helper\ndescription: Helps.\nmodel: local/of-the-file\ntools: []\nlimits: { iterations: 2 }\n---\nHelp.\n";

  const withHelper = async (more = "") => {
    const made = await createMockProject(() => ({ text: "Done." }), more);
    cleanups.push(made.remove);
    await mkdir(join(made.project.workspace, ".retinue/agents"), { recursive: true });
    await writeFile(join(made.project.workspace, ".retinue/agents/helper.md"), AGENT);
    return made;
  };

  test("-m stands above the model of the agent's file", async () => {
    const { project, server } = await withHelper();
    expect((await callRetinue(project, ["run", "-a", "helper", "-m", "local/of-the-flag", "go"])).code).toBe(0);
    expect(server.requests.map(({ body }) => (body as { model: string }).model)).toEqual(["of-the-flag"]);
  });

  test("--limit raises what the agent's file says", async () => {
    const { project } = await withHelper();
    const ended = await callRetinue(project, ["run", "-a", "helper", "--limit", "iterations=70", "--json", "go"]);
    const [first = "{}"] = ended.stdout.split("\n");
    expect((JSON.parse(first) as { spec: RunSpec }).spec.limits.iterations).toBe(70);
  });

  test("agents show tells what takes effect, and why", async () => {
    const { project, settingsFile } = await withHelper(
      "limits: { toolCalls: 44 }\nagents: { tester: { model: local/small, limits: { iterations: 33 } } }\n",
    );
    const ended = await callRetinue(project, ["agents", "show", "Tester"]);
    expect(ended.stdout).toContain(`model: local/small (settings: agents.tester.model, ${settingsFile}:5)`);
    expect(ended.stdout).toContain(`limits.iterations: 33 (settings: agents.tester.limits.iterations, ${settingsFile}:5)`);
    expect(ended.stdout).toContain(`limits.toolCalls: 44 (settings: limits.toolCalls, ${settingsFile}:4)`);
    expect(ended.stdout).toMatch(/limits\.durationMs: 180000 \(agent file: .*tester\.md/);
    const helper = await callRetinue(project, ["agents", "show", "helper"]);
    expect(helper.stdout).toContain(
      `model: local/of-the-file (agent file: ${join(project.workspace, ".retinue/agents/helper.md")}:4)`,
    );
  });
});
