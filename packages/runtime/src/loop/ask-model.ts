/** One turn with the model: resolve it, fit the context, see whether the turn may be made, ask, record the answer. */
import type { Model, ModelAnswer, ModelRequest, ToolDeclaration } from "@retinue/model/contract";
import type { AssistantPart, ErrorValue, RequestDigest } from "@retinue/protocol";
import { NO_USAGE, RetinueError, toErrorValue } from "@retinue/protocol";
import { contextLimit } from "../context/context-limit.ts";
import { estimateText } from "../context/estimate.ts";
import { fitContext } from "../context/fit-context.ts";
import type { Breach, TurnAllowance } from "../limits/allowance.ts";
import { allowTurn, handInAmounts } from "../limits/allowance.ts";
import { keepBack, reserve } from "../limits/purse.ts";
import { createDeltaRedaction } from "../record/delta-redaction.ts";
import { createRequestDigest } from "../record/digest.ts";
import type { LiveRun } from "./live-run.ts";
import { LeftOpen } from "./parked.ts";
import type { Ending } from "./to-result.ts";
import { finishEnding, limitEnding } from "./to-result.ts";
import { toDeclaration } from "./tool.ts";

export const TIME_IS_UP = new RetinueError("limit_reached", "The run's time is up.");

/** What stays the same from turn to turn. */
type Asker = LiveRun & {
  readonly declarations: readonly ToolDeclaration[];
  readonly digest: (messages: ModelRequest["messages"]) => RequestDigest;
  /** Of system prompt and tools. */
  readonly fixedTokens: number;
  resolved: { readonly name: string; readonly model: Model } | null;
};

/** The function returned makes one turn. It gives an ending when no turn can be made any more. */
export const createAsk = (run: LiveRun): (() => Promise<Ending | null>) => {
  const { spec } = run.state;
  const declarations = [...run.ports.tools.values()].map(toDeclaration);
  const asker: Asker = {
    ...run,
    declarations,
    digest: createRequestDigest(spec.system, declarations),
    fixedTokens: estimateText(spec.system) + estimateText(JSON.stringify(declarations)),
    resolved: null,
  };
  return () => ask(asker);
};

const ask = async (asker: Asker): Promise<Ending | null> => {
  const { state, watch, purse } = asker;
  const name = modelsOf(asker)[state.modelIndex] ?? state.spec.model;
  const model = await resolve(asker, name);
  if (!model) return null;
  const handIn = isHandIn(asker);
  const limitTokens = Math.min(contextLimit(state.spec, model.contextWindow), state.learnedWindows.get(name) ?? Infinity);
  const unmeasuredTokens = state.measured ? 0 : asker.fixedTokens;
  const fits = await fitContext(asker, { model, limitTokens, unmeasuredTokens });
  const requestTokens = state.contextTokens + (state.measured ? 0 : asker.fixedTokens);
  if (!fits) {
    if (!state.limit) asker.note({ type: "limit.reached", limit: "contextTokens", used: requestTokens, max: limitTokens });
    return limitEnding(state);
  }
  const allowance = allowTurn({ state, purse, model, requestTokens, activeMs: watch.activeMs(), handIn });
  if (allowance.type === "breach") return reach(asker, allowance.breach);
  return askAllowed(asker, { name, model, requestTokens, handIn, allowance });
};

const modelsOf = ({ state: { spec } }: LiveRun): readonly string[] => [spec.model, ...spec.fallbacks];

/** The last turn, without tools, in which the agent hands in what it has. */
const isHandIn = ({ state }: LiveRun): boolean => state.limit !== null || state.finishing;

/** The model of the turn; null where it cannot be had, which is recorded. */
const resolve = async (asker: Asker, name: string): Promise<Model | null> => {
  const { ports, state } = asker;
  let model: Model;
  try {
    model = asker.resolved?.name === name ? asker.resolved.model : await ports.model(name);
  } catch (thrown) {
    fail(asker, name, toErrorValue(thrown));
    return null;
  }
  asker.resolved = { name, model };
  if (state.spec.limits.costUsd === undefined || model.price(NO_USAGE) !== null) return model;
  fail(asker, name, { code: "price_unknown", message: `limits.costUsd is set, but no price is known for ${name}.` });
  return null;
};

const fail = (asker: Asker, model: string, error: ErrorValue, next = nextModel(asker), learnedWindow?: number): null => {
  asker.note({
    type: "model.failed",
    step: asker.state.used.iterations + 1,
    model,
    error,
    next,
    ...(learnedWindow === undefined ? {} : { learnedWindow }),
  });
  return null;
};

const nextModel = (asker: Asker): string | null => modelsOf(asker)[asker.state.modelIndex + 1] ?? null;

/** The next turn is the last one; if this already was, the run ends here. */
const reach = ({ state, note }: Asker, breach: Breach): Ending | null => {
  if (state.limit) return limitEnding(state);
  if (state.finishing) return finishEnding(state);
  note({ type: "limit.reached", ...breach });
  return null;
};

type Turn = {
  readonly name: string;
  readonly model: Model;
  readonly requestTokens: number;
  readonly handIn: boolean;
  readonly allowance: Extract<TurnAllowance, { readonly type: "allowed" }>;
};

const askAllowed = async (asker: Asker, turn: Turn): Promise<Ending | null> => {
  const { state, watch, note } = asker;
  const { name, model, handIn, allowance } = turn;
  // Before anything is waited for: whoever asks beside it must find it taken.
  const reservation = reserve(asker.purse, allowance.most);
  const step = state.used.iterations + 1;
  const request = toRequest(asker, turn);
  note({
    type: "model.requested",
    step,
    model: name,
    estimatedTokens: turn.requestTokens,
    digest: asker.digest(request.messages),
    handIn,
  });
  await asker.flush();
  const deadline = createTurnDeadline(asker);
  let answer: ModelAnswer | null = null;
  try {
    answer = await stream(asker, { name, model, step, request, signal: deadline.signal });
  } catch (thrown) {
    if (asker.cancelled.aborted) return null;
    if (deadline.signal.aborted)
      return reach(asker, {
        limit: "durationMs",
        used: Math.round(watch.activeMs()),
        max: state.spec.limits.durationMs ?? 0,
      });
    return failTurn(asker, turn, toErrorValue(thrown));
  } finally {
    deadline.takeBack();
    if (!answer) reservation.settle({});
  }
  const { finishReason, usage, costUsd } = answer;
  const tokens = usage.input + usage.output;
  reservation.settle({ iterations: handIn ? 0 : 1, tokens, costUsd: costUsd ?? 0, usage, unpriced: costUsd === null });
  const content = withUniqueIds(asker.clean(answer.content), step, state.callIds);
  note({ type: "model.answered", step, model: name, content, finishReason, usage, costUsd, activeMs: watch.activeMs() });
  keepBack(asker.purse, handInAmounts(model, state.turnTokens));
  return null;
};

const toRequest = ({ state, declarations }: Asker, { handIn, allowance }: Turn): ModelRequest => ({
  system: state.spec.system,
  messages: [...state.messages],
  tools: declarations,
  toolChoice: handIn ? "none" : "auto",
  ...(state.spec.temperature === undefined ? {} : { temperature: state.spec.temperature }),
  ...(allowance.maxOutputTokens === undefined ? {} : { maxOutputTokens: allowance.maxOutputTokens }),
});

/** A request that was too large teaches the model's window, once a model. A server that is away leaves the run open. */
const failTurn = (asker: Asker, { name, requestTokens }: Turn, error: ErrorValue): null => {
  const { state } = asker;
  if (error.code === "model_context_overflow" && !state.learnedWindows.has(name))
    return fail(asker, name, error, name, Math.floor(requestTokens * 0.8));
  const next = nextModel(asker);
  if (error.code === "model_unreachable" && next === null && asker.ports.leaveWhenUnreachable === true)
    throw new LeftOpen(`The model server cannot be reached: ${error.message}`, {
      hint: "The run is open. Resume it when the server is back: `retinue sessions resume`.",
      cause: error,
    });
  return fail(asker, name, error, next);
};

type Streamed = {
  readonly name: string;
  readonly model: Model;
  readonly step: number;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
};

/** Shows what is streamed, without secrets, and gives the whole answer. */
const stream = async (asker: Asker, { name, model, step, request, signal }: Streamed): Promise<ModelAnswer> => {
  const { ports, show } = asker;
  const deltas = ports.redactor && createDeltaRedaction(ports.redactor);
  let answer: ModelAnswer | null = null;
  for await (const chunk of model.stream(request, signal)) {
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
  return answer;
};

/** Keeps back what the run needs to hand in, as its last answer left it. */
export const keepHandInBack = async (run: LiveRun): Promise<void> => {
  const { state, ports, purse } = run;
  if (state.turnTokens === 0) return;
  const name = modelsOf(run)[state.modelIndex] ?? state.spec.model;
  try {
    keepBack(purse, handInAmounts(await ports.model(name), state.turnTokens));
  } catch {
    // A model that cannot be had any more is told of where it is asked.
  }
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
