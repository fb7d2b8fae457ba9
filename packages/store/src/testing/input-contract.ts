/** The part of the log's contract that is about inputs: what anybody may say to a run, without its lease. */
import type { ApprovalId, EventDraft, InputBody, RunId } from "@retinue/protocol";
import { describe, expect, it } from "vitest";
import type { EventLog } from "../contract.ts";
import { codeOf } from "./code-of.ts";
import type { RunDrafts, RunDraftsOptions } from "./session-drafts.ts";
import { createRunDrafts } from "./session-drafts.ts";

const message = (text: string): InputBody => ({
  type: "message.received",
  messageId: `msg_${text}`,
  from: "human",
  content: [{ type: "text", text }],
  source: { via: "command", user: "ann", pid: 7 },
});

const answer = (approvalId: ApprovalId, allowed = true): InputBody => ({
  type: "approval.answered",
  approvalId,
  allowed,
  scope: "once",
});

const CANCEL: InputBody = { type: "cancel.requested", reason: "enough" };

/** Asks about a call of its own. */
export const toQuestion = (run: RunDrafts, id: string, more: { readonly expiresAt?: string } = {}): EventDraft =>
  run.draft({
    type: "approval.requested",
    approvalId: `apr_${id}`,
    act: { callId: `call_${id}`, tool: "write", effect: "write", input: { path: id }, paths: [`/workspace/${id}`], hosts: [] },
    hash: `hash of ${id}`,
    ...more,
  });

/** A run that was requested, leased and started. */
const begin = async (log: EventLog, options: RunDraftsOptions = {}) => {
  const run = createRunDrafts(options);
  await log.append([run.requested()]);
  const lease = await log.lease(run.identity.runId);
  await log.append([run.started(lease.epoch)], lease);
  return { run, lease };
};

/** What each fails with, one after the other. */
const codes = async (...acts: readonly (() => unknown)[]) => {
  const found: (string | undefined)[] = [];
  for (const act of acts) found.push(await codeOf(act));
  return found;
};

export const describeInputs = (logOf: () => EventLog): void => {
  describe("inputs", () => {
    it("are appended without a lease, and the driver's appends go on after them", async () => {
      const log = logOf();
      const { run, lease } = await begin(log);
      await log.append([toQuestion(run, "1")], lease);
      await log.append([run.draft(message("a"))]);
      await log.append([run.asked(1)], lease);
      await log.append([run.draft(answer("apr_1")), run.draft(CANCEL)]);
      await log.append([run.answered(1, "x"), run.toolStarted("call_1")], lease);
      const events = await log.read("ses_a");
      expect(events.map(({ seq, type }) => [seq, type])).toEqual([
        [1, "run.requested"],
        [2, "run.started"],
        [3, "approval.requested"],
        [4, "message.received"],
        [5, "model.requested"],
        [6, "approval.answered"],
        [7, "cancel.requested"],
        [8, "model.answered"],
        [9, "tool.started"],
      ]);
      expect(events[3]).toMatchObject(message("a"));
    });

    it("come while a model call is under way, and so may the calls that we make ourselves", async () => {
      const log = logOf();
      const { run, lease } = await begin(log);
      await log.append([run.asked(1)], lease);
      await log.append([run.draft(message("a"))]);
      await log.append([run.toolStarted("c", { aside: "accept" }), toQuestion(run, "1")], lease);
      await log.append([run.draft(answer("apr_1"))]);
      await log.append([run.answered(1, "x")], lease);
      expect(await log.read("ses_a")).toHaveLength(8);
    });

    it("may be appended by the holder of the lease, with what the driver does with them", async () => {
      const log = logOf();
      const { run, lease } = await begin(log);
      await log.append(
        [
          toQuestion(run, "1"),
          run.draft(answer("apr_1", false)),
          run.draft(message("a")),
          run.draft({ type: "message.delivered", messageIds: ["msg_a"] }),
          run.draft(CANCEL),
        ],
        lease,
      );
      expect(await log.read("ses_a", 2)).toHaveLength(5);
    });

    it("may come with the request of their run, and from the driver of another", async () => {
      const log = logOf();
      const { run: parent, lease } = await begin(log);
      const child = createRunDrafts({ runId: "run_child", parentRunId: "run_a", depth: 1, agent: "reviewer" });
      await log.append([parent.toolStarted("c1"), child.requested(), child.draft(message("a"))], lease);
      const childLease = await log.lease("run_child");
      await log.append([child.settled(), parent.draft({ ...message("b"), from: "run_child" } as InputBody)], childLease);
      expect((await log.inputs("run_child")).map(({ seq }) => seq)).toEqual([5]);
      expect((await log.inputs("run_a")).map(({ seq }) => seq)).toEqual([7]);
    });

    it("are refused for a run that is unknown or has ended", async () => {
      const log = logOf();
      const { run, lease } = await begin(log);
      await log.append([toQuestion(run, "1")], lease);
      const other = createRunDrafts({ runId: "run_x" });
      expect(await codes(() => log.append([other.draft(message("a"))]))).toEqual(["run_unknown"]);
      await log.append([run.settled()], lease);
      expect(
        await codes(
          () => log.append([run.draft(message("a"))]),
          () => log.append([run.draft(CANCEL)]),
          () => log.append([run.draft(answer("apr_1"))]),
          () => log.append([run.draft(CANCEL)], lease),
        ),
      ).toEqual(["run_settled", "run_settled", "run_settled", "run_settled"]);
      expect(await log.read("ses_a")).toHaveLength(4);
    });

    it("are refused together with an end of the run that comes before them", async () => {
      const log = logOf();
      const { run, lease } = await begin(log);
      expect(await codes(() => log.append([run.settled(), run.draft(CANCEL)], lease))).toEqual(["run_settled"]);
      await log.append([run.draft(CANCEL), run.settled()], lease);
      expect(await log.read("ses_a")).toHaveLength(4);
    });

    it("name their run as it was requested", async () => {
      const log = logOf();
      await begin(log);
      await begin(log, { runId: "run_b", parentRunId: "run_a", depth: 1, agent: "reviewer" });
      const forged: readonly RunDraftsOptions[] = [
        { runId: "run_b", parentRunId: "run_a", depth: 1, agent: "main" },
        { runId: "run_b", parentRunId: "run_a", depth: 2, agent: "reviewer" },
        { runId: "run_b", parentRunId: "run_b", depth: 1, agent: "reviewer" },
        { runId: "run_b", depth: 1, agent: "reviewer" },
        { sessionId: "ses_b", runId: "run_b", parentRunId: "run_a", depth: 1, agent: "reviewer" },
      ];
      for (const options of forged)
        expect(await codeOf(() => log.append([createRunDrafts(options).draft(CANCEL)]))).toBe("internal");
      expect(await log.read("ses_a")).toHaveLength(4);
      expect(await log.read("ses_b")).toEqual([]);
    });

    it("let nobody append anything else without a lease", async () => {
      const log = logOf();
      const { run } = await begin(log);
      expect(
        await codes(
          () => log.append([run.draft(message("a")), run.asked(1)]),
          () => log.append([run.draft({ type: "message.delivered", messageIds: ["msg_a"] })]),
          () => log.append([toQuestion(run, "1")]),
          () => log.append([run.draft({ type: "run.parked", on: [], activeMs: 0 })]),
        ),
      ).toEqual(["internal", "internal", "internal", "internal"]);
      expect(await log.read("ses_a")).toHaveLength(2);
    });

    it("cancel as often as anybody likes", async () => {
      const log = logOf();
      const { run } = await begin(log);
      await log.append([run.draft(CANCEL)]);
      await log.append([run.draft(CANCEL)]);
      expect(await log.inputs("run_a")).toHaveLength(2);
    });

    it("answer a question once, of the run that asked it", async () => {
      const log = logOf();
      const { run, lease } = await begin(log);
      const b = await begin(log, { runId: "run_b" });
      await log.append([toQuestion(run, "1")], lease);
      expect(
        await codes(
          () => log.append([run.draft(answer("apr_2"))]),
          () => log.append([b.run.draft(answer("apr_1"))]),
          () => log.append([run.draft(answer("apr_1")), run.draft(answer("apr_1"))]),
          () => log.append([run.draft(answer("apr_1", false))]),
          () => log.append([run.draft(answer("apr_1"))]),
          () => log.append([run.draft(answer("apr_1"))], lease),
        ),
      ).toEqual([
        "approval_unknown",
        "approval_unknown",
        "approval_answered",
        undefined,
        "approval_answered",
        "approval_answered",
      ]);
      await log.append([run.toolStarted("call_1"), run.toolSettled("call_1", "done")], lease);
      expect(await codeOf(() => log.append([run.draft(answer("apr_1"))]))).toBe("approval_answered");
    });

    it("answer no question that is over", async () => {
      const log = logOf();
      const { run, lease } = await begin(log);
      await log.append([toQuestion(run, "1"), toQuestion(run, "2")], lease);
      await log.append([run.toolSettled("call_1", "nobody answered", { outcome: "denied" })], lease);
      expect(await codeOf(() => log.append([run.draft(answer("apr_1"))]))).toBe("approval_expired");
      // A later question about the same call takes the place of the earlier.
      await log.append([run.draft({ ...toQuestion(run, "2"), type: "approval.requested", approvalId: "apr_3" } as never)], lease);
      expect(await codeOf(() => log.append([run.draft(answer("apr_2"))]))).toBe("approval_expired");
      await log.append([run.draft(answer("apr_3"))]);
    });

    it("answer until the question expires, by the time of the answer", async () => {
      const log = logOf();
      let now = "2026-01-01T00:00:00.000Z";
      const { run, lease } = await begin(log, { at: () => now });
      const expiresAt = "2026-01-01T01:00:00.000Z";
      await log.append([toQuestion(run, "1", { expiresAt }), toQuestion(run, "2", { expiresAt })], lease);
      now = "2026-01-01T01:00:00.000Z";
      await log.append([run.draft(answer("apr_1"))]);
      now = "2026-01-01T01:00:00.001Z";
      expect(await codeOf(() => log.append([run.draft(answer("apr_2"))]))).toBe("approval_expired");
      expect(await log.read("ses_a")).toHaveLength(5);
    });

    it("are refused alone, and not the appends beside them", async () => {
      const log = logOf();
      const { run, lease } = await begin(log);
      await log.append([toQuestion(run, "1")], lease);
      const outcomes = await Promise.all([
        codeOf(() => log.append([run.draft(answer("apr_1"))])),
        codeOf(() => log.append([run.draft(answer("apr_1", false))])),
        codeOf(() => log.append([run.asked(1)], lease)),
        codeOf(() => log.append([run.draft(message("a"))])),
        codeOf(() => log.append([run.answered(1, "x"), toQuestion(run, "2")], lease)),
        codeOf(() => log.append([run.draft(answer("apr_2"))])),
        codeOf(() => log.append([run.settled()], lease)),
        codeOf(() => log.append([run.draft(CANCEL)])),
      ]);
      expect(outcomes).toEqual([
        undefined,
        "approval_answered",
        undefined,
        undefined,
        undefined,
        undefined,
        undefined,
        "run_settled",
      ]);
      expect((await log.read("ses_a")).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    });

    it("are read by their run after a number", async () => {
      const log = logOf();
      const { run, lease } = await begin(log);
      const b = await begin(log, { runId: "run_b" });
      await log.append([run.draft(message("a"))]);
      await log.append([run.asked(1), run.answered(1, "x")], lease);
      await log.append([b.run.draft(message("b"))]);
      await log.append([run.draft(CANCEL)]);
      const seqs = async (runId: RunId, afterSeq?: number) => (await log.inputs(runId, afterSeq)).map(({ seq }) => seq);
      expect(await seqs("run_a")).toEqual([5, 9]);
      expect(await seqs("run_a", 5)).toEqual([9]);
      expect(await seqs("run_a", 9)).toEqual([]);
      expect(await seqs("run_a", Number.NaN)).toEqual([5, 9]);
      expect(await seqs("run_b")).toEqual([8]);
      expect(await seqs("run_x")).toEqual([]);
      expect(await log.inputs("run_b")).toEqual((await log.read("ses_a")).filter(({ seq }) => seq === 8));
    });

    it("wake whoever watches", async () => {
      const log = logOf();
      const { run } = await begin(log);
      let woken = 0;
      log.watch("ses_a", () => (woken += 1));
      await log.append([run.draft(message("a"))]);
      expect(woken).toBe(1);
    });
  });

  describe("open questions", () => {
    it("are told with who asks, from where, and until when, until they are answered or over", async () => {
      const log = logOf();
      const main = createRunDrafts();
      const child = createRunDrafts({ runId: "run_b", parentRunId: "run_a", depth: 1, agent: "reviewer" });
      const grandchild = createRunDrafts({ runId: "run_c", parentRunId: "run_b", depth: 2, agent: "tester" });
      await log.append([main.requested()]);
      const lease = await log.lease("run_a");
      await log.append([main.toolStarted("c1"), child.requested("review", { parentCallId: "c1" })], lease);
      const childLease = await log.lease("run_b");
      await log.append([grandchild.requested()], childLease);
      const elsewhere = createRunDrafts({ sessionId: "ses_b", runId: "run_d" });
      await log.append([elsewhere.requested()]);
      const elsewhereLease = await log.lease("run_d");
      await log.append([toQuestion(elsewhere, "4")], elsewhereLease);
      const grandchildLease = await log.lease("run_c");
      const expiresAt = "2027-01-01T00:00:00.000Z";
      await log.append([toQuestion(grandchild, "1", { expiresAt }), toQuestion(grandchild, "2")], grandchildLease);
      await log.append([toQuestion(main, "3")], lease);

      const ids = async (query = {}) => (await log.approvals(query)).map(({ approvalId }) => approvalId);
      expect(await ids()).toEqual(["apr_1", "apr_2", "apr_3", "apr_4"]);
      expect(await ids({ sessionId: "ses_b", state: "open" })).toEqual(["apr_4"]);
      expect(await ids({ sessionId: "ses_x" })).toEqual([]);
      expect((await log.approvals({ sessionId: "ses_a" }))[0]).toEqual({
        approvalId: "apr_1",
        ...grandchild.identity,
        path: ["main", "reviewer", "tester"],
        act: {
          callId: "call_1",
          tool: "write",
          effect: "write",
          input: { path: "1" },
          paths: ["/workspace/1"],
          hosts: [],
        },
        hash: "hash of 1",
        requestedAt: (await log.read("ses_a", 4))[0]?.at,
        expiresAt,
        workspace: "/workspace",
      });

      await log.append([grandchild.draft(answer("apr_1"))]);
      expect(await ids()).toEqual(["apr_2", "apr_3", "apr_4"]);
      await log.append([grandchild.toolSettled("call_2", "no", { outcome: "denied" })], grandchildLease);
      expect(await ids()).toEqual(["apr_3", "apr_4"]);
      await log.append([main.settled()], lease);
      expect(await ids()).toEqual(["apr_4"]);
    });
  });
};
