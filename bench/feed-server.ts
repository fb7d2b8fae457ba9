/** The server of `feed.ts`: sessions on disk that somebody writes to at a steady pace once `go` is said, and its own memory before and after. */
import { createSqliteLog } from "@retinue/store/sqlite";
import { createRunDrafts } from "@retinue/store/testing";
import { mkdtemp, mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { openServer } from "../packages/retinue/src/serve/open-server.ts";

const base = await mkdtemp(path.join(tmpdir(), "retinue-bench-feed-"));
const [folder, home] = [path.join(base, "project"), path.join(base, "home")];
for (const one of [folder, home]) await mkdir(one);
const store = createSqliteLog({ path: path.join(home, "retinue.db") });
const server = await openServer({ folders: [folder], store, env: { PATH: process.env["PATH"], HOME: home, RETINUE_HOME: home } });

/** A run of a session, which says as much as it is told to. */
const begin = async (sessionId: `ses_${string}`) => {
  const run = createRunDrafts({ sessionId, runId: `run_of_${sessionId}` });
  await store.append([run.requested("speak")]);
  const lease = await store.lease(`run_of_${sessionId}`);
  await store.append([run.started(lease.epoch)], lease);
  return async (step: number, bytes: number): Promise<void> => {
    const text = `${Date.now() + (performance.now() % 1)} `.padEnd(bytes, "x");
    await store.append([run.asked(step), run.answered(step, text)], lease);
  };
};
const speakers = await Promise.all((process.env["SESSIONS"] ?? "").split(" ").map((name) => begin(name as `ses_${string}`)));
console.log(JSON.stringify({ port: server.port, token: server.token }));

await once(process.stdin, "data");
const [events, everyMs, bytes] = ["EVENTS", "EVERY_MS", "BYTES"].map((name) => Number(process.env[name])) as [
  number,
  number,
  number,
];
const rss = (): number => Math.round(process.memoryUsage().rss / 1024 / 1024);
let rssStartMb = 0;
for (let step = 1; step <= events; step += 1) {
  // In turns: which of the sessions speaks first changes, and each has the machine as the other had it.
  for (const say of step % 2 === 0 ? speakers : speakers.toReversed()) {
    await say(step, bytes);
    await sleep(everyMs / speakers.length);
  }
  // After a fifth all that is loaded once is loaded, and the collector has found its size.
  if (step === Math.floor(events / 5)) rssStartMb = rss();
}
console.log(JSON.stringify({ rssStartMb, rssEndMb: rss() }));
process.stdin.resume();
await once(process.stdin, "end");
await server.close();
await rm(base, { recursive: true, force: true });
