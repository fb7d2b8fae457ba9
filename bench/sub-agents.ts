/**
 * A main agent that delegates to so many sub-agents at once (BENCH_FANOUT), each of three tool calls, in a fresh process. Prints what the second such run
 * takes, and the most memory that the process has had. In memory: what is measured is the engine.
 */
import { createEmbeddedEngine } from "@retinue/engine";
import { createModels } from "@retinue/model";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { createSpec, defineTool } from "@retinue/runtime";
import { createMemoryLog } from "@retinue/store";
import { z } from "zod";
import { systemClock } from "../packages/retinue/src/system-ports.ts";

export type SubAgentsSample = { readonly wallMs: number; readonly cpuMs: number; readonly memoryMib: number };

const fanout = Number(process.env["BENCH_FANOUT"] ?? "1000");
const STEPS = 3;

const agent = (name: string, prompt: string, more: object) => ({
  ...agentFrontMatterSchema.parse({ name, description: name, ...more }),
  prompt,
});
const main = agent("main", "You lead.", { tools: [], grant: "session", delegates: ["sub"], expose: "delegate" });
const sub = agent("sub", "You help.", { tools: ["echo"], expose: "delegate" });
const agents = new Map([main, sub].map((one) => [one.name, one]));

let echoes = 0;
const echo = defineTool({
  name: "echo",
  description: "Says it back.",
  input: z.object({ text: z.string() }),
  effect: "read",
  execute: ({ text }) => {
    echoes += 1;
    return text;
  },
});

const run = async (children: number): Promise<void> => {
  const baseUrl = `${process.env["BENCH_MOCK"] ?? ""}/lead/${children}/steps/${STEPS}/v1`;
  const models = createModels({
    providers: { mock: { type: "openai-compatible", baseUrl, maxConcurrent: 100_000 } },
    retry: { attempts: 1, maxWaitMs: 1_000 },
    streamIdleMs: 600_000,
    env: {},
  });
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
      model: (name) => models.resolve(name),
      tool: () => echo,
      clock: systemClock,
      realPath: async (file) => file,
      readFile: async () => "",
    },
  });
  const spec = createSpec({
    agent: main,
    agents,
    grant: { tools: ["echo"], writes: [], hosts: [], approve: "all", maxDepth: 3 },
    model: "mock/mock",
    workspace: "/",
    depth: 0,
    request: { limits: { tokens: 1_000_000_000, durationMs: 3_600_000 } },
  });
  echoes = 0;
  const handle = await engine.start({ agent: "main", task: [{ type: "text", text: "Do it." }], spec });
  const { status, details, error } = await handle.result;
  if (status !== "completed") throw new Error(error?.message ?? status);
  if (!details.includes("word19") || echoes !== children * STEPS)
    throw new Error(`${children} sub-agents made ${echoes} calls and ended with ${JSON.stringify(details.slice(0, 200))}`);
};

// The first one loads and compiles, and makes the connections.
await run(10);
await run(fanout);
const before = process.cpuUsage();
const from = performance.now();
await run(fanout);
const { user, system } = process.cpuUsage(before);
const sample: SubAgentsSample = {
  wallMs: performance.now() - from,
  cpuMs: (user + system) / 1_000,
  memoryMib: process.resourceUsage().maxRSS / 1_024,
};
console.log(JSON.stringify(sample));
process.exit(0);
