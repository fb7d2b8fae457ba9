/**
 * Retinue as a runner of the peer harness (`run-all.mjs`): register it in its `runners.json` with
 * `{ "name": "retinue", "cmd": ["node", "--expose-gc", "bench/peer-runner.ts"] }` and BENCH_HARNESS set to the path of its `lib/harness.mjs`.
 */
import { createEmbeddedEngine } from "@retinue/engine";
import { createModels } from "@retinue/model";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { createSpec, defineTool } from "@retinue/runtime";
import { createMemoryLog } from "@retinue/store";
import { z } from "zod";
import { systemClock } from "../packages/retinue/src/system-ports.ts";

type Config = {
  readonly baseURL: string;
  readonly mainPrompt: string;
  readonly subPrompt: string;
  readonly echo: (text: string) => string;
  readonly fanout: number;
};

const { bench } = await import(process.env["BENCH_HARNESS"] ?? "");

const agent = (name: string, prompt: string, more: object) => ({
  ...agentFrontMatterSchema.parse({ name, description: name, ...more }),
  prompt,
});

await bench({
  name: "retinue",
  delegate: { tool: "delegate_to_agent", args: { agent: "sub", task: "task#$i# run#$r#" } },
  load: async () => ({}),
  build: (_: unknown, config: Config) => {
    const models = createModels({
      providers: { mock: { type: "openai-compatible", baseUrl: config.baseURL, maxConcurrent: 100_000 } },
      retry: { attempts: 1, maxWaitMs: 1_000 },
      streamIdleMs: 600_000,
      env: {},
    });
    const echo = defineTool({
      name: "echo",
      description: "echo tool",
      input: z.object({ text: z.string() }),
      effect: "read",
      execute: ({ text }) => config.echo(text),
    });
    const main = agent("main", config.mainPrompt, { tools: [], grant: "session", delegates: ["sub"], expose: "delegate" });
    const sub = agent("sub", config.subPrompt, { tools: ["echo"], expose: "delegate" });
    const agents = new Map([main, sub].map((one) => [one.name, one]));
    const run = async (name: "main" | "sub", text: string): Promise<string> => {
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
      const handle = await engine.start({ agent: name, task: [{ type: "text", text }], spec });
      const { status, details, error } = await handle.result;
      if (status !== "completed") throw new Error(error?.message ?? status);
      return details;
    };
    return { runMain: (text: string) => run("main", text), runSub: (text: string) => run("sub", text) };
  },
});
