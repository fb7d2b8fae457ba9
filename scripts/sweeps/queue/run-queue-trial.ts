/** One trial: turns are queued and one is taken back while a worker drives the session and is killed; then two workers at once do the rest. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import type { RecordedEvent } from "@retinue/protocol";
import { readEffects } from "../effects.ts";
import { openTrialLog, verifyRecord } from "../trial-record.ts";
import { ROOT_RUN, SESSION } from "../victim-names.ts";
import { createQueueEngine, specIn, toTask } from "./queue-engine.ts";
import type { QueueOrder } from "./queue-names.ts";
import { SAID_BEFORE, SAID_MEANWHILE, TAKEN_BACK } from "./queue-names.ts";

export type QueueTrial = {
  /** The worker, in one file. */
  readonly program: string;
  readonly place: string;
  /** Of a database of its own, on PostgreSQL. */
  readonly postgres?: QueueOrder["postgres"];
  /** Where the first worker is killed; it works to the end where absent. */
  readonly killAt?: number;
  readonly signal: AbortSignal;
};

export type QueueTrialResult = {
  /** How many points the first worker passed; 0 where it was killed. */
  readonly points: number;
  readonly findings: readonly string[];
};

/** A worker that has not ended by then hangs. */
const HUNG_MS = 60_000;

const runWorker = (program: string, order: QueueOrder, signal: AbortSignal): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program, JSON.stringify(order)], {
      stdio: ["ignore", "pipe", "pipe"],
      signal: AbortSignal.any([signal, AbortSignal.timeout(HUNG_MS)]),
      killSignal: "SIGKILL",
    });
    let said = "";
    let complaint = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
    child.on("error", reject);
    child.on("close", (code, killedBy) => {
      if (killedBy === "SIGKILL" && order.killAt !== undefined) return resolve(0);
      if (code !== 0) return reject(new Error(`A worker ended with ${code ?? killedBy}: ${complaint.slice(-2_000)}`));
      resolve((JSON.parse(said) as { readonly points: number }).points);
    });
  });

export const runQueueTrial = async ({ program, place, postgres, killAt, signal }: QueueTrial): Promise<QueueTrialResult> => {
  const folder = mkdtempSync(path.join(place, "queue-"));
  const where = { folder, ...(postgres === undefined ? {} : { postgres }) };
  const log = await openTrialLog(where);
  try {
    const speaker = createQueueEngine(log, folder, () => undefined);
    const identity = { sessionId: SESSION, runId: ROOT_RUN, parentRunId: null, depth: 0, agent: "main" };
    const requested = { ...identity, at: new Date().toISOString(), type: "run.requested" as const };
    await log.append([{ ...requested, task: toTask("first"), spec: specIn(folder) }]);
    for (const text of SAID_BEFORE) await speaker.queueTurn(SESSION, text);
    const first = runWorker(
      program,
      { ...where, ends: killAt === undefined, ...(killAt === undefined ? {} : { killAt }) },
      signal,
    );
    first.catch(() => undefined);
    let isTakenBack = false;
    for (const text of SAID_MEANWHILE) {
      const turnId = await speaker.queueTurn(SESSION, text);
      if (text === TAKEN_BACK) isTakenBack = await takeBack(() => speaker.withdrawTurn(SESSION, turnId));
    }
    const points = await first;
    const later = { ...where, ends: true };
    await Promise.all([runWorker(program, later, signal), runWorker(program, later, signal)]);
    const events = await log.read(SESSION);
    const findings = [...examine(events, isTakenBack), ...examineEffects(events, folder), ...(await verifyRecord(where))];
    if ((await log.queuedTurns()).length > 0) findings.push("a turn still waits");
    return { points, findings };
  } finally {
    await log.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

/** False where its turn had begun. */
const takeBack = async (withdraw: () => Promise<void>): Promise<boolean> => {
  try {
    await withdraw();
    return true;
  } catch (thrown) {
    if (thrown instanceof RetinueError && thrown.code === "message_unknown") return false;
    throw thrown;
  }
};

/** Each turn begins once, in the order in which it was said, when the one before has ended. */
const examine = (events: readonly RecordedEvent[], isTakenBack: boolean): readonly string[] => {
  const expected = ["first", ...SAID_BEFORE, ...SAID_MEANWHILE]
    .filter((text) => !(isTakenBack && text === TAKEN_BACK))
    .flatMap((text) => [text, "settled completed"]);
  const found = events.flatMap((event) => {
    if (event.type === "run.settled") return [`settled ${event.result.status}`];
    const part = event.type === "run.requested" ? event.task[0] : undefined;
    return part?.type === "text" ? [part.text] : [];
  });
  return JSON.stringify(found) === JSON.stringify(expected)
    ? []
    : [`turns went ${found.join(", ")} and not ${expected.join(", ")}`];
};

/** No effect is made twice; one that was not made is told as unknown. */
const examineEffects = (events: readonly RecordedEvent[], folder: string): readonly string[] => {
  const effects = readEffects(folder);
  return events.flatMap((event) => {
    if (event.type !== "tool.started") return [];
    const { token } = event.input as { readonly token: string };
    const times = effects.get(token) ?? 0;
    const isUnknown = events.some(
      (other) => other.type === "tool.settled" && other.runId === event.runId && other.outcome === "unknown",
    );
    if (times > 1) return [`the effect of ${token} was made ${times} times`];
    return times === 0 && !isUnknown ? [`the effect of ${token} was never made, and is not told as unknown`] : [];
  });
};
