/** Where a fork leaves a session: after an event by its number, after a message by its id, or at the end. */
import type { ForkPoint, RecordedEvent } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { fold } from "@retinue/runtime";
import type { MessageRow, ReadSide, SessionRow } from "@retinue/store";

export type ForkPointOptions = {
  readonly session: SessionRow;
  readonly events: readonly RecordedEvent[];
  /** As the user wrote it. */
  readonly at: string | undefined;
  readonly sessions: ReadSide;
};

export const toForkPoint = async ({ session, events, at, sessions }: ForkPointOptions): Promise<ForkPoint> => {
  const { sessionId } = session;
  if (at === undefined) {
    const root = events.findLast(({ type, depth }) => type === "run.requested" && depth === 0);
    if (!root) throw new RetinueError("session_unknown", `${sessionId} holds no run.`);
    return { sessionId, runId: root.runId, seq: session.headSeq };
  }
  const number = Number(at.replace(/^#/, ""));
  const event = events.find(({ seq }) => seq === number);
  if (event) return { sessionId, runId: event.runId, seq: event.seq };
  const row = Number.isSafeInteger(number) ? await sessions.message(number) : undefined;
  const opened = row?.session_id === sessionId ? events.find(({ seq }) => seq === row.seq) : undefined;
  if (!row || !opened)
    throw new RetinueError("usage", `--at ${at} is neither an event nor a message of ${sessionId}.`, {
      hint: `Its events are #1 to #${session.headSeq}; \`retinue sessions show\` tells what they are.`,
    });
  return { sessionId, runId: opened.runId, seq: endOf(row, events) };
};

/** A call and an answer are left when they are over, a task when it was given. */
const endOf = (row: MessageRow, events: readonly RecordedEvent[]): number => {
  const isEnd = (event: RecordedEvent): boolean => {
    if (event.runId !== row.run_id || event.seq < row.seq) return false;
    if (row.request_type === "continuation") return event.type === "model.answered" || event.type === "model.failed";
    return row.request_type === "tool_call" && event.type === "tool.settled" && event.callId === row.call_id;
  };
  return events.find(isEnd)?.seq ?? row.seq;
};

/** Whether a model could be asked there without anything being said first. */
export const isOpenAt = (events: readonly RecordedEvent[], { runId, seq }: ForkPoint): boolean => {
  const state = fold(events.filter((event) => event.seq <= seq)).get(runId);
  const last = state?.turn ? state.messages.at(-2) : state?.messages.at(-1);
  return last !== undefined && last.role !== "assistant";
};
