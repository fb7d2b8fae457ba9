import type { SessionId } from "@retinue/protocol";
import type { MemoryLog } from "@retinue/store";
import { createMemoryLog } from "@retinue/store";
import { describe, expect, test } from "vitest";
import { createTestEngine, testAgent } from "./testing/test-engine.ts";

const TURNS = 120;

/** A log that counts the events that are read from it. */
const createCountingLog = (): { readonly log: MemoryLog; readonly take: () => number } => {
  const log = createMemoryLog();
  let events = 0;
  const count = <T extends { readonly length: number }>(read: T): T => {
    events += read.length;
    return read;
  };
  return {
    log: {
      ...log,
      read: (sessionId, afterSeq) => count(log.read(sessionId, afterSeq)),
      readRuns: (sessionId, runIds, afterSeq) => count(log.readRuns(sessionId, runIds, afterSeq)),
    },
    take: () => {
      const taken = events;
      events = 0;
      return taken;
    },
  };
};

const setUp = (log: MemoryLog) =>
  createTestEngine({
    agents: [testAgent("main", { tools: ["echo"] })],
    log,
    script: ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? { text: `turn ${messages.filter(({ role }) => role === "user").length}` }
        : { toolCalls: [{ tool: "echo", input: { text: "x" } }] },
    engine: { createId: () => String(++ids) },
  });
let ids = 0;

describe("the next turn of a long session", () => {
  test("reads nothing of what went before in the process that drove the last one", async () => {
    const { log, take } = createCountingLog();
    const { start } = setUp(log);
    let sessionId: SessionId | undefined;
    for (let turn = 1; turn <= TURNS; turn += 1) {
      const handle = await start("go", sessionId === undefined ? {} : { sessionId });
      ({ sessionId } = handle);
      expect((await handle.result).details).toBe(`turn ${turn}`);
      expect(take(), `turn ${turn}`).toBe(0);
    }
  });

  test("reads no more than what came since a snapshot in a process that knows nothing", async () => {
    const { log, take } = createCountingLog();
    let sessionId: SessionId | undefined;
    let most = 0;
    for (let turn = 1; turn <= TURNS; turn += 1) {
      const handle = await setUp(log).start("go", sessionId === undefined ? {} : { sessionId });
      ({ sessionId } = handle);
      expect((await handle.result).details).toBe(`turn ${turn}`);
      most = Math.max(most, take());
    }
    expect(log.read(sessionId ?? "ses_none").length).toBeGreaterThan(TURNS * 7);
    expect(most).toBeLessThan(300);
  });
});
