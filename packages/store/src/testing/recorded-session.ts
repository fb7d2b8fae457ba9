/** A whole session on the record: a main agent, a sub-agent that it asked, tools of every outcome, an approval. */
import type { EventDraft, RunId, SessionId } from "@retinue/protocol";
import type { EventLog } from "../contract.ts";
import { createRunDrafts } from "./session-drafts.ts";

export type RecordedSessionOptions = {
  readonly sessionId?: SessionId;
  /** What the user asked for. */
  readonly task?: string;
  /** What the tool gave back. */
  readonly output?: string;
  /** When it began; its events are a second apart. */
  readonly startedAt?: string;
};

/** Records the session by the log's own means and gives the ids of its two runs. */
export const recordSession = async (
  log: EventLog,
  options: RecordedSessionOptions = {},
): Promise<{ readonly sessionId: SessionId; readonly mainId: RunId; readonly childId: RunId }> => {
  const { sessionId = "ses_a", task = "Find the bug", output = "const broken = true;" } = options;
  const begin = Date.parse(options.startedAt ?? "2026-01-01T00:00:00.000Z");
  let count = 0;
  const at = (): string => new Date(begin + 1000 * count++).toISOString();
  const mainId: RunId = `run_${sessionId.slice(4)}_main`;
  const childId: RunId = `run_${sessionId.slice(4)}_child`;
  const main = createRunDrafts({ sessionId, runId: mainId, at });
  const child = createRunDrafts({ sessionId, runId: childId, parentRunId: mainId, depth: 1, agent: "reviewer", at });

  await log.append([main.requested(task)]);
  const lease = await log.lease(mainId);
  const say = async (...drafts: EventDraft[]) => log.append(drafts, lease);
  await say(main.started(lease.epoch), main.asked(1));
  await say(
    main.answered(1, [
      { type: "text", text: "I read and ask a reviewer." },
      { type: "tool-call", callId: "c1", tool: "read", arguments: '{"path":"a.ts"}' },
      { type: "tool-call", callId: "c2", tool: "delegate_to_agent", arguments: '{"agent":"reviewer"}' },
    ]),
    main.toolStarted("c1"),
    main.toolStarted("c2", { tool: "delegate_to_agent", input: { agent: "reviewer" } }),
    child.requested("Review a.ts", { parentCallId: "c2" }),
  );
  await say(main.toolSettled("c1", output));

  const childLease = await log.lease(childId);
  await log.append([child.started(childLease.epoch), child.asked(1)], childLease);
  const artifact = await log.writeArtifact(sessionId, `${output}\n`.repeat(20));
  await log.append(
    [
      child.answered(1, [{ type: "tool-call", callId: "d1", tool: "write", arguments: '{"path":"b.ts"}' }]),
      child.draft({
        type: "approval.requested",
        approvalId: "apr_1",
        act: { callId: "d1", tool: "write", effect: "write", input: { path: "b.ts" }, paths: ["/workspace/b.ts"], hosts: [] },
        hash: "h",
      }),
    ],
    childLease,
  );
  await log.append(
    [
      child.draft({ type: "approval.answered", approvalId: "apr_1", allowed: true, scope: "once", reason: "go on" }),
      child.toolStarted("d1", { tool: "write", input: { path: "b.ts" }, effect: "write", repeatable: false }),
    ],
    childLease,
  );
  await log.append(
    [
      child.toolSettled("d1", "written", { tool: "write", artifact, files: { modified: ["a.ts"], created: ["b.ts"] } }),
      child.asked(2),
    ],
    childLease,
  );
  await log.append(
    [
      child.draft({
        type: "model.failed",
        step: 2,
        model: "test/model",
        error: { code: "model_overloaded", message: "too busy" },
        next: "test/other",
      }),
      child.draft({
        type: "model.requested",
        step: 2,
        model: "test/other",
        estimatedTokens: 10,
        digest: { system: "s", tools: "t", messages: "m" },
        handIn: true,
      }),
    ],
    childLease,
  );
  await log.append(
    [
      child.answered(2, "The bug is in a.ts."),
      child.draft({ type: "limit.reached", limit: "iterations", used: 2, max: 2 }),
      child.settled({
        status: "partial",
        bailoutReason: "max_iterations",
        summary: "The bug is in a.ts.",
        iterations: 2,
        filesModified: ["a.ts"],
        filesCreated: ["b.ts"],
      }),
    ],
    childLease,
  );

  await say(
    main.toolSettled("c2", "The bug is in a.ts.", { tool: "delegate_to_agent" }),
    main.draft({
      type: "context.fitted",
      cleared: ["c1"],
      summary: {
        from: 1,
        to: 3,
        text: "So far: read and reviewed.",
        model: "test/cheap",
        usage: { input: 30, output: 5, cached: 0, reasoning: 0 },
        costUsd: null,
      },
      beforeTokens: 900,
      afterTokens: 300,
      limitTokens: 800,
    }),
    main.draft({ type: "message.received", from: "human", content: [{ type: "text", text: "Be brief." }] }),
    main.asked(2),
  );
  await say(
    main.answered(2, "Fixed."),
    main.toolSettled("c3", "no such tool", {
      tool: "fly",
      outcome: "error",
      error: { code: "tool_unknown", message: "There is no tool fly." },
    }),
    main.settled({ summary: "Fixed.", details: "Fixed it.", iterations: 2, toolCalls: 3 }),
  );
  return { sessionId, mainId, childId };
};
