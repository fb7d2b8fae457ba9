/**
 * From the start of a process until its browser asks for the first page: `retinue test` with the rules in place of a model, and a script that does nothing but launch the same browser
 * by Playwright. The two take turns, so that a busy machine slows both.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { findBrowser } from "../packages/tools/src/browser/find-browser.ts";

/** Until the first page is asked for. What a process computed itself says more than the clock where others keep the machine busy; NaN where it cannot be known. */
export type StartTime = { readonly ms: number; readonly cpuMs: number };
export type StartTimes = { readonly retinue: StartTime; readonly playwright: StartTime };

const BIN = fileURLToPath(new URL("../packages/retinue/bin/retinue.mjs", import.meta.url));
const PLAYWRIGHT = fileURLToPath(import.meta.resolve("playwright-core", new URL("../packages/tools/", import.meta.url)));

const LAUNCH = `
const { chromium } = await import(process.argv[1]);
const browser = await chromium.launch({ executablePath: process.argv[2], headless: true });
const page = await (await browser.newContext()).newPage();
await page.goto(process.argv[3]);
await browser.close();
`;

/** The median of both, of so many rounds; the first round, which fills caches, is not counted. */
export const measureStart = async (folder: string, rounds: number): Promise<StartTimes> => {
  const cache = path.join(folder, "cache");
  const env = { ...process.env, RETINUE_HOME: path.join(folder, "home"), XDG_CACHE_HOME: cache };
  const found = await findBrowser({ headless: true, cacheFolder: path.join(cache, "retinue", "browser"), env });
  const workspace = path.join(folder, "start");
  mkdirSync(workspace);
  let asked = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    asked.resolve();
    response.setHeader("content-type", "text/html").end("<title>Start</title><h1>Start</h1>");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  writeFileSync(
    path.join(workspace, "case.yaml"),
    `title: Start\nsteps:\n  - action: Navigate to ${url}\n    expected: { check: title, equals: Start }\n`,
  );
  const time = async (words: readonly string[]): Promise<StartTime> => {
    asked = Promise.withResolvers();
    const from = performance.now();
    const child = spawn(process.execPath, words, { env, cwd: workspace, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (said += data.toString()));
    const exited = once(child, "exit");
    await Promise.race([
      asked.promise,
      exited.then(() => Promise.reject(new Error(`It ended before its browser asked for anything: ${said}`))),
    ]);
    const took = { ms: performance.now() - from, cpuMs: cpuMsOf(child.pid) };
    const [code] = await exited;
    if (code !== 0) throw new Error(`It ended with ${code}: ${said}`);
    return took;
  };
  try {
    const times: StartTimes[] = [];
    for (let round = 0; round <= rounds; round += 1)
      times.push({
        retinue: await time([BIN, "test", "case.yaml", "-m", "offline/rules", "--var", `baseUrl=${url}`]),
        playwright: await time(["--input-type=module", "-e", LAUNCH, PLAYWRIGHT, found.path, url]),
      });
    const counted = times.slice(1);
    const toMedian = (of: (one: StartTimes) => StartTime): StartTime => ({
      ms: median(counted.map((one) => of(one).ms)),
      cpuMs: median(counted.map((one) => of(one).cpuMs)),
    });
    return { retinue: toMedian(({ retinue }) => retinue), playwright: toMedian(({ playwright }) => playwright) };
  } finally {
    server.close();
    server.closeAllConnections();
  }
};

/** Of a hundredth of a second each, as Linux counts; without the processes that it started. */
const TICK_MS = 10;

const cpuMsOf = (pid: number | undefined): number => {
  try {
    const fields = readFileSync(`/proc/${pid ?? 0}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return Number.NaN;
  }
};

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
