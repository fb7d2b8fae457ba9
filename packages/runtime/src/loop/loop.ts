/**
 * The one loop. Every agent at every depth runs here: it asks the model, settles the calls of the answer, and goes on until the run has a
 * result. Each event is shown after it was recorded; `runLoop` yields them and returns the result. The loop knows nothing that is not in
 * `state`, so that one started on the fold of a cut log goes on where that log ends.
 */
import type { Model, ModelAnswer, ModelRequest } from "@retinue/model/contract";
import type { AssistantPart, ErrorValue, RecordedBody, RetinueEvent, RunResult } from "@retinue/protocol";
import { NO_USAGE, RetinueError, toErrorValue } from "@retinue/protocol";
import type { Breach } from "../limits/allowance.ts";
import { allowTurn, createRunPurse, handInAmounts, spentBy, workMs } from "../limits/allowance.ts";
import { contextLimit } from "../context/context-limit.ts";
import { createDeltaRedaction } from "../record/delta-redaction.ts";
import { createRequestDigest } from "../record/digest.ts";
import { estimateText } from "../context/estimate.ts";
import { fitContext } from "../context/fit-context.ts";
import type { LiveRun } from "./live-run.ts";
import { createOutbox } from "./outbox.ts";
import { findMisfit } from "./output.ts";
import type { Ports } from "./ports.ts";
import type { Purse } from "../limits/purse.ts";
import { keepBack, reserve } from "../limits/purse.ts";
import { createRecorder } from "../record/recorder.ts";
import { isStuck } from "./repetition.ts";
import type { RunState } from "../record/run-state.ts";
import { cancelTurn, settleTurn } from "./settle-turn.ts";
import { createStopHooks } from "./stop-hooks.ts";
import { createStopwatch } from "../limits/stopwatch.ts";
import type { Ending } from "./to-result.ts";
import { limitEnding, toResult } from "./to-result.ts";
import { toDeclaration } from "./tool.ts";

export type LoopOptions = {
  readonly state: RunState;
  readonly ports: Ports;
  readonly signal: AbortSignal;
  /** Of the run, inside its parent's; a run without one gets its own. */
  readonly purse?: Purse;
  /** Of the lease under which this loop writes. */
  readonly epoch: number;
  readonly resumed: boolean;
};

type EventBody<T extends RecordedBody["type"]> = Extract<RecordedBody, { readonly type: T }>;

const TIME_IS_UP = new RetinueError("limit_reached", "The run's time is up.");
const ABANDONED = new RetinueError("cancelled", "The run was abandoned.");

/** The loop itself. `send` is given each event at once. */
export const driveRun = async (
  { state, ports, signal, purse = createRunPurse(state.spec, null, spentBy(state)), epoch, resumed }: LoopOptions,
  send: (event: RetinueEvent) => void,
): Promise<RunResult> => {
  const { durationMs } = state.spec.limits;
  const watch = createStopwatch(ports.clock, state.used.activeMs);
  const stop = new AbortController();
  const onCancel = (): void => stop.abort(signal.reason);
  const run: LiveRun = {
    ...createRecorder(state, ports, send),
    state,
    ports,
    purse,
    watch,
    cancelled: signal,
    stopped: stop.signal,
    onStop: createStopHooks(stop.signal),
  };
  const ask = createAsk(run);
  if (signal.aborted) onCancel();
  else signal.addEventListener("abort", onCancel, { once: true });
  run.note({ type: "run.started", epoch, resumed });
  const takeBackDeadline = durationMs === undefined ? null : watch.at(workMs(durationMs), () => stop.abort(TIME_IS_UP));
  try {
    let ending: Ending | null = null;
    while (!ending) {
      if (signal.aborted) ending = cancel(run);
      else if (state.turn) await settleTurn(run);
      else if (!takeMessages(run)) ending = (await settleOrWait(run)) ?? (await ask());
    }
    const stopping = ports.stopBelow?.();
    if (stopping) {
      await run.flush();
      await stopping;
    }
    if (ports.bringBack) {
      // Waiting for others is none of the agent's work.
      watch.pause();
      for await (const body of ports.bringBack(ending.status, signal)) {
        run.note(body);
        await run.flush();
      }
      watch.resume();
    }
    const result = run.clean(toResult(state, ending, watch.activeMs()));
    run.note({ type: "run.settled", result });
    await run.flush();
    return result;
  } finally {
    takeBackDeadline?.();
    signal.removeEventListener("abort", onCancel);
    // What is still under way when the loop itself failed has nobody to answer to.
    if (!state.result) stop.abort(ABANDONED);
  }
};

/** Yields what happens in the run, and gives its result. Whoever stops listening before the end has stopped the run. */
export async function* runLoop(options: LoopOptions): AsyncGenerator<RetinueEvent, RunResult> {
  const outbox = createOutbox<RetinueEvent>();
  const left = new AbortController();
  const { emit } = options.ports;
  const work = driveRun(
    {
      ...options,
      signal: AbortSignal.any([options.signal, left.signal]),
      ports: {
        ...options.ports,
        emit: (drafts) => {
          if (left.signal.aborted) throw ABANDONED;
          return emit(drafts);
        },
      },
    },
    outbox.put,
  ).finally(outbox.end);
  // Its failure is thrown where it is awaited, if anybody still waits.
  work.catch(() => undefined);
  try {
    while (!outbox.isEnded()) {
      for (const event of outbox.take()) yield event;
      if (!outbox.isEnded()) await outbox.changed();
    }
    return await work;
  } finally {
    left.abort(ABANDONED);
  }
}

/** What was said to the run since it last looked becomes part of its conversation. False where there was nothing. */
const takeMessages = ({ state, ports, note }: LiveRun): boolean => {
  if (state.limit || state.failure) return false;
  const messages = ports.takeMessages?.() ?? [];
  for (const message of messages) note(message);
  return messages.length > 0;
};

/** The ending that the state has come to; but a run whose sub-agents are still at work in the background waits to hear from them. */
const settleOrWait = async (run: LiveRun): Promise<Ending | null> => {
  const ending = endingOf(run.state);
  if (ending?.status !== "completed") return ending;
  const waiting = run.ports.waitForMessages?.(run.stopped);
  if (waiting) {
    await run.flush();
    await waiting;
    if (!run.stopped.aborted && takeMessages(run)) return null;
  }
  const rejection = await findRejection(run);
  if (!rejection) return ending;
  run.note(rejection);
  return endingOf(run.state);
};

/** Whether the result fits its schema and is accepted by what must accept it. */
const findRejection = async ({ state, ports, flush, stopped }: LiveRun): Promise<EventBody<"result.rejected"> | null> => {
  const { output, accept } = state.spec;
  const misfit = output ? findMisfit(output, state.lastText) : null;
  if (misfit !== null) return { type: "result.rejected", by: "schema", reason: misfit };
  if (!accept || !ports.accept) return null;
  await flush();
  const refusal = await ports.accept(accept, state, stopped);
  return refusal === null ? null : { type: "result.rejected", by: "accept", reason: refusal };
};

/** How the run ends, if its state says that it does. */
const endingOf = (state: RunState): Ending | null => {
  if (state.failure) return { status: "failed", bailoutReason: "error", error: state.failure };
  if (state.limit && state.handedIn) return limitEnding(state);
  if (state.answered) return { status: "completed" };
  if (!state.limit && isStuck(state.recentCalls))
    return {
      status: "failed",
      bailoutReason: "stuck",
      error: { code: "stuck", message: "The agent repeated the same calls with the same outcome." },
    };
  return null;
};

const cancel = (run: LiveRun): Ending => {
  cancelTurn(run);
  const { reason } = run.cancelled;
  const message = reason instanceof RetinueError ? reason.message : "The run was cancelled.";
  return { status: "cancelled", bailoutReason: "cancelled", error: { code: "cancelled", message } };
};

/** One turn: fit the context, ask the model, record its answer. The turn gives an ending when none can be had any more. */
const createAsk = (run: LiveRun): (() => Promise<Ending | null>) => {
  const { state, ports, note, flush, show, watch } = run;
  const { spec } = state;
  const models = [spec.model, ...spec.fallbacks];
  const declarations = [...ports.tools.values()].map(toDeclaration);
  const digest = createRequestDigest(spec.system, declarations);
  const fixedTokens = estimateText(spec.system) + estimateText(JSON.stringify(declarations));
  /** Learned from a provider that refused a request as too large. */
  let realWindow = Infinity;
  let resolved: { readonly name: string; readonly model: Model } | null = null;

  const unmeasuredTokens = (): number => (state.measured ? 0 : fixedTokens);

  const fail = (model: string, error: ErrorValue, next: string | null = models[state.modelIndex + 1] ?? null): null => {
    note({ type: "model.failed", step: state.used.iterations + 1, model, error, next });
    return null;
  };

  /** The next turn is the last one; if this already was, the run ends here. */
  const reach = (breach: Breach): Ending | null => {
    if (state.limit) return limitEnding(state);
    note({ type: "limit.reached", ...breach });
    return null;
  };

  return async () => {
    const name = models[state.modelIndex] ?? spec.model;
    const handIn = state.limit !== null;
    let model: Model;
    try {
      model = resolved?.name === name ? resolved.model : await ports.model(name);
      resolved = { name, model };
    } catch (thrown) {
      return fail(name, toErrorValue(thrown));
    }
    if (spec.limits.costUsd !== undefined && model.price(NO_USAGE) === null)
      return fail(name, { code: "price_unknown", message: `limits.costUsd is set, but no price is known for ${name}.` });

    const limitTokens = Math.min(contextLimit(spec, model.contextWindow), realWindow);
    const fits = await fitContext(run, { model, limitTokens, unmeasuredTokens: unmeasuredTokens() });
    const requestTokens = state.contextTokens + unmeasuredTokens();
    if (!fits) {
      if (!handIn) note({ type: "limit.reached", limit: "contextTokens", used: requestTokens, max: limitTokens });
      return limitEnding(state);
    }
    const allowance = allowTurn({ state, purse: run.purse, model, requestTokens, activeMs: watch.activeMs(), handIn });
    if (allowance.type === "breach") return reach(allowance.breach);
    // Before anything is waited for: whoever asks beside it must find it taken.
    const reservation = reserve(run.purse, allowance.most);

    const step = state.used.iterations + 1;
    const request: ModelRequest = {
      system: spec.system,
      messages: [...state.messages],
      tools: declarations,
      toolChoice: handIn ? "none" : "auto",
      ...(spec.temperature === undefined ? {} : { temperature: spec.temperature }),
      ...(allowance.maxOutputTokens === undefined ? {} : { maxOutputTokens: allowance.maxOutputTokens }),
    };
    note({
      type: "model.requested",
      step,
      model: name,
      estimatedTokens: requestTokens,
      digest: digest(request.messages),
      handIn,
    });
    await flush();
    const deadline = createTurnDeadline(run);
    const deltas = ports.redactor && createDeltaRedaction(ports.redactor);
    let answer: ModelAnswer | null = null;
    try {
      for await (const chunk of model.stream(request, deadline.signal)) {
        switch (chunk.type) {
          case "text":
          case "reasoning":
          case "tool-input": {
            const text = deltas ? deltas.push(chunk.type, chunk.text) : chunk.text;
            if (!deltas || text !== "") show({ type: "model.delta", step, kind: chunk.type, text });
            break;
          }
          case "retry":
            deltas?.reset();
            show({
              type: "model.retrying",
              step,
              model: name,
              attempt: chunk.attempt,
              waitMs: chunk.waitMs,
              error: chunk.error,
            });
            break;
          case "answer":
            answer = chunk;
            break;
          default:
            chunk satisfies never;
        }
      }
      for (const rest of deltas?.end() ?? []) show({ type: "model.delta", step, ...rest });
      if (!answer) throw new RetinueError("model_stream_incomplete", `${name} ended its stream without an answer.`);
    } catch (thrown) {
      if (run.cancelled.aborted) return null;
      if (deadline.signal.aborted)
        return reach({ limit: "durationMs", used: Math.round(watch.activeMs()), max: spec.limits.durationMs ?? 0 });
      const error = toErrorValue(thrown);
      if (error.code !== "model_context_overflow" || realWindow < Infinity) return fail(name, error);
      realWindow = Math.floor(requestTokens * 0.8);
      return fail(name, error, name);
    } finally {
      deadline.takeBack();
      if (!answer) reservation.settle({});
    }
    const { finishReason, usage, costUsd } = answer;
    reservation.settle({ iterations: handIn ? 0 : 1, tokens: usage.input + usage.output, costUsd: costUsd ?? 0 });
    const content = withUniqueIds(run.clean(answer.content), step, state.callIds);
    keepBack(run.purse, handInAmounts(model, usage.input + usage.output));
    note({ type: "model.answered", step, model: name, content, finishReason, usage, costUsd, activeMs: watch.activeMs() });
    return null;
  };
};

type TurnDeadline = { readonly signal: AbortSignal; readonly takeBack: () => void };

/** A turn ends with the run's working time; a hand-in turn has what was kept back of the whole. */
const createTurnDeadline = ({ state, watch, cancelled, stopped }: LiveRun): TurnDeadline => {
  const { durationMs } = state.spec.limits;
  if (!state.limit || durationMs === undefined) return { signal: state.limit ? cancelled : stopped, takeBack: () => undefined };
  const stop = new AbortController();
  const takeBack = watch.at(durationMs, () => stop.abort(TIME_IS_UP));
  return { signal: AbortSignal.any([cancelled, stop.signal]), takeBack };
};

/** Results are paired with calls by id, so that a missing id, or one that was there before, is replaced. */
const withUniqueIds = (content: readonly AssistantPart[], step: number, taken: ReadonlySet<string>): readonly AssistantPart[] => {
  const ids = new Set<string>();
  return content.map((part, index) => {
    if (part.type !== "tool-call") return part;
    const callId = part.callId === "" || taken.has(part.callId) || ids.has(part.callId) ? `call_${step}_${index}` : part.callId;
    ids.add(callId);
    return callId === part.callId ? part : { ...part, callId };
  });
};
