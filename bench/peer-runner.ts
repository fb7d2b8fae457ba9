/**
 * Retinue as a runner of the peer harness (`run-all.mjs`): register it in its `runners.json` with
 * `{ "name": "retinue", "cmd": ["node", "--expose-gc", "bench/peer-runner.ts"] }` and BENCH_HARNESS set to the path of its `lib/harness.mjs`.
 */
import { createLead } from "./lead-engine.ts";

type Config = {
  readonly baseURL: string;
  readonly mainPrompt: string;
  readonly subPrompt: string;
  readonly echo: (text: string) => string;
  readonly fanout: number;
};

const { bench } = await import(process.env["BENCH_HARNESS"] ?? "");

await bench({
  name: "retinue",
  delegate: { tool: "delegate_to_agent", args: { agent: "sub", task: "task#$i# run#$r#" } },
  load: async () => ({}),
  build: (_: unknown, { baseURL, mainPrompt, subPrompt, echo }: Config) => {
    const run = createLead({ baseUrl: baseURL, mainPrompt, subPrompt, echo });
    return { runMain: (text: string) => run("main", text), runSub: (text: string) => run("sub", text) };
  },
});
