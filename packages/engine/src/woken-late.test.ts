import type { ScriptedTurn } from "@retinue/model/testing";
import { RetinueError } from "@retinue/protocol";
import type { ModelRequest } from "@retinue/runtime";
import { createManualClock } from "@retinue/runtime";
import type { EventLog, MemoryLog } from "@retinue/store";
import { createMemoryLog } from "@retinue/store";
import { expect, test } from "vitest";
import { createTestEngine, testAgent } from "./testing/test-engine.ts";

const later = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
};

const script = (_request: ModelRequest, answered: number): ScriptedTurn =>
  answered === 0 ? { toolCalls: [{ tool: "act", input: { what: "it" }, callId: "c" }] } : { text: "Done." };

test.each(["read", "lease", "holder"] as const)(
  "a parked run whose answer came while the store was busy goes on when it no longer is: at %s",
  async (busyAt) => {
    const log = createMemoryLog();
    const clock = createManualClock();
    let busy = false;
    const refuseWhenBusy = (): void => {
      if (busy) throw new RetinueError("store_busy", "Another process kept the store locked for too long.");
    };
    const sometimesBusy: EventLog = {
      ...log,
      [busyAt]: async (...given: never[]) => {
        refuseWhenBusy();
        return (log[busyAt] as (...args: never[]) => unknown)(...given);
      },
    };
    const { engine, start, effects } = createTestEngine({
      agents: [testAgent("a", { tools: ["act"] })],
      script,
      grant: { approve: "ask" },
      engine: { unattended: "park" },
      ports: { clock },
      log: sometimesBusy as unknown as MemoryLog,
    });
    const { sessionId, outcome, result } = await start("go");
    expect(await outcome).toMatchObject({ type: "parked" });
    await later();
    const [asked] = await engine.approvals(sessionId);
    if (!asked) throw new Error("nothing is asked");
    busy = true;
    await engine.answer(asked.approvalId, { allowed: true });
    await later();
    expect(effects).toEqual([]);
    busy = false;
    clock.advance(1_000);
    expect(await result).toMatchObject({ status: "completed" });
    expect(effects).toEqual(["it"]);
  },
);
