/**
 * The default engine: runs live in this process. A request is committed before it is answered; whoever drives a run holds its lease, and
 * everything the loop writes carries the lease's epoch.
 */
import type {
  EventDraft,
  ForkPoint,
  Message,
  RecordedEvent,
  RetinueEvent,
  RunId,
  RunResult,
  RunSpec,
  SessionId,
  UserPart,
} from "@retinue/protocol";
import { RetinueError, toErrorValue } from "@retinue/protocol";
import type { Ports, RunState } from "@retinue/runtime";
import { createState, fold, runLoop, toResult } from "@retinue/runtime";
import type { EventLog, Lease } from "@retinue/store";
import type { Follower } from "./follower.ts";
import { createFollower } from "./follower.ts";

/** What the engine's host provides; the rest of a run's ports comes from the log. */
export type HostPorts = Omit<Ports, "emit" | "artifacts">;

export type RunRequest = {
  readonly agent: string;
  readonly task: readonly UserPart[];
  readonly spec: RunSpec;
  /** The session to go on with; a new one where absent. */
  readonly sessionId?: SessionId;
  /** Where another run is left, in a session of its own. With it the task may be empty: then it goes on without a word. */
  readonly forkedFrom?: ForkPoint;
  readonly signal?: AbortSignal;
};

export type RunHandle = AsyncIterable<RetinueEvent> & {
  readonly sessionId: SessionId;
  readonly runId: RunId;
  /** Never rejects for what became of the run, only when Retinue itself failed. */
  readonly result: Promise<RunResult>;
  readonly cancel: (reason?: string) => void;
};

export type Engine = {
  readonly start: (request: RunRequest) => Promise<RunHandle>;
  /** Goes on with a run that was requested and not settled. */
  readonly resume: (runId: RunId) => Promise<RunHandle>;
  /** Cancels what runs and waits for it. */
  readonly close: () => Promise<void>;
};

export type EngineOptions = {
  readonly log: EventLog;
  readonly ports: HostPorts;
  readonly createId: () => string;
};

export const createEmbeddedEngine = ({ log, ports, createId }: EngineOptions): Engine => {
  const running = new Set<{ readonly cancel: (reason?: string) => void; readonly result: Promise<RunResult> }>();

  const drive = (state: RunState, follower: Follower, resumed: boolean, outer?: AbortSignal): RunHandle => {
    const { sessionId, runId } = state.identity;
    const stop = new AbortController();
    const onOuterAbort = (): void => stop.abort(outer?.reason);
    if (outer?.aborted) onOuterAbort();
    else outer?.addEventListener("abort", onOuterAbort, { once: true });
    const result = execute({ state, log, ports, follower, signal: stop.signal, resumed }).finally(() => {
      outer?.removeEventListener("abort", onOuterAbort);
      follower.end();
      running.delete(entry);
    });
    // Whoever iterates without awaiting the result must not be ended by its rejection.
    result.catch(() => undefined);
    const cancel = (reason = "The run was cancelled."): void => stop.abort(new RetinueError("cancelled", reason));
    const entry = { cancel, result };
    running.add(entry);
    return { sessionId, runId, result, cancel, [Symbol.asyncIterator]: () => follower.events() };
  };

  return {
    start: async ({ agent, task, spec, sessionId: known, forkedFrom, signal }) => {
      const sessionId: SessionId = known ?? `ses_${createId()}`;
      const runId: RunId = `run_${createId()}`;
      const previous = known === undefined ? null : latestRoot(await log.read(known), known);
      const draft: EventDraft & { readonly type: "run.requested" } = {
        sessionId,
        runId,
        parentRunId: null,
        depth: 0,
        agent,
        at: ports.clock.date(),
        type: "run.requested",
        task,
        spec,
        ...(previous === null ? {} : { continues: previous.identity.runId }),
        ...(forkedFrom === undefined ? {} : { forkedFrom, history: historyAt(await log.read(forkedFrom.sessionId), forkedFrom) }),
      };
      const [admitted] = await log.append([draft]);
      if (!admitted) throw new RetinueError("internal", "the log appended nothing");
      const follower = createFollower(admitted.seq - 1, (seq) => log.read(sessionId, seq));
      follower.push(admitted);
      return drive(createState(draft, previous?.messages ?? []), follower, false, signal);
    },
    resume: async (runId) => {
      const sessionId = await log.sessionOf(runId);
      if (sessionId === undefined) throw new RetinueError("run_unknown", `There is no run ${runId}.`);
      const events = await log.read(sessionId);
      const state = fold(events).get(runId);
      if (!state) throw new RetinueError("run_unknown", `There is no run ${runId}.`);
      const follower = createFollower(events.at(-1)?.seq ?? 0, (seq) => log.read(sessionId, seq));
      return drive(state, follower, true);
    },
    close: async () => {
      for (const { cancel } of running) cancel("Retinue was closed.");
      await Promise.allSettled([...running].map(({ result }) => result));
    },
  };
};

type Execution = {
  readonly state: RunState;
  readonly log: EventLog;
  readonly ports: HostPorts;
  readonly follower: Follower;
  readonly signal: AbortSignal;
  readonly resumed: boolean;
};

const execute = async ({ state, log, ports, follower, signal, resumed }: Execution): Promise<RunResult> => {
  const { sessionId, runId } = state.identity;
  if (state.result) return state.result;
  const lease = await log.lease(runId);
  const loop = runLoop({
    state,
    signal,
    epoch: lease.epoch,
    resumed,
    ports: {
      ...ports,
      emit: (drafts) => log.append(drafts, lease),
      artifacts: {
        write: async (text) => log.writeArtifact(sessionId, text),
        read: async (artifactId) => log.readArtifact(sessionId, artifactId),
      },
    },
  });
  try {
    for (;;) {
      const next = await loop.next();
      if (next.done) return next.value;
      follower.push(next.value);
    }
  } catch (thrown) {
    await recordFault({ state, log, lease, thrown, ports, follower });
    throw thrown;
  }
};

type Fault = Pick<Execution, "state" | "log" | "ports" | "follower"> & { readonly lease: Lease; readonly thrown: unknown };

/** We are at fault: say so in the record if it can still be written, then let the host know. */
const recordFault = async ({ state, log, lease, thrown, ports, follower }: Fault): Promise<void> => {
  if (thrown instanceof RetinueError && thrown.code === "lease_lost") return;
  const result = toResult(state, { status: "failed", bailoutReason: "error", error: toErrorValue(thrown) }, state.used.activeMs);
  try {
    const events = await log.append([{ ...state.identity, at: ports.clock.date(), type: "run.settled", result }], lease);
    for (const event of events) follower.push(event);
  } catch {
    // What the caller gets is the first fault; that the record could not take it either adds nothing.
  }
};

/** The conversation of a run as it was after an event. A turn whose calls were still open is left out: it has no results to go on from. */
const historyAt = (events: readonly RecordedEvent[], { sessionId, runId, seq }: ForkPoint): readonly Message[] => {
  const state = fold(events.filter((event) => event.seq <= seq)).get(runId);
  if (!state) throw new RetinueError("run_unknown", `There is no run ${runId} in ${sessionId} at event ${seq}.`);
  return state.turn ? state.messages.slice(0, -1) : state.messages;
};

const latestRoot = (events: readonly RecordedEvent[], sessionId: SessionId): RunState => {
  const root = events.findLast((event) => event.type === "run.requested" && event.depth === 0);
  const state = root && fold(events).get(root.runId);
  if (!state) throw new RetinueError("session_unknown", `There is no session ${sessionId}.`);
  return state;
};
