/** An engine in memory on a mock server, and the agents that are measured on it: a main one that delegates to as many sub-agents as it is told to. */
import { createEmbeddedEngine } from "@retinue/engine";
import { createModels } from "@retinue/model";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { createSpec, defineTool } from "@retinue/runtime";
import { createMemoryLog } from "@retinue/store";
import { z } from "zod";
import { systemClock } from "../packages/retinue/src/system-ports.ts";

export type LeadOptions = {
  readonly baseUrl: string;
  readonly mainPrompt: string;
  readonly subPrompt: string;
  readonly echo: (text: string) => string;
};

/** The function returned runs an agent on a task, each time in an engine of its own, and gives what it said. */
export const createLead = ({ baseUrl, mainPrompt, subPrompt, echo: say }: LeadOptions) => {
  const models = createModels({
    providers: { mock: { type: "openai-compatible", baseUrl, maxConcurrent: 100_000 } },
    retry: { attempts: 1, maxWaitMs: 1_000 },
    streamIdleMs: 600_000,
    env: {},
  });
  const echo = defineTool({
    name: "echo",
    description: "Says it back.",
    input: z.object({ text: z.string() }),
    effect: "read",
    execute: ({ text }) => say(text),
  });
  const main = agent("main", mainPrompt, { tools: [], grant: "session", delegates: ["sub"], expose: "delegate" });
  const sub = agent("sub", subPrompt, { tools: ["echo"], expose: "delegate" });
  const agents = new Map([main, sub].map((one) => [one.name, one]));
  return async (name: "main" | "sub", task: string): Promise<string> => {
    let ids = 0;
    const engine = createEmbeddedEngine({
      log: createMemoryLog(),
      createId: () => String(++ids),
      agents,
      model: "mock/mock",
      maxConcurrent: 100_000,
      maxChildren: 100_000,
      unattended: "deny",
      ports: {
        model: (asked) => models.resolve(asked),
        tool: () => echo,
        clock: systemClock,
        realPath: async (file) => file,
        readFile: async () => "",
      },
    });
    const spec = createSpec({
      agent: name === "main" ? main : sub,
      agents,
      grant: { tools: ["echo"], writes: [], hosts: [], approve: "all", maxDepth: 3 },
      model: "mock/mock",
      workspace: "/",
      depth: 0,
      request: { limits: { tokens: 1_000_000_000, durationMs: 3_600_000 } },
    });
    const handle = await engine.start({ agent: name, task: [{ type: "text", text: task }], spec });
    const { status, details, error } = await handle.result;
    if (status !== "completed") throw new Error(error?.message ?? status);
    return details;
  };
};

const agent = (name: string, prompt: string, more: object) => ({
  ...agentFrontMatterSchema.parse({ name, description: name, ...more }),
  prompt,
});
