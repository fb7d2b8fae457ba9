/**
 * `npm run bench -- --against COMMIT`: what a step and 1,000 sub-agents cost now, in ratios to what they cost at an older commit. Both are at work at the same
 * time and take turns, a fraction of a second each, so that whatever else the machine does is felt by both. CPU time counts; the clock is
 * shown where it is asked for.
 */
import { execFileSync, fork } from "node:child_process";
import path from "node:path";
import type { Batch } from "./measure.ts";
import { checkOutCommit } from "./older-commit.ts";
import { startMock } from "./start-mock.ts";
import type { SubAgentsSample } from "./sub-agents.ts";

const HERE = import.meta.dirname;
/** Two measurements of the same code differ by about so much. */
const MOST = 1.05;
const RUNS_A_TURN = 4;
const TURNS_A_ROUND = 30;
const WARM_UP_TURNS = 10;

type Pair = { readonly older: number; readonly now: number };

const KINDS = [
  { what: "CPU a step, short replies", text: 0, store: "memory" },
  { what: "CPU a step, 200-token replies", text: 200, store: "memory" },
  { what: "CPU a step, short replies, SQLite", text: 0, store: "NORMAL" },
  { what: "CPU a step, 200-token replies, SQLite", text: 200, store: "NORMAL" },
] as const;

/** True where nothing has become worse. */
export const compareWithCommit = async (commit: string, rounds: number): Promise<boolean> => {
  const older = checkOutCommit(commit);
  process.once("exit", older.remove);
  console.log(
    `${"".padEnd(42)}${commit.slice(0, 10).padStart(12)}${"now".padStart(12)}${"ratio".padStart(8)}${"at most".padStart(9)}`,
  );
  let isMet = true;
  const tell = (what: string, unit: string, pairs: readonly Pair[], most: number): void => {
    const ratio = median(pairs.map(({ older: before, now }) => now / before));
    if (ratio > most) isMet = false;
    console.log(
      what.padEnd(42) +
        `${median(pairs.map((pair) => pair.older)).toFixed(2)} ${unit}`.padStart(12) +
        `${median(pairs.map((pair) => pair.now)).toFixed(2)} ${unit}`.padStart(12) +
        ratio.toFixed(2).padStart(8) +
        (most === Infinity ? "-" : most.toFixed(2)).padStart(9) +
        (ratio > most ? "  OVER" : ""),
    );
  };
  for (const { what, text, store } of KINDS)
    tell(what, "ms", await takeTurns(older.bench, { text, store, turns: rounds * TURNS_A_ROUND }), MOST);

  const samples: { readonly older: SubAgentsSample; readonly now: SubAgentsSample }[] = [];
  for (let round = 0; round < rounds; round += 1)
    samples.push({ older: await sampleSubAgents(older.bench), now: await sampleSubAgents(HERE) });
  const pairsOf = (key: keyof SubAgentsSample): readonly Pair[] =>
    samples.map((sample) => ({ older: sample.older[key], now: sample.now[key] }));
  tell("1,000 sub-agents, CPU", "ms", pairsOf("cpuMs"), MOST);
  tell("1,000 sub-agents, most memory", "MiB", pairsOf("memoryMib"), MOST);
  tell("1,000 sub-agents, by the clock", "ms", pairsOf("wallMs"), Infinity);
  console.log(isMet ? "\nnothing is worse" : "\nsome is worse");
  return isMet;
};

type Turns = { readonly text: number; readonly store: string; readonly turns: number };

const takeTurns = async (olderBench: string, { text, store, turns }: Turns): Promise<readonly Pair[]> => {
  const mock = await startMock();
  const env = { ...process.env, BENCH_MOCK: mock.url, BENCH_TEXT: String(text), BENCH_STORE: store, NODE_ENV: "production" };
  const older = await startRunner(olderBench, env);
  const now = await startRunner(HERE, env);
  try {
    const pairs: Pair[] = [];
    for (let turn = -WARM_UP_TURNS; turn < turns; turn += 1) {
      const isOlderFirst = turn % 2 === 0;
      const first = await (isOlderFirst ? older : now).takeTurn();
      const second = await (isOlderFirst ? now : older).takeTurn();
      if (turn >= 0) pairs.push(isOlderFirst ? { older: first, now: second } : { older: second, now: first });
    }
    return pairs;
  } finally {
    older.stop();
    now.stop();
    mock.process.kill();
  }
};

type Runner = { readonly takeTurn: () => Promise<number>; readonly stop: () => void };

const startRunner = async (bench: string, env: NodeJS.ProcessEnv): Promise<Runner> => {
  const child = fork(path.join(bench, "retinue.ts"), { cwd: bench, env });
  let said = Promise.withResolvers<unknown>();
  child.on("message", (message) => said.resolve(message));
  child.on("exit", () => said.reject(new Error(`The runner of ${bench} ended before it was asked to.`)));
  await said.promise;
  return {
    takeTurn: async () => {
      said = Promise.withResolvers();
      const batch: Batch = { runs: RUNS_A_TURN };
      child.send(batch);
      return Number(await said.promise);
    },
    stop: () => child.disconnect(),
  };
};

const sampleSubAgents = async (bench: string): Promise<SubAgentsSample> => {
  const mock = await startMock();
  try {
    const out = execFileSync(process.execPath, [path.join(bench, "sub-agents.ts")], {
      cwd: bench,
      encoding: "utf8",
      env: { ...process.env, BENCH_MOCK: mock.url, NODE_ENV: "production" },
    });
    return JSON.parse(out.trim().split("\n").at(-1) ?? "") as SubAgentsSample;
  } finally {
    mock.process.kill();
  }
};

const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[all.length >> 1] ?? Number.NaN;
