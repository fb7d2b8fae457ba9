/** What code says of a run that it starts inside a tool holds for that run, and never gives it more than the run above has. */
import { createScriptedModel, startMockServer } from "@retinue/model/testing";
import type { ApproveMode, RunResult } from "@retinue/protocol";
import { defineTool } from "@retinue/runtime";
import { createMemoryLog } from "@retinue/store";
import { existsSync } from "node:fs";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { createProject } from "./cli/testing/spawn-retinue.ts";
import { createRetinue } from "./create-retinue.ts";
import type { FanOutTask } from "./host/workspace.ts";
import { defineAgent } from "./library/define-agent.ts";
import { DEFAULT_SETTINGS } from "./settings/settings.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

type Way = "spawn" | "fanOut";
type Options = Omit<FanOutTask, "agent" | "task">;

const startBelow = async (way: Way, options: Options, approve: ApproveMode = "all") => {
  const project = await createProject();
  const server = await startMockServer({ reply: () => ({ text: "from the server" }) });
  const results: RunResult[] = [];
  const tool = defineTool({
    name: "start_worker",
    description: "Starts a worker.",
    input: z.object({}),
    effect: "read",
    execute: async () => {
      results.push(
        ...(way === "spawn"
          ? [await retinue.spawn("worker", "write", options)]
          : await retinue.fanOut([{ agent: "worker", task: "write", ...options }])),
      );
      return "started";
    },
  });
  const retinue = await createRetinue({
    workspace: project.workspace,
    env: { RETINUE_HOME: project.home },
    settings: {
      ...DEFAULT_SETTINGS,
      approve,
      providers: { box: { type: "openai-compatible", baseUrl: server.baseUrl } },
    },
    store: createMemoryLog(),
    tools: [tool],
    agents: [
      defineAgent({ name: "lead", description: "Leads.", prompt: "You are lead.", delegates: ["worker"] }),
      defineAgent({ name: "worker", description: "Works.", prompt: "You are worker.", tools: ["write"] }),
    ],
    model: createScriptedModel(({ system }, answered) => {
      if (answered > 0) return { text: "Done." };
      return system.includes("You are lead.")
        ? { toolCalls: [{ tool: "start_worker" }] }
        : { toolCalls: [{ tool: "write", input: { path: "new.txt", content: "new" } }] };
    }),
  });
  cleanups.push(project.remove, server.close, retinue.close);
  const run = await retinue.run("go", { agent: "lead" });
  const { status, error } = await run.result;
  const differences = (await retinue.verify(run.sessionId)).definitions;
  const isWritten = existsSync(path.join(project.workspace, "new.txt"));
  return { status, error, result: results[0], asked: server.requests.map(({ body }) => body), isWritten, differences };
};

describe.each(["spawn", "fanOut"] as const)("%s inside a tool", (way) => {
  test("asks the model that it names", async () => {
    const { result, asked, differences } = await startBelow(way, { model: "box/other" });
    expect(result?.summary).toBe("from the server");
    expect(asked).toMatchObject([{ model: "other" }]);
    expect(differences).toEqual([]);
  });

  test("is more strictly approved where it says so", async () => {
    expect((await startBelow(way, {})).isWritten).toBe(true);
    expect((await startBelow(way, { approve: "read-only" })).isWritten).toBe(false);
  });

  test("G2 is never approved more freely than the run above", async () => {
    expect((await startBelow(way, { approve: "all" }, "read-only")).isWritten).toBe(false);
  });

  test("is refused where no tool is left", async () => {
    const { result, status, isWritten } = await startBelow(way, { tools: ["read"] });
    expect(isWritten).toBe(false);
    if (way === "fanOut") expect(result).toMatchObject({ status: "failed", error: { code: "tool_unknown" } });
    else expect([result, status]).toEqual([undefined, "completed"]);
  });
});
