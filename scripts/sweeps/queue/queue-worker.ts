/** A process that drives a session and begins its queued turns, as a server does. It is there to be killed; several may work on one record. */
import { setTimeout as delay } from "node:timers/promises";
import { RetinueError } from "@retinue/protocol";
import type { EventLog } from "@retinue/store";
import { openTrialLog } from "../trial-record.ts";
import { SESSION } from "../victim-names.ts";
import { createQueueEngine, specIn } from "./queue-engine.ts";
import type { QueueOrder } from "./queue-names.ts";

// Written by `runWorker` and by nobody else.
const order = JSON.parse(process.argv[2] ?? "") as QueueOrder;
let passed = 0;
const point = (): void => {
  passed += 1;
  if (passed === order.killAt) process.kill(process.pid, "SIGKILL");
};

const around = async <T>(act: () => T | Promise<T>): Promise<T> => {
  point();
  const value = await act();
  point();
  return value;
};

const log = await openTrialLog(order);
const counted: EventLog = {
  ...log,
  append: (...given) => around(() => log.append(...given)),
  lease: (...given) => around(() => log.lease(...given)),
};
const engine = createQueueEngine(counted, order.folder, point);

/** Another worker was faster. */
const isPast = (thrown: unknown): boolean =>
  thrown instanceof RetinueError && ["session_running", "turn_taken", "lease_lost", "run_settled"].includes(thrown.code);

/** False where nothing is left to do. */
const workOnce = async (): Promise<boolean> => {
  const root = await log.latestRoot(SESSION);
  if (root && !root.isSettled) {
    await (
      await engine.resume(root.runId)
    ).result;
    return true;
  }
  const next = await engine.nextTurn(SESSION);
  if (!next) return !order.ends;
  const { task, turnId, sessionId } = next;
  await (
    await engine.start({ agent: "main", task, spec: specIn(order.folder), sessionId, queuedTurn: turnId })
  ).result;
  return true;
};

for (let hasMore = true; hasMore;) {
  hasMore = await workOnce().catch((thrown: unknown) => {
    if (isPast(thrown)) return true;
    throw thrown;
  });
  await delay(2);
}
process.stdout.write(JSON.stringify({ points: passed }));
await engine.close();
await log.close();
