/** The part of the log's contract that is about finding things without reading a session, and about snapshots. */
import type { RunId } from "@retinue/protocol";
import { describe, expect, it } from "vitest";
import type { EventLog } from "../contract.ts";
import { codeOf } from "./code-of.ts";
import { createRunDrafts } from "./session-drafts.ts";

const snapshot = (seq: number, state = `state at ${seq}`) =>
  ({ sessionId: "ses_a", runId: "run_a", seq, format: "fold/1", state }) as const;

export const describeLookups = (logOf: () => EventLog): void => {
  describe("looking up", () => {
    it("gives the events of some runs, in order", async () => {
      const log = logOf();
      const [a, b, c] = (["run_a", "run_b", "run_c"] as const).map((runId) => createRunDrafts({ runId }));
      if (!a || !b || !c) throw new Error("three runs");
      for (const run of [a, b, c]) await log.append([run.requested()]);
      const leases = { a: await log.lease("run_a"), b: await log.lease("run_b"), c: await log.lease("run_c") };
      for (let step = 1; step <= 3; step += 1) {
        await log.append([a.asked(step)], leases.a);
        await log.append([b.asked(step)], leases.b);
        await log.append([c.asked(step)], leases.c);
      }
      const all = await log.read("ses_a");
      const expected = (runIds: readonly RunId[], after = 0) =>
        all.filter(({ runId, seq }) => runIds.includes(runId) && seq > after);
      expect(await log.readRuns("ses_a", ["run_b"])).toEqual(expected(["run_b"]));
      expect(await log.readRuns("ses_a", ["run_c", "run_a", "run_c"])).toEqual(expected(["run_a", "run_c"]));
      expect(await log.readRuns("ses_a", ["run_a", "run_b"], 6)).toEqual(expected(["run_a", "run_b"], 6));
      expect(await log.readRuns("ses_a", ["run_a"], 12)).toEqual([]);
      expect(await log.readRuns("ses_a", [])).toEqual([]);
      expect(await log.readRuns("ses_a", ["run_x"])).toEqual([]);
      expect(await log.readRuns("ses_x", ["run_a"])).toEqual([]);
      const elsewhere = createRunDrafts({ sessionId: "ses_b", runId: "run_d" });
      await log.append([elsewhere.requested()]);
      expect(await log.readRuns("ses_a", ["run_d"])).toEqual([]);
    });

    it("knows the latest main run of a session and whether it has ended", async () => {
      const log = logOf();
      expect(await log.latestRoot("ses_a")).toBeUndefined();
      const first = createRunDrafts();
      await log.append([first.requested()]);
      expect(await log.latestRoot("ses_a")).toEqual({ runId: "run_a", seq: 1, isSettled: false });
      const lease = await log.lease("run_a");
      const child = createRunDrafts({ runId: "run_b", parentRunId: "run_a", depth: 1 });
      await log.append([first.started(1), child.requested()], lease);
      expect(await log.latestRoot("ses_a")).toEqual({ runId: "run_a", seq: 1, isSettled: false });
      await log.append([first.settled()], lease);
      expect(await log.latestRoot("ses_a")).toEqual({ runId: "run_a", seq: 1, isSettled: true });
      await log.append([createRunDrafts({ runId: "run_c" }).requested("go on", { continues: "run_a" })]);
      expect(await log.latestRoot("ses_a")).toEqual({ runId: "run_c", seq: 5, isSettled: false });
    });
  });

  describe("snapshots", () => {
    it("are the latest state of a run, in the format that is asked for", async () => {
      const log = logOf();
      const run = createRunDrafts();
      await log.append([run.requested()]);
      const lease = await log.lease("run_a");
      await log.append([run.started(1), run.asked(1)], lease);
      expect(await log.readSnapshot("run_a", "fold/1")).toBeUndefined();
      await log.writeSnapshot(snapshot(2));
      expect(await log.readSnapshot("run_a", "fold/1")).toEqual(snapshot(2));
      await log.writeSnapshot(snapshot(3));
      await log.writeSnapshot(snapshot(1));
      expect(await log.readSnapshot("run_a", "fold/1")).toEqual(snapshot(3));
      expect(await log.readSnapshot("run_a", "fold/2")).toBeUndefined();
      await log.writeSnapshot({ ...snapshot(3), format: "fold/2" });
      expect(await log.readSnapshot("run_a", "fold/1")).toBeUndefined();
      expect(await log.readSnapshot("run_x", "fold/1")).toBeUndefined();
      expect(await log.read("ses_a")).toHaveLength(3);
    });

    it("are taken of a run that there is, at an event that there is", async () => {
      const log = logOf();
      await log.append([createRunDrafts().requested()]);
      expect(await codeOf(() => log.writeSnapshot({ ...snapshot(1), runId: "run_x" }))).toBe("run_unknown");
      expect(await codeOf(() => log.writeSnapshot({ ...snapshot(1), sessionId: "ses_x" }))).toBe("run_unknown");
      expect(await codeOf(() => log.writeSnapshot(snapshot(2)))).toBe("internal");
    });

    it("keep a state of megabytes and of any text", async () => {
      const log = logOf();
      await log.append([createRunDrafts().requested()]);
      const state = `\0\ud83d${"s".repeat(3_000_000)}`;
      await log.writeSnapshot(snapshot(1, state));
      expect((await log.readSnapshot("run_a", "fold/1"))?.state === state).toBe(true);
    });
  });

  it("brings an append to the disk where that is asked for", async () => {
    const log = logOf();
    const run = createRunDrafts();
    await log.append([run.requested()], undefined, { durable: true });
    const lease = await log.lease("run_a");
    await Promise.all([log.append([run.started(1)], lease), log.append([run.asked(1)], lease, { durable: true })]);
    await log.append([run.answered(1, "x")], lease);
    expect((await log.read("ses_a")).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });
};
