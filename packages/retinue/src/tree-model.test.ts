/** A model that a person chooses for a run holds for everything below it. */
import { createMemoryLog } from "@retinue/store";
import { startMockServer } from "@retinue/model/testing";
import { expect, test } from "vitest";
import { createProject } from "./cli/testing/spawn-retinue.ts";
import { createRetinue, defineAgent } from "./index.ts";
import { DEFAULT_SETTINGS } from "./settings/settings.ts";

test("sub-agents work with the model that was chosen for the turn, but for those whose file names one", async () => {
  const project = await createProject();
  const asked: string[] = [];
  const server = await startMockServer({
    reply: ({ body }) => {
      const { model, messages } = body as unknown as { model: string; messages: readonly { role: string; content: unknown }[] };
      const system = JSON.stringify(messages[0]?.content);
      const name = ["lead", "worker", "pinned"].find((one) => system.includes(`You are ${one}.`)) ?? "?";
      asked.push(`${name}: ${model}`);
      const isAnswered = messages.some(({ role }) => role === "assistant");
      return name !== "lead" || isAnswered
        ? { text: "Done." }
        : {
            toolCalls: ["worker", "pinned"].map((agent) => ({
              name: "delegate_to_agent",
              arguments: JSON.stringify({ agent, task: "work" }),
            })),
          };
    },
  });
  const agent = (name: string, more: object = {}) =>
    defineAgent({ name, description: `Is ${name}.`, prompt: `You are ${name}.`, ...more });
  const retinue = await createRetinue({
    workspace: project.workspace,
    env: { RETINUE_HOME: project.home },
    settings: {
      ...DEFAULT_SETTINGS,
      model: "box/left",
      providers: { box: { type: "openai-compatible", baseUrl: server.baseUrl } },
    },
    store: createMemoryLog(),
    agents: [agent("lead", { delegates: ["worker", "pinned"] }), agent("worker"), agent("pinned", { model: "box/own" })],
  });
  try {
    await (
      await retinue.run("go", { agent: "lead", model: "box/chosen" })
    ).result;
    expect(new Set(asked)).toEqual(new Set(["lead: chosen", "worker: chosen", "pinned: own"]));
  } finally {
    await retinue.close();
    await server.close();
    await project.remove();
  }
});
