/**
 * A process that is there to be killed. It runs a scenario, or goes on with it, and says what the log has taken. How it ends: with 0 when
 * the run has settled, with 3 when it could not go on and has said why.
 */
import type { ApprovalId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { SCENARIOS } from "./scenarios.ts";
import { createVictimHost, type VictimHost } from "./victim-host.ts";
import { say } from "./victim-line.ts";
import type { VictimOrder } from "./victim-order.ts";

// Written by `runVictim` and by nobody else.
const order = JSON.parse(process.argv[2] ?? "") as VictimOrder;
// With runs that nobody finds again, there would always be something left to do.
const parkedToken = order.plant === "renamed-delegations" ? null : SCENARIOS[order.scenario].parkedToken;

let passed = 0;
const point = (): void => {
  passed += 1;
  if (passed === order.killAt) process.kill(process.pid, "SIGKILL");
};

let writes = 0;
const beforeWrite = (): void => {
  point();
  writes += 1;
  if (writes === order.failAt) throw new RetinueError("store_full", "There is no space, as it was told to say.");
};

/** Answers every question at once but the one that is left until nothing else can be done. */
const answerApprovals = ({ engine, openRuns }: VictimHost): NodeJS.Timeout => {
  let parked = false;
  // Answered twice, or when the run has ended meanwhile: the first answer stands.
  const allow = (approvalId: ApprovalId): void => void engine.answer(approvalId, { allowed: true }).catch(() => undefined);
  const look = async (): Promise<void> => {
    for (const { approvalId, act, hash } of await engine.approvals()) {
      const isLast = (act.input as { readonly token?: string }).token === parkedToken;
      if (!isLast || parked) allow(approvalId);
      else if ((await openRuns()) === 2) {
        say({ type: "parked", approvalId, hash });
        parked = true;
      }
    }
  };
  // The store may be closed while it looks.
  return setInterval(() => void look().catch(() => undefined), 2);
};

const work = async (): Promise<void> => {
  const host = await createVictimHost({ order, say, point, beforeWrite });
  const answering = SCENARIOS[order.scenario].inputs === undefined ? answerApprovals(host) : undefined;
  // A run that has left memory keeps no process alive.
  const alive = setInterval(() => undefined, 60_000);
  try {
    const handle = await host.run();
    say({ type: "settled", result: await handle.result });
    clearInterval(answering);
    await host.close();
  } finally {
    clearInterval(answering);
    clearInterval(alive);
  }
};

say({ type: "ready" });
try {
  await work();
} catch (thrown) {
  const code = thrown instanceof RetinueError ? thrown.code : null;
  say({ type: "stopped", code, message: thrown instanceof Error ? thrown.message : String(thrown) });
  process.exitCode = 3;
}
say({ type: "counted", points: passed, writes });
