/**
 * Ports that answer from the record of one stretch of a run: models say what they said, tools give what they gave in the order they gave it,
 * and the clock shows what it showed. What the loop would write is compared with what it wrote. Where the record ends, so does the replay.
 */
import type {
  ApprovalId,
  CallId,
  EventDraft,
  EventOf,
  InputEvent,
  RecordedBody,
  RecordedEvent,
  RunResult,
  WaitingFor,
} from "@retinue/protocol";
import { isInput, RetinueError } from "@retinue/protocol";
import type {
  AnyTool,
  Answered,
  GuardRefusal,
  Judgement,
  ManualClock,
  Model,
  ModelChunk,
  ModelRequest,
  Ports,
  RunState,
} from "@retinue/runtime";
import { apply, createManualClock, defineTool, EXECUTE_PLAN, isUnclosedWarning, Parked, windowFor } from "@retinue/runtime";
import { z } from "zod";
import { differenceOf } from "./difference.ts";

/** The loop would do something else than it did. */
export class Divergence extends Error {
  override readonly name = "Divergence";
  readonly seq: number;

  constructor(seq: number, message: string) {
    super(message);
    this.seq = seq;
  }
}

/** The record ends here, as it does where a process was ended. */
export class EndOfRecord extends Error {
  override readonly name = "EndOfRecord";
}

export type RecordedPorts = {
  readonly ports: Ports;
  readonly signal: AbortSignal;
  /** How many of the stretch's events the loop wrote again. */
  readonly verified: () => number;
  /** The first event that was not written again. */
  readonly next: () => RecordedEvent | undefined;
};

type DecisiveType = "model.requested" | "limit.reached" | "model.failed" | "context.fitted" | "run.settled";
const DECISIVE: ReadonlySet<string> = new Set<DecisiveType>([
  "model.requested",
  "limit.reached",
  "model.failed",
  "context.fitted",
  "run.settled",
]);

export const createRecordedPorts = (
  recorded: readonly RecordedEvent[],
  state: RunState,
  tools: Ports["tools"],
): RecordedPorts => {
  /** What the loop wrote; inputs were written by others, and are given to it where it took notice of them. */
  const stretch = recorded.filter((event) => !isGiven(event)).filter((event) => !isOfCall(event));
  const inputs = recorded.filter(isGiven);
  /** What calls wrote while they were at work, such as the parts of a plan: no call is made, and what it wrote is given. */
  const ofCalls = recorded.filter(isOfCall);
  const clock = createManualClock();
  const cancel = new AbortController();
  const record = indexRecord(stretch);
  const alreadyMs = state.used.activeMs;
  const isCancelled = record.settled?.result.status === "cancelled";
  let written = 0;
  let settledCount = 0;
  let hasParkedCalls = false;
  let wakeTools: (() => void)[] = [];

  const emit = (drafts: readonly EventDraft[]): readonly RecordedEvent[] => {
    const events = drafts.map((draft) => {
      const before = stretch[written];
      if (!before) throw new EndOfRecord("the record ends here");
      const difference = differenceOf(before, draft);
      if (difference !== null) throw new Divergence(before.seq, difference);
      written += 1;
      if (before.type === "tool.settled") settledCount += 1;
      return before;
    });
    giveNoticed();
    if (isCancelled && stretch[written]?.type === "run.settled") cancelNow();
    const woken = wakeTools;
    wakeTools = [];
    for (const wake of woken) wake();
    return events;
  };

  const give = (isDue: (input: GivenInput) => boolean): boolean => {
    const due = inputs.filter(isDue);
    for (const input of due) {
      inputs.splice(inputs.indexOf(input), 1);
      apply(state, input);
    }
    return due.length > 0;
  };

  /** What the loop took notice of next: messages where they were delivered, a word to finish where it was told. */
  const giveNoticed = (): void => {
    let index = written;
    while (stretch[index]?.type === "tool.settled") index += 1;
    const next = stretch[index];
    const at = stretch[written]?.seq ?? Infinity;
    // Messages from before they were delivered entered the conversation where they stand.
    give((input) => input.type === "message.received" && input.messageId === undefined && input.seq < at);
    if (next?.type === "message.delivered")
      give((input) => input.type === "message.received" && next.messageIds.some((id) => id === input.messageId));
    if (next?.type === "run.finishing") give((input) => input.type === "cancel.requested" && input.finish === true);
  };

  /** What the loop did next where it had nothing more to ask and to call: what is noted and not yet written lies before it. */
  const nextAtEnd = (): RecordedEvent | undefined => {
    for (let index = written; index < stretch.length; index += 1) {
      const event = stretch[index];
      if (event && AT_END.has(event.type)) return event;
    }
    return undefined;
  };

  /** Whether a guardrail refused what the loop asks about now: what is noted and not yet written lies before it. */
  const refusalNext = (on: "input" | "output"): GuardRefusal | null => {
    for (let index = written; index < stretch.length; index += 1) {
      const event = stretch[index];
      if (event?.type === "guardrail.refused" && event.on === on) return { guardrail: event.guardrail, reason: event.reason };
      if (event && BEYOND_GUARD.has(event.type)) return null;
    }
    return null;
  };

  const isWaitedFor = (event: RecordedEvent | undefined): boolean =>
    event?.type === "message.delivered" || event?.type === "run.finishing" || (event?.type === "run.settled" && isCancelled);

  /** What the loop decided next: everything noted and not yet written lies before it. */
  const nextDecision = (): RecordedEvent | undefined => {
    for (let index = written; index < stretch.length; index += 1) {
      const event = stretch[index];
      if (event && DECISIVE.has(event.type) && !(event.type === "limit.reached" && state.limit)) return event;
    }
    return undefined;
  };

  const cancelNow = (): void =>
    cancel.abort(new RetinueError("cancelled", record.settled?.result.error?.message ?? "The run was cancelled."));

  /** What it costs and how much it can hold is read from what was decided next: the loop keeps a model that it has once resolved. */
  const model = (name: string): Model => {
    const failed = nextDecision();
    const isUnresolved =
      failed?.type === "model.failed" && failed.model === name && stretch[written - 1]?.type !== "model.requested";
    if (isUnresolved && failed.error.code !== "price_unknown") throw toThrown(failed.error);
    return {
      id: name,
      // No window at all is one that is never reached.
      get contextWindow() {
        const decision = nextDecision();
        // The turn before ended in time, and this one was asked for when it was over.
        if (decision?.type === "limit.reached" && decision.limit === "durationMs") advanceTo(clock, alreadyMs, decision.used);
        if (decision?.type === "context.fitted") return windowFor(state.spec, decision.limitTokens);
        return decision?.type === "limit.reached" && decision.limit === "contextTokens"
          ? windowFor(state.spec, decision.max)
          : Infinity;
      },
      price: () => {
        const decision = nextDecision();
        if (decision?.type === "model.failed" && decision.error.code === "price_unknown") return null;
        return decision?.type === "limit.reached" && decision.limit === "costUsd" ? Infinity : 0;
      },
      stream: (request, signal) => answer(request, signal),
    };
  };

  const answer = async function* (request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelChunk> {
    const next = stretch[written];
    if (!next) throw new EndOfRecord("the record ends while a model is asked");
    switch (next.type) {
      case "model.answered":
        advanceTo(clock, alreadyMs, next.activeMs);
        yield {
          type: "answer",
          content: next.content,
          finishReason: next.finishReason,
          usage: next.usage,
          costUsd: next.costUsd,
        };
        return;
      case "model.failed":
        throw toThrown(next.error);
      case "context.fitted": {
        if (!next.summary || next.summary.model === "none")
          throw new RetinueError("model_unreachable", "It could not summarise.");
        const { text, usage, costUsd } = next.summary;
        yield {
          type: "answer",
          content: [{ type: "text", text: text.slice(text.indexOf("\n") + 1) }],
          finishReason: "stop",
          usage,
          costUsd,
        };
        return;
      }
      case "limit.reached":
        advanceTo(clock, alreadyMs, next.used);
        break;
      case "run.settled":
        if (isCancelled) cancelNow();
        else advanceTo(clock, alreadyMs, state.spec.limits.durationMs ?? 0);
        break;
      case "run.requested":
      case "run.started":
      case "model.requested":
      case "approval.requested":
      case "message.delivered":
      case "run.parked":
      case "run.finishing":
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
      case "tool.started":
      case "tool.settled":
        throw new Divergence(next.seq, `A model is asked (${request.messages.length} messages) where ${next.type} was recorded.`);
    }
    signal.throwIfAborted();
    throw new Divergence(next.seq, `${next.type} was recorded while a model was asked, but nothing stops it now.`);
  };

  const judge = async ({ callId }: { readonly callId: CallId }): Promise<Judgement> => {
    const settled = record.settledCalls.get(callId);
    const asked = record.approvals.get(callId);
    if (asked) return { type: "ask", act: asked.act };
    if (record.startedCalls.has(callId)) return { type: "allow" };
    if (settled?.outcome === "cancelled") cancelNow();
    if (settled?.error && settled.outcome === "denied") return { type: "deny", error: settled.error };
    return { type: "allow" };
  };

  const takeOfCall = (callId: CallId, before: number): readonly RecordedEvent[] => {
    const taken = ofCalls.filter((event) => event.seq < before && isPartOf(callId, event));
    for (const event of taken) ofCalls.splice(ofCalls.indexOf(event), 1);
    return taken;
  };

  /** What the calls wait for that were left open, told by the first of them; questions of the loop's own are waited for by the loop. */
  const callsWaitFor = ({ on }: EventOf<"run.parked">): readonly WaitingFor[] => {
    if (hasParkedCalls) return [];
    hasParkedCalls = true;
    return on.filter((one) => one.type === "run" || !record.askedByLoop.has(one.approvalId));
  };

  /** Calls beside one that never ended may still have to be answered. Nothing here waits for the world: what moves, moves at once. */
  const untilNothingMoves = async (): Promise<void> => {
    for (let before = -1; written < stretch.length && written !== before;) {
      before = written;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  };

  /** A call is answered when everything that was written before its answer is written again. */
  const execute: NonNullable<Ports["execute"]> = async (_tool, _input, { callId }): Promise<Answered> => {
    const settled = record.settledCalls.get(callId);
    for (const event of takeOfCall(callId, settled?.seq ?? Infinity)) apply(state, event);
    if (!settled && record.parked) throw new Parked(callsWaitFor(record.parked));
    if (!settled) {
      await untilNothingMoves();
      throw new EndOfRecord("the record ends while a tool works");
    }
    const turn = record.order.get(callId) ?? 0;
    const isDue = (): boolean => settledCount >= turn;
    while (!isDue()) await new Promise<void>((resolve) => wakeTools.push(resolve));
    advanceTo(clock, alreadyMs, settled.activeMs);
    if (isCancelled && (settled.outcome === "cancelled" || turn === record.order.size - 1)) cancelNow();
    const { outcome, content, error, files, tests, sandbox, spent, transferred } = settled;
    return {
      outcome,
      content,
      ...(error === undefined ? {} : { error }),
      ...(files === undefined ? {} : { files }),
      ...(tests === undefined ? {} : { tests }),
      ...(sandbox === undefined ? {} : { sandbox }),
      ...(spent === undefined ? {} : { spent }),
      ...(transferred === undefined ? {} : { transferred }),
    };
  };
  if (isCancelled && stretch[1]?.type === "run.settled") cancelNow();
  giveNoticed();

  return {
    signal: cancel.signal,
    verified: () => written,
    next: () => stretch[written],
    ports: {
      emit,
      model,
      tools,
      clock,
      judge,
      execute,
      realPath: async (file) => file,
      artifacts: { write: async () => ({ artifactId: "art_replay", chars: 0, lines: 0 }), read: async () => undefined },
      background: () => {
        const next = nextAtEnd();
        if (next?.type === "run.parked") return next.on.flatMap((one) => (one.type === "run" ? [one.runId] : []));
        // It heard of somebody, or was stopped, when it had nothing more to do: it had waited for a run below.
        return isWaitedFor(next) ? ["run_below"] : [];
      },
      ask: () => undefined,
      // Whether an outage was waited for is what the record says of the turn that failed.
      outage: () => {
        const next = stretch[written];
        return next?.type === "model.failed" && next.next !== null ? { type: "wait", waitMs: 0, leftMs: 0 } : { type: "fail" };
      },
      wait: async (on) => {
        const parkedAt = record.parked?.seq ?? Infinity;
        const answered = give(
          (input) =>
            input.type === "approval.answered" &&
            input.seq < parkedAt &&
            on.some((one) => one.type === "approval" && one.approvalId === input.approvalId),
        );
        if (answered) return "input";
        if (record.parked) return "park";
        giveNoticed();
        if (state.inbox.length > 0 || state.finishRequested) return "input";
        if (!isCancelled) throw new EndOfRecord("the record ends while something is waited for");
        cancelNow();
        return "input";
      },
      // Nothing is open in a replay; what could not be closed then stands in the record.
      release: async () => record.settled?.result.warnings.filter(isUnclosedWarning) ?? [],
      bringBack: async function* () {
        for (const event of stretch)
          if (event.type === "worktree.merging" || event.type === "worktree.merged") yield toBody(event);
      },
      guard: {
        input: async () => refusalNext("input"),
        output: async () => refusalNext("output"),
        end: async () => {
          const next = nextAtEnd();
          return next?.type === "result.rejected" && next.by === "hook" ? next.reason : null;
        },
        misfit: async () => {
          const next = nextAtEnd();
          return next?.type === "result.rejected" && next.by === "schema" ? next.reason : null;
        },
      },
      accept: {
        command: RECORDED_COMMAND,
        verify: async ({ agent }) => {
          const next = stretch[written];
          return toVerdict(agent, next?.type === "result.rejected" && next.by === "accept" ? next.reason : null);
        },
      },
    },
  };
};

type GivenInput = InputEvent;

/** What somebody else wrote. */
const isGiven = (event: RecordedEvent): event is RecordedEvent & GivenInput => isInput(event);

/** Never run: its outcome is in the record. */
const RECORDED_COMMAND: AnyTool = defineTool({
  name: "shell",
  description: "The command that accepts results.",
  input: z.object({ command: z.string() }),
  effect: "execute",
  repeatable: true,
  execute: () => "",
});

/** What the verifying agent must have handed back for the record to say what it says. */
const toVerdict = (agent: string, refusal: string | null): RunResult => {
  const details = refusal === null ? "ACCEPT" : `REJECT: ${refusal.slice(`${agent} rejects it: `.length)}`;
  return { status: "completed", details } as RunResult;
};

/** What the loop does once guardrails have let something pass. */
const BEYOND_GUARD: ReadonlySet<RecordedEvent["type"]> = new Set<RecordedEvent["type"]>([
  "message.delivered",
  "model.requested",
  "run.settled",
]);

/** What a run does when it has an answer and no call. */
const AT_END: ReadonlySet<RecordedEvent["type"]> = new Set<RecordedEvent["type"]>([
  "message.delivered",
  "run.finishing",
  "run.parked",
  "result.rejected",
  "model.requested",
  "run.settled",
]);

/** What a call wrote, and not the loop: the parts of a plan, its questions, and how it goes. */
const isOfCall = (event: RecordedEvent): boolean => {
  if (event.type === "tool.started" || event.type === "tool.settled") return event.aside === "plan";
  if (event.type === "approval.requested") return event.act.tool === EXECUTE_PLAN && event.act.callId.endsWith(".approval");
  return event.type.startsWith("plan.");
};

const isPartOf = (callId: CallId, event: RecordedEvent): boolean => {
  const part = event.type === "approval.requested" ? event.act.callId : "callId" in event ? event.callId : "";
  return part === callId || part.startsWith(`${callId}.`);
};

type RecordIndex = {
  readonly startedCalls: ReadonlySet<CallId>;
  readonly settledCalls: ReadonlyMap<CallId, EventOf<"tool.settled">>;
  /** How many calls had settled before this one. */
  readonly order: ReadonlyMap<CallId, number>;
  readonly approvals: ReadonlyMap<CallId, EventOf<"approval.requested">>;
  readonly askedByLoop: ReadonlySet<ApprovalId>;
  readonly parked: (EventOf<"run.parked"> & RecordedEvent) | undefined;
  readonly settled: EventOf<"run.settled"> | undefined;
};

const indexRecord = (stretch: readonly RecordedEvent[]): RecordIndex => {
  const of = <T extends RecordedEvent["type"]>(type: T): readonly EventOf<T>[] =>
    stretch.filter((event): event is EventOf<T> & RecordedEvent => event.type === type);
  const settled = of("tool.settled");
  return {
    startedCalls: new Set(of("tool.started").map(({ callId }) => callId)),
    settledCalls: new Map(settled.map((event) => [event.callId, event])),
    order: new Map(settled.map(({ callId }, index) => [callId, index])),
    approvals: new Map(of("approval.requested").map((event) => [event.act.callId, event])),
    askedByLoop: new Set(of("approval.requested").map(({ approvalId }) => approvalId)),
    parked: of("run.parked")[0],
    settled: of("run.settled")[0],
  };
};

const toBody = ({
  sessionId: _s,
  runId: _r,
  parentRunId: _p,
  depth: _d,
  agent: _a,
  seq: _n,
  at: _t,
  ...body
}: EventOf<"worktree.merging" | "worktree.merged">): RecordedBody => body;

const advanceTo = (clock: ManualClock, alreadyMs: number, activeMs: number): void =>
  clock.advance(Math.max(0, activeMs - alreadyMs - clock.now()));

const toThrown = ({ code, message, hint }: EventOf<"model.failed">["error"]): RetinueError =>
  new RetinueError(code, message, hint === undefined ? {} : { hint });
