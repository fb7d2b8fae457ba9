/**
 * `npm run bench:start`: how long `retinue run` takes to its first event, over what Node itself takes to print a line, from this checkout and
 * from the package. The three are started in turns, so that all see the same machine; judged are the least times, since everything that comes
 * between only adds. `--checkout` leaves the package out. Ends with 1 where the difference is 250 ms or more.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { buildPackage } from "../scripts/build/build-package.ts";
import { installPackage } from "../scripts/build/install-package.ts";
import { toHermeticEnvironment } from "../scripts/hermetic-environment.ts";

const ROOT = path.dirname(import.meta.dirname);
const ROUNDS = Number(process.env["ROUNDS"] ?? 25);
const MOST_MS = 250;
const TASK = ["run", "--model", "offline/rules", "--json", "hello"];

type Started = { readonly wallMs: number; readonly cpuMs: number | undefined };

const scratch = realpathSync(mkdtempSync(path.join(tmpdir(), "retinue-bench-start-")));
const workspace = path.join(scratch, "workspace");
const home = path.join(scratch, "home");
mkdirSync(workspace);
mkdirSync(home);

/** Time that its main thread had, where the system tells. */
const cpuMsOf = (pid: number | undefined): number | undefined => {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    return undefined;
  }
};

const start = (args: readonly string[]): Promise<Started> =>
  new Promise((resolve, reject) => {
    const begun = performance.now();
    const child = spawn(process.execPath, args, {
      cwd: workspace,
      env: toHermeticEnvironment(process.env, home),
      stdio: ["ignore", "pipe", "ignore"],
    });
    let first: Started | undefined;
    child.stdout.on("data", () => (first ??= { wallMs: performance.now() - begun, cpuMs: cpuMsOf(child.pid) }));
    child.on("error", reject);
    child.on("close", (code) => {
      if (first === undefined || code !== 0) reject(new Error(`${args.join(" ")} ended with ${code}`));
      else resolve(first);
    });
  });

try {
  const cases = new Map([
    ["node", ["-e", "process.stdout.write('x')"]],
    ["checkout", [path.join(ROOT, "packages/retinue/bin/retinue.mjs"), ...TASK]],
  ]);
  if (!process.argv.includes("--checkout")) {
    const built = path.join(scratch, "built");
    await buildPackage({ root: ROOT, folder: built });
    const installed = installPackage({ root: ROOT, built, app: path.join(scratch, "app") });
    cases.set("package", [path.join(installed, "bin/retinue.mjs"), ...TASK]);
  }
  // The first start of each compiles; what is compiled is kept for all that follow.
  for (const args of cases.values()) await start(args);
  const times = new Map([...cases.keys()].map((name): [string, Started[]] => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) for (const [name, args] of cases) times.get(name)?.push(await start(args));

  const least = (name: string, of: (one: Started) => number | undefined): number =>
    Math.min(...(times.get(name) ?? []).map((one) => of(one) ?? Number.NaN));
  const median = (name: string): number =>
    (times.get(name) ?? []).map(({ wallMs }) => wallMs).toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)] ??
    Number.NaN;
  console.log(
    `to the first event over bare node, ${ROUNDS} rounds in turns, load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(" ")}`,
  );
  for (const name of cases.keys()) {
    const over = least(name, ({ wallMs }) => wallMs) - least("node", ({ wallMs }) => wallMs);
    const cpu = least(name, ({ cpuMs }) => cpuMs) - least("node", ({ cpuMs }) => cpuMs);
    const wide = median(name) - median("node");
    console.log(
      `${name.padEnd(9)} least ${Math.round(least(name, ({ wallMs }) => wallMs))} ms` +
        (name === "node"
          ? ""
          : `, +${Math.round(over)} ms (median +${Math.round(wide)}, CPU of the main thread +${Math.round(cpu)})`),
    );
    if (name !== "node" && over >= MOST_MS) process.exitCode = 1;
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
