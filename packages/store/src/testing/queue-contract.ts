/** The part of the log's contract that is about queued turns: each begins once, in order, unless it was taken back before. */
import type { EventDraft, InputBody, RunId, SessionId, TurnId } from "@retinue/protocol";
import { describe, expect, it } from "vitest";
import type { EventLog } from "../contract.ts";
import { codeOf } from "./code-of.ts";
import type { RunDrafts } from "./session-drafts.ts";
import { createRunDrafts } from "./session-drafts.ts";

const queued = (name: string): InputBody => ({
  type: "turn.queued",
  turnId: `turn_${name}`,
  task: [{ type: "text", text: name }],
  source: { via: "server", pid: 7 },
});

const withdrawn = (name: string): InputBody => ({ type: "turn.withdrawn", turnId: `turn_${name}` });

/** A first turn that is at work. */
const begin = async (log: EventLog, sessionId: SessionId = "ses_queue") => {
  const run = createRunDrafts({ sessionId });
  await log.append([run.requested()]);
  const lease = await log.lease(run.identity.runId);
  await log.append([run.started(lease.epoch)], lease);
  return { run, settle: async () => log.append([run.settled()], lease) };
};

/** The run that begins a queued turn. */
const taking = ({ identity: { sessionId } }: RunDrafts, name: string, runId: RunId = `run_of_${name}`): EventDraft =>
  createRunDrafts({ sessionId, runId }).requested(name, { queuedTurn: `turn_${name}` });

const namesIn = async (log: EventLog, sessionId?: SessionId): Promise<readonly TurnId[]> =>
  (await log.queuedTurns(sessionId === undefined ? {} : { sessionId })).map(({ turnId }) => turnId);

export const describeQueue = (logOf: () => EventLog): void => {
  describe("queued turns", () => {
    it("wait in the order in which they were queued, beside a run that is at work or has settled, and are no inputs of that run", async () => {
      const log = logOf();
      const { run, settle } = await begin(log);
      await log.append([run.draft(queued("a"))]);
      await settle();
      await log.append([run.draft(queued("b"))]);
      expect(await log.queuedTurns()).toMatchObject([
        {
          turnId: "turn_a",
          sessionId: "ses_queue",
          seq: 3,
          task: [{ type: "text", text: "a" }],
          source: { via: "server", pid: 7 },
        },
        { turnId: "turn_b", seq: 5 },
      ]);
      expect(await log.inputs(run.identity.runId)).toEqual([]);
      expect(await namesIn(log, "ses_other")).toEqual([]);
    });

    it("begin once, in order, and only when no turn of the session is at work", async () => {
      const log = logOf();
      const { run, settle } = await begin(log);
      await log.append([run.draft(queued("a")), run.draft(queued("b"))]);
      expect(await codeOf(() => log.append([taking(run, "a")]))).toBe("session_running");
      await settle();
      expect(await codeOf(() => log.append([taking(run, "b")]))).toBe("turn_taken");
      const tries = await Promise.all(
        ["run_1", "run_2", "run_3"].map((runId) => codeOf(() => log.append([taking(run, "a", runId as RunId)]))),
      );
      expect(tries.filter((code) => code === undefined)).toHaveLength(1);
      expect(await namesIn(log, "ses_queue")).toEqual(["turn_b"]);
      expect(await codeOf(() => log.append([taking(run, "b")]))).toBe("session_running");
    });

    it("are taken back until they begin, and not after", async () => {
      const log = logOf();
      const { run, settle } = await begin(log);
      await log.append([run.draft(queued("a")), run.draft(queued("b"))]);
      await log.append([run.draft(withdrawn("a"))]);
      expect(await codeOf(() => log.append([run.draft(withdrawn("a"))]))).toBe("message_unknown");
      await settle();
      expect(await codeOf(() => log.append([taking(run, "a")]))).toBe("turn_taken");
      await log.append([taking(run, "b")]);
      expect(await codeOf(() => log.append([run.draft(withdrawn("b"))]))).toBe("message_unknown");
      expect(await namesIn(log)).toEqual([]);
    });

    it("are not queued twice, nor beside a run below another", async () => {
      const log = logOf();
      const { run } = await begin(log);
      const child = createRunDrafts({ sessionId: "ses_queue", runId: "run_child", parentRunId: run.identity.runId, depth: 1 });
      await log.append([child.requested()]);
      await log.append([run.draft(queued("a"))]);
      expect(await codeOf(() => log.append([run.draft(queued("a"))]))).toBe("turn_taken");
      expect(await codeOf(() => log.append([child.draft(queued("b"))]))).toBe("internal");
      expect(await namesIn(log)).toEqual(["turn_a"]);
    });
  });
};
