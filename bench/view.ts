/**
 * `npm run bench:view`: how long it takes to fold 1,000,000 events into the view that every surface draws from, while whoever draws asks
 * what has changed. Judged by the CPU time of the thread that folds, which is what the clock shows where nothing else runs; ends with 1 above the bound.
 */
import { parseArgs } from "node:util";
import { createSessionView } from "@retinue/client";
import { generateSession } from "@retinue/client/testing";
import type { RetinueEvent } from "@retinue/protocol";

const MOST_MS = 4_000;
/** Made beforehand, so that only the fold is measured. */
const BATCH = 50_000;
/** A screen that draws 60 times a second while 60,000 events a second come in. */
const EVENTS_A_FRAME = 1_000;

const { values } = parseArgs({
  options: { events: { type: "string", default: "1000000" }, live: { type: "boolean", default: false } },
});
const wanted = Number(values.events);
if (!Number.isSafeInteger(wanted) || wanted < 1) throw new Error(`--events ${values.events} is no number of events`);

const source = generateSession({
  runs: 4_000,
  turns: Math.ceil(wanted / 4_000 / 4),
  maxDepth: 8,
  width: 64,
  withLive: values.live,
});

const takeBatch = (size: number): RetinueEvent[] => {
  const batch: RetinueEvent[] = [];
  while (batch.length < size) {
    const { value, done } = source.next();
    if (done === true) break;
    batch.push(value);
  }
  return batch;
};

const { view, apply, takeChanged } = createSessionView("ses_generated");
type Took = { readonly events: number; readonly ms: number; readonly cpuMs: number };
const batches: Took[] = [];
let folded = 0;
let changes = 0;
for (let batch = takeBatch(Math.min(BATCH, wanted)); batch.length > 0; batch = takeBatch(Math.min(BATCH, wanted - folded))) {
  const [from, cpuFrom] = [performance.now(), process.threadCpuUsage()];
  for (let index = 0; index < batch.length; index += 1) {
    const event = batch[index];
    if (event !== undefined && apply(event) !== "applied") throw new Error(`event ${event.seq} was not applied`);
    if (index % EVENTS_A_FRAME === EVENTS_A_FRAME - 1) changes += takeChanged().length;
  }
  const { user, system } = process.threadCpuUsage(cpuFrom);
  batches.push({ events: batch.length, ms: performance.now() - from, cpuMs: (user + system) / 1_000 });
  folded += batch.length;
}

const sum = (of: (took: Took) => number): number => batches.reduce((all, took) => all + of(took), 0);
const [ms, cpuMs] = [sum((took) => took.ms), sum((took) => took.cpuMs)];
const microseconds = (took: { readonly events: number; readonly cpuMs: number }): string =>
  ((took.cpuMs * 1000) / took.events).toFixed(2);
const last = batches.at(-1);
const deepest = Math.max(...Array.from(view.runs.values(), ({ depth }) => depth));
console.log(`${folded} events, ${view.runs.size} runs, ${deepest + 1} levels, ${view.approvals.size} approvals`);
console.log(
  `folded in ${(cpuMs / 1000).toFixed(2)} s of CPU (${(ms / 1000).toFixed(2)} s by the clock), ${microseconds({ events: folded, cpuMs })} µs an event; at most ${MOST_MS / 1000} s for 1,000,000`,
);
if (batches[0] && last)
  console.log(
    `first ${batches[0].events}: ${microseconds(batches[0])} µs an event; last ${last.events}: ${microseconds(last)} µs`,
  );
console.log(`${changes} changes of runs were told; ${Math.round(process.memoryUsage().heapUsed / 2 ** 20)} MiB of heap`);
if (folded < wanted) throw new Error(`only ${folded} of ${wanted} events were generated`);
if (cpuMs > (MOST_MS * folded) / 1_000_000) {
  console.error("bench:view: the fold takes too long");
  process.exitCode = 1;
}
