/**
 * `npm run bench:parked`: what a run that waits for a human costs the process that parked it, and how soon it goes on after an answer. A thousand sessions
 * park on SQLite; their answers come through another connection to the same file, as another process would give them. Ends with 1 where a bound is missed.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Model } from "@retinue/model/contract";
import type { Script } from "@retinue/model/testing";
import { createScriptedModel } from "@retinue/model/testing";
import type { SessionId } from "@retinue/protocol";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { createEmbeddedEngine } from "@retinue/engine";
import { createSpec, defineTool } from "@retinue/runtime";
import { createSqliteLog } from "@retinue/store/sqlite";
import { z } from "zod";

const RUNS = 1_000;
const WARM_UP = 600;
const ANSWERED = 100;
/** An index entry: two ids, the number of the last input that is known, and its place in a map by session. */
const MOST_BYTES = 512;
const MOST_RESUME_MS = 100;

setFlagsFromString("--expose-gc");
// The function exists once the flag is set.
const collect = runInNewContext("gc") as () => void;
const heapUsed = (): number => {
  for (let time = 0; time < 4; time += 1) collect();
  return process.memoryUsage().heapUsed;
};

const folder = mkdtempSync(path.join(tmpdir(), "retinue-parked-"));
const file = path.join(folder, "retinue.db");
const agent = {
  ...agentFrontMatterSchema.parse({ name: "main", description: "Acts." }),
  prompt: "You are main.",
  tools: ["act"],
};
const tool = defineTool({
  name: "act",
  description: "Acts.",
  input: z.object({}),
  effect: "execute",
  execute: () => "done",
});
const script: Script = ({ messages }) =>
  messages.at(-1)?.role === "tool" ? { text: "Done." } : { toolCalls: [{ tool: "act", input: {}, callId: "c" }] };
/** A scripted model keeps what it was asked, which is not the run's: each call has one of its own. */
const model: Model = {
  id: "scripted/model",
  price: () => 0,
  stream: (request, signal) => createScriptedModel(script).stream(request, signal),
};
const agents = new Map([[agent.name, agent]]);
const spec = createSpec({
  agent,
  agents,
  grant: { tools: ["act"], writes: [], hosts: [], approve: "ask", maxDepth: 1 },
  model: model.id,
  workspace: "/work",
  depth: 0,
  request: { limits: {} },
});

let ids = 0;
const log = createSqliteLog({ path: file });
const settledAt = new Map<SessionId, number>();
const engine = createEmbeddedEngine({
  log,
  createId: () => String(++ids),
  agents,
  model: model.id,
  maxConcurrent: 3,
  maxChildren: 3,
  unattended: "park",
  observer: (event) => {
    if (event.type === "run.settled") settledAt.set(event.sessionId, performance.now());
  },
  ports: {
    model: () => model,
    tool: () => tool,
    clock: {
      now: () => performance.now(),
      date: () => new Date().toISOString(),
      after: (ms, callback) => {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
    },
    realPath: async (one) => one,
    readFile: async () => "",
  },
});

const parkOne = async (): Promise<void> => {
  const handle = await engine.start({ agent: "main", task: [{ type: "text", text: "go" }], spec });
  await handle.outcome;
};

// Until everything is compiled that will be: code is no run's.
for (let run = 0; run < WARM_UP; run += 1) await parkOne();
const before = heapUsed();
for (let run = 0; run < RUNS; run += 1) await parkOne();
const bytes = Math.round((heapUsed() - before) / RUNS);

const other = createSqliteLog({ path: file });
const open = await other.approvals();
const took: number[] = [];
for (const { approvalId, act: _act, hash: _hash, ...identity } of open.slice(0, ANSWERED)) {
  const { sessionId, runId, parentRunId, depth, agent: name } = identity;
  await other.append([
    {
      sessionId,
      runId,
      parentRunId,
      depth,
      agent: name,
      at: new Date().toISOString(),
      type: "approval.answered",
      approvalId,
      allowed: true,
      scope: "once",
      source: { via: "command" },
    },
  ]);
  const answeredAt = performance.now();
  while (!settledAt.has(sessionId)) await new Promise((resolve) => setTimeout(resolve, 1));
  took.push((settledAt.get(sessionId) ?? 0) - answeredAt);
}
took.sort((a, b) => a - b);
const at = (share: number): number => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0;

console.log(`parked runs           ${RUNS}`);
console.log(`heap a parked run     ${bytes} bytes (bound ${MOST_BYTES})`);
console.log(
  `answer to its end     median ${at(0.5).toFixed(1)} ms, p95 ${at(0.95).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms (bound ${MOST_RESUME_MS} for the median and p95)`,
);
await engine.close();
await log.close();
await other.close();
rmSync(folder, { recursive: true, force: true });
process.exitCode = bytes <= MOST_BYTES && at(0.95) <= MOST_RESUME_MS ? 0 : 1;
