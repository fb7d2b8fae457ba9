/**
 * A main agent that delegates to so many sub-agents at once (BENCH_FANOUT), each of three tool calls, in a fresh process. Prints what such a run takes on
 * average, once the first two have loaded and compiled, and the most memory that the process has had. In memory: what is measured is the engine.
 */
import { createLead } from "./lead-engine.ts";

export type SubAgentsSample = { readonly wallMs: number; readonly cpuMs: number; readonly memoryMib: number };

const fanout = Number(process.env["BENCH_FANOUT"] ?? "1000");
const STEPS = 3;
/** When collections and compilations fall is chance; over several runs it evens out. */
const RUNS = 5;

const run = async (children: number): Promise<void> => {
  let echoes = 0;
  const lead = createLead({
    baseUrl: `${process.env["BENCH_MOCK"] ?? ""}/lead/${children}/steps/${STEPS}/v1`,
    mainPrompt: "You lead.",
    subPrompt: "You help.",
    echo: (text) => {
      echoes += 1;
      return text;
    },
  });
  const details = await lead("main", "Do it.");
  if (!details.includes("word19") || echoes !== children * STEPS)
    throw new Error(`${children} sub-agents made ${echoes} calls and ended with ${JSON.stringify(details.slice(0, 200))}`);
};

// The first ones load and compile, and make the connections.
await run(10);
for (let time = 0; time < 2; time += 1) await run(fanout);
const before = process.cpuUsage();
const from = performance.now();
for (let time = 0; time < RUNS; time += 1) await run(fanout);
const { user, system } = process.cpuUsage(before);
const sample: SubAgentsSample = {
  wallMs: (performance.now() - from) / RUNS,
  cpuMs: (user + system) / 1_000 / RUNS,
  memoryMib: process.resourceUsage().maxRSS / 1_024,
};
console.log(JSON.stringify(sample));
process.exit(0);
