/**
 * `npm run bench`: Retinue beside hand-written code in the same run, in ratios, with what they must not exceed. Samples alternate and the
 * median of the rounds counts. `--rounds N`, `--seconds N`.
 */
import type { ChildProcess } from "node:child_process";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Sample } from "./measure.ts";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const COMMAND = path.join(HERE, "../packages/retinue/bin/retinue.mjs");
/** The package that is published, if it was built. */
const BUILT = path.join(HERE, "../packages/retinue/dist/bin/retinue.mjs");
const { values } = parseArgs({
  options: { rounds: { type: "string", default: "3" }, seconds: { type: "string", default: "3" } },
});
const rounds = Number(values.rounds);

if (!existsSync(path.join(HERE, "node_modules")))
  execFileSync("npm", ["ci", "--loglevel=error"], { cwd: HERE, stdio: "inherit" });

const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[all.length >> 1] ?? Number.NaN;

const startMock = (): Promise<{ url: string; process: ChildProcess }> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(HERE, "mock.ts")], { stdio: ["ignore", "pipe", "inherit"] });
    child.once("error", reject);
    child.stdout.once("data", (data: Buffer) => resolve({ url: `http://127.0.0.1:${data.toString().trim()}`, process: child }));
  });

const sample = async (runner: string, text: number): Promise<Sample> => {
  const mock = await startMock();
  try {
    const out = execFileSync(process.execPath, [path.join(HERE, `${runner}.ts`)], {
      encoding: "utf8",
      env: {
        ...process.env,
        BENCH_MOCK: mock.url,
        BENCH_SECONDS: values.seconds,
        BENCH_TEXT: String(text),
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
  readonly floor: number;
  readonly retinue: number;
  readonly unit: string;
  readonly ratio: number;
  readonly most: number;
};
const rows: Row[] = [];

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

console.log(`\n${"".padEnd(50)}${"by hand".padStart(10)}${"Retinue".padStart(10)}${"ratio".padStart(8)}${"at most".padStart(9)}`);
for (const { what, floor, retinue, unit, ratio, most } of rows)
  console.log(
    `${what.padEnd(50)}${`${floor.toFixed(2)} ${unit}`.padStart(10)}${`${retinue.toFixed(2)} ${unit}`.padStart(10)}${ratio.toFixed(2).padStart(8)}${most.toFixed(2).padStart(9)}${ratio > most ? "  OVER" : ""}`,
  );
console.log(`\nstart of a bare node                               ${bare.toFixed(0)} ms`);
console.log(
  `retinue --version, over a bare node                ${(version - bare).toFixed(0)} ms (at most 150)${version - bare > 150 ? "  OVER" : ""}`,
);
console.log(`retinue run to its first event, over a bare node   ${(firstEvent - bare).toFixed(0)} ms`);
console.log(
  `the same of the built package                      ${builtFirstEvent === null ? "not built; npm run build" : `${(builtFirstEvent - bare).toFixed(0)} ms`}`,
);
const over = rows.filter(({ ratio, most }) => ratio > most).length + (version - bare > 150 ? 1 : 0);
mkdirSync(path.join(HERE, "results"), { recursive: true });
writeFileSync(
  path.join(HERE, "results", "latest.json"),
  `${JSON.stringify({ node: process.version, rows, bare, version, firstEvent, builtFirstEvent }, null, 2)}\n`,
);
console.log(over === 0 ? "\nall within their bounds" : `\n${over} over their bounds`);
process.exitCode = over === 0 ? 0 : 1;
