/**
 * Queued turns: what people say for after the turn that runs. They are inputs beside the latest main run of the session. Whoever drives the session begins the
 * next one by a `run.requested` that names it, which the log admits once, in order, and when nothing of the session is at work.
 */
import type { InputSource, SessionId } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { EventLog, QueuedTurn, RootRun } from "@retinue/store";
import type { Engine } from "../contract.ts";
import type { Ground } from "./ground.ts";
import { appendInput } from "./inputs.ts";
import { identityOf } from "./read-state.ts";

const requireRoot = async (log: EventLog, sessionId: SessionId): Promise<RootRun> => {
  const root = await log.latestRoot(sessionId);
  if (!root) throw new RetinueError("session_unknown", `There is no session ${sessionId}.`);
  return root;
};

const by = (source: InputSource | undefined): { readonly source?: InputSource } => (source === undefined ? {} : { source });

export const createQueue = (ground: Ground): Pick<Engine, "queueTurn" | "withdrawTurn" | "queuedTurns" | "nextTurn"> => ({
  queueTurn: async (sessionId, task, { source } = {}) => {
    const { runId } = await requireRoot(ground.log, sessionId);
    const turnId = `turn_${ground.options.createId()}` as const;
    const said = typeof task === "string" ? [{ type: "text" as const, text: task }] : task;
    await appendInput(ground, await identityOf(ground, runId), { type: "turn.queued", turnId, task: said, ...by(source) });
    return turnId;
  },
  withdrawTurn: async (sessionId, turnId, { source } = {}) => {
    const { runId } = await requireRoot(ground.log, sessionId);
    await appendInput(ground, await identityOf(ground, runId), { type: "turn.withdrawn", turnId, ...by(source) });
  },
  queuedTurns: async (sessionId) => ground.log.queuedTurns(sessionId === undefined ? {} : { sessionId }),
  nextTurn: (sessionId) => readNextTurn(ground.log, sessionId),
});

/** What waited while a person stopped the turn goes on waiting: it is theirs to take back, or to let follow on the next turn. */
export const readNextTurn = async (
  log: Pick<EventLog, "queuedTurns" | "latestRoot" | "read">,
  sessionId: SessionId,
): Promise<QueuedTurn | undefined> => {
  // First the queue: who reads it after another has begun its head finds that turn at work.
  const [next] = await log.queuedTurns({ sessionId });
  if (!next) return undefined;
  const root = await log.latestRoot(sessionId);
  if (!root?.isSettled) return undefined;
  for (const event of await log.read(sessionId, next.seq))
    if (event.type === "run.settled" && event.runId === root.runId && event.result.status === "cancelled") return undefined;
  return next;
};
