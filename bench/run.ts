/**
 * `npm run bench`: Retinue beside hand-written code in the same run, in ratios, with what they must not exceed. Samples alternate and the
 * median of the rounds counts. `--rounds N`, `--seconds N`. `--against COMMIT` compares with an older commit instead.
 */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compareWithCommit } from "./against.ts";
import type { Sample } from "./measure.ts";
import { startMock } from "./start-mock.ts";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const COMMAND = path.join(HERE, "../packages/retinue/bin/retinue.mjs");
/** The package that is published, if it was built. */
const BUILT = path.join(HERE, "../packages/retinue/dist/bin/retinue.mjs");
const { values } = parseArgs({
  options: { rounds: { type: "string", default: "3" }, seconds: { type: "string", default: "3" }, against: { type: "string" } },
});
const rounds = Number(values.rounds);

if (!existsSync(path.join(HERE, "node_modules")))
  execFileSync("npm", ["ci", "--loglevel=error"], { cwd: HERE, stdio: "inherit" });

if (values.against !== undefined) process.exit((await compareWithCommit(values.against, rounds)) ? 0 : 1);

const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[all.length >> 1] ?? Number.NaN;

const sample = async (runner: string, text: number, store = "memory"): Promise<Sample> => {
  const mock = await startMock();
  try {
    const out = execFileSync(process.execPath, [path.join(HERE, `${runner}.ts`)], {
      encoding: "utf8",
      env: {
        ...process.env,
        BENCH_MOCK: mock.url,
        BENCH_SECONDS: values.seconds,
        BENCH_TEXT: String(text),
        BENCH_STORE: store,
        NODE_ENV: "production",
      },
    });
    return JSON.parse(out.trim().split("\n").at(-1) ?? "");
  } finally {
    mock.process.kill();
  }
};

/** Milliseconds from start until the command has said its first line, or ended. */
const timeToFirstLine = (args: readonly string[], cwd: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const from = performance.now();
    const child = spawn(process.execPath, [...args], { cwd, stdio: ["ignore", "pipe", "ignore"] });
    let done = false;
    const finish = (): void => {
      if (!done) resolve(performance.now() - from);
      done = true;
    };
    child.once("error", reject);
    child.stdout.once("data", finish);
    child.once("close", finish);
  });

type Row = {
  readonly what: string;
  /** By hand, or without what is measured. */
  readonly floor: number;
  readonly retinue: number;
  readonly unit: string;
  readonly ratio: number;
  readonly most: number;
};
const rows: Row[] = [];
/** Retinue recorded in SQLite beside Retinue recorded in memory. */
const recordings: Row[] = [];

for (const [text, what] of [
  [0, "CPU a step, short replies"],
  [200, "CPU a step, 200-token replies"],
] as const) {
  const floors: Sample[] = [];
  const ours: Sample[] = [];
  for (let round = 0; round < rounds; round += 1) {
    floors.push(await sample("floor", text));
    ours.push(await sample("retinue", text));
  }
  const of = (all: readonly Sample[], key: keyof Sample): number => median(all.map((one) => one[key]));
  const [floor, retinue] = [of(floors, "cpuPerStepMs"), of(ours, "cpuPerStepMs")];
  rows.push({ what, floor, retinue, unit: "ms", ratio: retinue / floor, most: 2 });
  if (text > 0) continue;
  const [growth, ourGrowth] = [of(floors, "growth"), of(ours, "growth")];
  rows.push({
    what: "growth of it, last 20 of 200 steps to first 20",
    floor: growth,
    retinue: ourGrowth,
    unit: "x",
    ratio: ourGrowth / growth,
    most: 1.2,
  });
}

for (const [text, reply] of [
  [200, "200-token replies"],
  [0, "short replies"],
] as const) {
  const samples: Record<"memory" | "NORMAL" | "FULL", number[]> = { memory: [], NORMAL: [], FULL: [] };
  for (let round = 0; round < rounds; round += 1)
    for (const store of ["memory", "NORMAL", "FULL"] as const)
      samples[store].push((await sample("retinue", text, store)).cpuPerStepMs);
  const without = median(samples.memory);
  for (const store of ["NORMAL", "FULL"] as const) {
    const recorded = median(samples[store]);
    const most = store === "NORMAL" ? 1.5 : Infinity;
    recordings.push({
      what: `${reply}, SQLite ${store}`,
      floor: without,
      retinue: recorded,
      unit: "ms",
      ratio: recorded / without,
      most,
    });
  }
}

const folder = mkdtempSync(path.join(tmpdir(), "retinue-bench-"));
const starts = { node: [] as number[], version: [] as number[], run: [] as number[], built: [] as number[] };
const RUN = ["run", "--json", "--model", "offline/rules", "where is main?"];
for (let round = 0; round < rounds * 3; round += 1) {
  starts.node.push(await timeToFirstLine(["-e", "0"], folder));
  starts.version.push(await timeToFirstLine([COMMAND, "--version"], folder));
  starts.run.push(await timeToFirstLine([COMMAND, ...RUN], folder));
  if (existsSync(BUILT)) starts.built.push(await timeToFirstLine([BUILT, ...RUN], folder));
}
rmSync(folder, { recursive: true });
const bare = median(starts.node);
const version = median(starts.version);
const firstEvent = median(starts.run);
const builtFirstEvent = starts.built.length === 0 ? null : median(starts.built);

const print = (title: string, without: string, what: string, lines: readonly Row[]): void => {
  console.log(`\n${title.padEnd(50)}${without.padStart(10)}${what.padStart(10)}${"ratio".padStart(8)}${"at most".padStart(9)}`);
  for (const row of lines)
    console.log(
      row.what.padEnd(50) +
        `${row.floor.toFixed(2)} ${row.unit}`.padStart(10) +
        `${row.retinue.toFixed(2)} ${row.unit}`.padStart(10) +
        row.ratio.toFixed(2).padStart(8) +
        (row.most === Infinity ? "-" : row.most.toFixed(2)).padStart(9) +
        (row.ratio > row.most ? "  OVER" : ""),
    );
};
print("", "by hand", "Retinue", rows);
print("CPU a step, recorded", "in memory", "in a file", recordings);
console.log(`\nstart of a bare node                               ${bare.toFixed(0)} ms`);
console.log(
  `retinue --version, over a bare node                ${(version - bare).toFixed(0)} ms (at most 150)${version - bare > 150 ? "  OVER" : ""}`,
);
console.log(`retinue run to its first event, over a bare node   ${(firstEvent - bare).toFixed(0)} ms`);
console.log(
  `the same of the built package                      ${builtFirstEvent === null ? "not built; npm run build" : `${(builtFirstEvent - bare).toFixed(0)} ms`}`,
);
const over = [...rows, ...recordings].filter(({ ratio, most }) => ratio > most).length + (version - bare > 150 ? 1 : 0);
mkdirSync(path.join(HERE, "results"), { recursive: true });
writeFileSync(
  path.join(HERE, "results", "latest.json"),
  `${JSON.stringify({ node: process.version, rows, recordings, bare, version, firstEvent, builtFirstEvent }, null, 2)}\n`,
);
console.log(over === 0 ? "\nall within their bounds" : `\n${over} over their bounds`);
process.exitCode = over === 0 ? 0 : 1;
