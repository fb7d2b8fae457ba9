/** From events to the row of `sessions`: what a list of sessions shows, and what the session has cost so far. */
import path from "node:path";
import type { RecordedEvent, RunSpec, SessionId, Spent } from "@retinue/protocol";
import { MAX_TOTAL_TOKENS, toPossibleSpent } from "@retinue/protocol";
import type { MessageStatus } from "./message-row.ts";
import { toRunStatus, toText } from "./project.ts";

/** What is known of a session without reading its events. */
export type SessionRow = {
  readonly sessionId: SessionId;
  /** Counts the sessions of a store in the order of their beginning. */
  readonly number: number;
  /** The first line of the first task. */
  readonly title: string;
  readonly agent: string;
  readonly model: string;
  readonly workspace: string;
  /** Of the latest run at depth 0. */
  readonly status: MessageStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly runCount: number;
  readonly messageCount: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  /** Of the model calls whose price is known. */
  readonly costUsd: number;
  readonly unpricedCalls: number;
  /** Of the last event. */
  readonly headSeq: number;
  readonly headHash: string;
  /** When it was brought here from an export; null for what was recorded here. No event says so: an export would not either. */
  readonly importedAt: string | null;
};

export const NEW_SESSION: Omit<SessionRow, "sessionId" | "number"> = {
  title: "",
  agent: "",
  model: "",
  workspace: "",
  status: "pending",
  createdAt: "",
  updatedAt: "",
  runCount: 0,
  messageCount: 0,
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  costUsd: 0,
  unpricedCalls: 0,
  headSeq: 0,
  headHash: "",
  importedAt: null,
};

export type ProjectSessionOptions = {
  readonly event: RecordedEvent;
  readonly previous: SessionRow;
  /** Rows of `messages` that the event opened. */
  readonly opened: number;
  /** The event's place in the chain. */
  readonly hash: string;
};

export const projectSession = ({ event, previous, opened, hash }: ProjectSessionOptions): SessionRow => {
  const next: SessionRow = {
    ...previous,
    updatedAt: event.at,
    messageCount: previous.messageCount + opened,
    headSeq: event.seq,
    headHash: hash,
  };
  switch (event.type) {
    case "run.requested": {
      const begun = { ...next, runCount: previous.runCount + 1 };
      if (previous.headSeq === 0)
        return {
          ...begun,
          title: toTitle(toText(event.task)),
          agent: event.agent,
          model: event.spec.model,
          workspace: toSessionFolder(event.spec),
          createdAt: event.at,
          status: "pending",
        };
      return event.parentRunId === null ? { ...begun, status: "pending" } : begun;
    }
    case "run.started":
      return event.parentRunId === null ? { ...next, status: "running" } : next;
    case "run.settled":
      return event.parentRunId === null ? { ...next, status: toRunStatus(event.result) } : next;
    case "model.answered":
      return spend(next, event);
    case "context.fitted":
      return event.summary === undefined ? next : spend(next, event.summary);
    case "model.requested":
    case "model.failed":
    case "approval.requested":
    case "approval.answered":
    case "message.received":
    case "message.withdrawn":
    case "turn.queued":
    case "turn.withdrawn":
    case "message.delivered":
    case "cancel.requested":
    case "run.parked":
    case "run.finishing":
    case "tool.started":
    case "tool.settled":
    case "limit.reached":
    case "result.rejected":
    case "guardrail.refused":
    case "worktree.made":
    case "worktree.refused":
    case "worktree.merging":
    case "worktree.merged":
    case "plan.made":
    case "plan.step":
    case "plan.decided":
    case "plan.settled":
      return next;
    default:
      return event satisfies never;
  }
};

const spend = (row: SessionRow, spent: Spent): SessionRow => {
  const { usage, costUsd } = toPossibleSpent(spent);
  return {
    ...row,
    promptTokens: addTokens(row.promptTokens, usage.input),
    completionTokens: addTokens(row.completionTokens, usage.output),
    cachedTokens: addTokens(row.cachedTokens, usage.cached),
    reasoningTokens: addTokens(row.reasoningTokens, usage.reasoning),
    costUsd: row.costUsd + (costUsd ?? 0),
    unpricedCalls: row.unpricedCalls + (costUsd === null ? 1 : 0),
  };
};

const addTokens = (sum: number, tokens: number): number => Math.min(sum + tokens, MAX_TOTAL_TOKENS);

const MAX_TITLE = 200;

/** Never ends inside a surrogate pair. */
/** The folder that the session is of: its first run may work in a copy, or in a part of it. */
const toSessionFolder = ({ workspace, worktree, directory }: RunSpec): string => {
  const parts = directory?.split("/") ?? [];
  return worktree?.of ?? parts.reduce((folder) => path.dirname(folder), workspace);
};

const toTitle = (task: string): string => {
  const [line = ""] = task
    .trimStart()
    .slice(0, MAX_TITLE * 2)
    .split(/[\r\n\u2028\u2029]/u, 1);
  const title = line.slice(0, MAX_TITLE).trimEnd();
  return /[\ud800-\udbff]$/.test(title) ? title.slice(0, -1) : title;
};
