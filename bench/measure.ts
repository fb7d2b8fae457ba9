/** What is measured, the same for every runner: it gives a function that makes one run and says `onEcho` at each step. */

export type Runner = { readonly run: (baseUrl: string, onEcho: () => void) => Promise<string> };

export type Sample = {
  readonly cpuPerStepMs: number;
  /** CPU a step in the last 20 steps of a long run over that in its first 20. */
  readonly growth: number;
};

const WINDOW = 20;

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** Asks for so many runs of 20 steps; the answer is their CPU time a step. */
export type Batch = { readonly runs: number };

/** Where another process asks for one batch after the other, as where two commits take turns. */
const answerBatches = async (runOnce: () => Promise<void>): Promise<void> => {
  process.on("disconnect", () => process.exit(0));
  const answer = async ({ runs }: Batch): Promise<void> => {
    const before = cpuMs();
    for (let run = 0; run < runs; run += 1) await runOnce();
    process.send?.((cpuMs() - before) / (runs * 21));
  };
  process.on("message", (batch: Batch) => void answer(batch));
  process.send?.("ready");
};

export const measure = async (name: string, { run }: Runner): Promise<void> => {
  const mock = process.env["BENCH_MOCK"] ?? "";
  const seconds = Number(process.env["BENCH_SECONDS"] ?? "3");
  const text = Number(process.env["BENCH_TEXT"] ?? "0");
  const url = (steps: number): string => `${mock}/steps/${steps}/text/${text}/v1`;
  const check = (said: string): void => {
    if (!said.includes("word19")) throw new Error(`${name} answered ${JSON.stringify(said.slice(0, 200))}`);
  };
  const counted = async (): Promise<number> => Number(await (await fetch(`${mock}/count`)).text());

  if (process.send) return answerBatches(async () => check(await run(url(20), () => undefined)));
  // Short runs, for the cost of a step.
  for (const until = performance.now() + 1_500; performance.now() < until;) check(await run(url(20), () => undefined));
  await counted();
  let runs = 0;
  let echoes = 0;
  const before = cpuMs();
  for (const until = performance.now() + seconds * 1_000; performance.now() < until; runs += 1)
    check(await run(url(20), () => (echoes += 1)));
  const cpu = cpuMs() - before;
  if ((await counted()) !== runs * 21 || echoes !== runs * 20)
    throw new Error(`${name} did not make the requests it should have made`);

  // Long runs, for the growth of that cost.
  check(await run(url(200), () => undefined));
  const growths: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    const marks: number[] = [];
    check(await run(url(200), () => marks.push(cpuMs())));
    const span = (from: number, to: number): number => (marks[to] ?? 0) - (marks[from] ?? 0);
    growths.push(span(199 - WINDOW, 199) / span(0, WINDOW));
  }
  const sample: Sample = { cpuPerStepMs: cpu / (runs * 21), growth: median(growths) };
  console.log(JSON.stringify(sample));
};
