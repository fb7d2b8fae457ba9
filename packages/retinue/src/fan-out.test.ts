import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ScriptedTurn } from "@retinue/model/testing";
import type { Json } from "@retinue/protocol";
import { createScriptedModel } from "@retinue/model/testing";
import { createMemoryLog } from "@retinue/store";
import { expect, test } from "vitest";
import { z } from "zod";
import type { Retinue } from "./index.ts";
import { createRetinue, defineAgent, defineTool } from "./index.ts";
import { DEFAULT_SETTINGS } from "./settings/settings.ts";

test("a tool that fans out to agents who must ask waits for them outside of memory, and has all results in the end", async () => {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-fan-out-")));
  const acted: string[] = [];
  const tool = (answered: number, name: string, input: Json): ScriptedTurn =>
    answered === 0 ? { toolCalls: [{ tool: name, input, callId: name }] } : { text: `${name} is done.` };
  const model = createScriptedModel(({ system, messages }, answered) => {
    if (!system.startsWith("You act.")) return tool(answered, "fan", {});
    const task = JSON.stringify(messages[0]?.content).includes("one") ? "one" : "two";
    return tool(answered, "act", { task });
  });
  const retinues: Retinue[] = [];
  const retinue = await createRetinue({
    model,
    workspace: folder,
    env: { PATH: process.env["PATH"], HOME: folder, RETINUE_HOME: path.join(folder, "home") },
    store: createMemoryLog(),
    settings: { ...DEFAULT_SETTINGS, approvals: { unattended: "park" } },
    agents: [defineAgent({ name: "actor", description: "Acts.", prompt: "You act.", tools: ["act"] })],
    tools: [
      defineTool({
        name: "act",
        description: "Acts.",
        input: z.object({ task: z.string() }),
        effect: "execute",
        execute: ({ task }) => {
          acted.push(task);
          return "done";
        },
      }),
      defineTool({
        name: "fan",
        description: "Has two tasks done.",
        input: z.object({}),
        effect: "read",
        timeoutMs: Infinity,
        execute: async () => {
          const results = await retinues[0]?.fanOut(["one", "two"].map((task) => ({ agent: "actor", task })));
          return JSON.stringify(results?.map(({ status }) => status));
        },
      }),
    ],
  });
  retinues.push(retinue);
  try {
    const run = await retinue.run("go");
    expect(await run.outcome).toMatchObject({ type: "parked" });
    const asked = await retinue.live.approvals(run.sessionId);
    expect(asked).toHaveLength(2);
    for (const { approvalId } of asked) await retinue.live.answer(approvalId, { allowed: true });
    expect(await run.result).toMatchObject({ status: "completed" });
    expect(acted.toSorted()).toEqual(["one", "two"]);
    const fanned = (await retinue.events(run.sessionId)).find((event) => event.type === "tool.settled" && event.tool === "fan");
    expect(JSON.stringify(fanned)).toContain('[\\"completed\\",\\"completed\\"]');
  } finally {
    await retinue.close();
    await rm(folder, { recursive: true, force: true });
  }
});
