/** One turn with the model: resolve it, fit the context, see whether the turn may be made, ask, record the answer. */
import type { Model, ModelAnswer, ModelRequest } from "@retinue/model/contract";
import type { AssistantPart, ErrorValue } from "@retinue/protocol";
import { NO_USAGE, toErrorValue } from "@retinue/protocol";
import { contextLimit } from "../context/context-limit.ts";
import { estimateText } from "../context/estimate.ts";
import { compactEarlier, fitContext } from "../context/fit-context.ts";
import type { Breach, TurnAllowance } from "../limits/allowance.ts";
import { allowTurn, handInAmounts } from "../limits/allowance.ts";
import { keepBack, reserve } from "../limits/purse.ts";
import { createRequestDigest } from "../record/digest.ts";
import type { Asker } from "./asker.ts";
import { currentModel, nextModel, recordFailure } from "./asker.ts";
import type { LiveRun } from "./live-run.ts";
import { meetOutage } from "./meet-outage.ts";
import { isAway } from "./outage.ts";
import { streamAnswer } from "./stream-answer.ts";
import type { Ending } from "./to-result.ts";
import { finishEnding, limitEnding } from "./to-result.ts";
import { toDeclaration } from "./tool.ts";
import { createTurnDeadline } from "./turn-deadline.ts";

/** The function returned makes one turn. It gives an ending when no turn can be made any more. */
export const createAsk = (run: LiveRun): (() => Promise<Ending | null>) => {
  const { spec } = run.state;
  const declarations = Array.from(run.ports.tools.values(), toDeclaration);
  const declared = JSON.stringify(declarations);
  const asker: Asker = {
    ...run,
    declarations,
    digest: createRequestDigest(spec.system, declared),
    fixedTokens: estimateText(spec.system) + estimateText(declared),
    resolved: null,
    outage: null,
  };
  return () => ask(asker);
};

const ask = async (asker: Asker): Promise<Ending | null> => {
  const { state, watch, purse } = asker;
  const name = currentModel(asker);
  const model = asker.resolved?.name === name ? asker.resolved.model : await resolve(asker, name);
  if (!model) return null;
  const handIn = isHandIn(asker);
  const limitTokens = Math.min(contextLimit(state.spec, model.contextWindow), state.learnedWindows.get(name) ?? Infinity);
  const unmeasuredTokens = state.measured ? 0 : asker.fixedTokens;
  if (state.spec.compact === true) {
    const compacted = await compactEarlier(asker, { model, limitTokens, unmeasuredTokens });
    if (compacted.type === "away") return failModel(asker, name, compacted.error);
  }
  const fitting =
    state.contextTokens + unmeasuredTokens <= limitTokens
      ? undefined
      : await fitContext(asker, { model, limitTokens, unmeasuredTokens });
  if (fitting?.type === "away") return failModel(asker, name, fitting.error);
  const requestTokens = state.contextTokens + (state.measured ? 0 : asker.fixedTokens);
  if (fitting?.type === "tooLarge") {
    if (!state.limit) asker.note({ type: "limit.reached", limit: "contextTokens", used: requestTokens, max: limitTokens });
    return limitEnding(state);
  }
  const allowance = allowTurn({ state, purse, model, requestTokens, activeMs: watch.activeMs(), handIn });
  if (allowance.type === "breach") return reach(asker, allowance.breach);
  const turn: Turn = { name, model, requestTokens, handIn, allowance };
  return endTurn(asker, turn, await askOnce(asker, turn));
};

/** The last turn, without tools, in which the agent hands in what it has. */
const isHandIn = ({ state }: LiveRun): boolean => state.limit !== null || state.finishing;

/** The model of the turn; null where it cannot be had, which is recorded. */
const resolve = async (asker: Asker, name: string): Promise<Model | null> => {
  const { ports, state } = asker;
  let model: Model;
  try {
    model = await ports.model(name);
  } catch (thrown) {
    recordFailure(asker, name, toErrorValue(thrown));
    return null;
  }
  if (state.spec.limits.costUsd === undefined || model.price(NO_USAGE) !== null) {
    asker.resolved = { name, model };
    return model;
  }
  recordFailure(asker, name, { code: "price_unknown", message: `limits.costUsd is set, but no price is known for ${name}.` });
  return null;
};

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

/** What came of a request: an answer, a failure, or nothing where the run was cancelled meanwhile or has no time left. */
type Outcome = ModelAnswer | { readonly type: "failed"; readonly error: ErrorValue } | { readonly type: "cancelled" | "timeUp" };

/** What the outcome of a turn means for the run. */
const endTurn = (asker: Asker, turn: Turn, outcome: Outcome): Ending | null | Promise<null> => {
  const { state, watch } = asker;
  switch (outcome.type) {
    case "answer":
      asker.outage = null;
      return null;
    case "failed":
      return failTurn(asker, turn, outcome.error);
    case "cancelled":
      return null;
    case "timeUp":
      return reach(asker, {
        limit: "durationMs",
        used: Math.round(watch.activeMs()),
        max: state.spec.limits.durationMs ?? 0,
      });
    default:
      return outcome satisfies never;
  }
};

/** Reserves what the turn may use, records the request, streams the answer and records that. */
const askOnce = async (asker: Asker, turn: Turn): Promise<Outcome> => {
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
  const recording = asker.flush();
  if (recording) await recording;
  const deadline = createTurnDeadline(asker);
  let answer: ModelAnswer | null = null;
  try {
    answer = await streamAnswer(asker, { name, model, step, request, signal: deadline.signal });
  } catch (thrown) {
    if (asker.cancelled.aborted) return { type: "cancelled" };
    return deadline.signal.aborted ? { type: "timeUp" } : { type: "failed", error: toErrorValue(thrown) };
  } finally {
    deadline.takeBack();
    if (!answer) reservation.settle({});
  }
  const { finishReason, usage, costUsd, leftOut } = answer;
  const tokens = usage.input + usage.output;
  reservation.settle({ iterations: handIn ? 0 : 1, tokens, costUsd: costUsd ?? 0, usage, unpriced: costUsd === null });
  const content = withUniqueIds(asker.clean(answer.content), step, state.callIds);
  note({
    type: "model.answered",
    step,
    model: name,
    content,
    finishReason,
    usage,
    costUsd,
    ...(leftOut === undefined ? {} : { leftOut }),
    ...(finishReason === "length" && allowance.cappedBy !== undefined ? { cutBy: allowance.cappedBy } : {}),
    activeMs: watch.activeMs(),
  });
  keepBack(asker.purse, handInAmounts(model, state.turnTokens));
  return answer;
};

/** As long as providers take. */
const CACHE_KEY_CHARS = 64;

const toRequest = ({ state, declarations }: Asker, { handIn, allowance }: Turn): ModelRequest => ({
  system: state.spec.system,
  ...(state.spec.sharedChars === undefined ? {} : { sharedChars: state.spec.sharedChars }),
  messages: [...state.messages],
  tools: declarations,
  toolChoice: handIn ? "none" : "auto",
  cacheKey: `${state.identity.sessionId} ${state.identity.agent}`.slice(0, CACHE_KEY_CHARS),
  ...(state.spec.thinking === undefined ? {} : { thinking: state.spec.thinking }),
  ...(state.spec.temperature === undefined ? {} : { temperature: state.spec.temperature }),
  ...(allowance.maxOutputTokens === undefined ? {} : { maxOutputTokens: allowance.maxOutputTokens }),
});

/** A request that was too large teaches the model's window, once a model. */
const failTurn = async (asker: Asker, { name, requestTokens }: Turn, error: ErrorValue): Promise<null> => {
  const { state } = asker;
  if (error.code === "model_context_overflow" && !state.learnedWindows.has(name))
    return recordFailure(asker, name, error, name, Math.floor(requestTokens * 0.8));
  return failModel(asker, name, error);
};

/** The next model is asked. Where every one is away, the run waits for one. */
const failModel = async (asker: Asker, name: string, error: ErrorValue): Promise<null> => {
  const next = nextModel(asker);
  const hasAnswered = asker.state.used.iterations > 0 || asker.ports.hasAnswered?.(name) === true;
  return next === null && isAway(error.code, hasAnswered)
    ? meetOutage(asker, name, error)
    : recordFailure(asker, name, error, next);
};

/** Keeps back what the run needs to hand in, as its last answer left it. */
export const keepHandInBack = async (run: LiveRun): Promise<void> => {
  const { state, ports, purse } = run;
  if (state.turnTokens === 0) return;
  const name = currentModel(run);
  try {
    keepBack(purse, handInAmounts(await ports.model(name), state.turnTokens));
  } catch {
    // A model that cannot be had any more is told of where it is asked.
  }
};

/** Results are paired with calls by id, so that a missing id, or one that was there before, is replaced. */
const withUniqueIds = (content: readonly AssistantPart[], step: number, taken: ReadonlySet<string>): readonly AssistantPart[] => {
  if (content.length < 2 && !content.some((part) => part.type === "tool-call" && (part.callId === "" || taken.has(part.callId))))
    return content;
  const ids = new Set<string>();
  return content.map((part, index) => {
    if (part.type !== "tool-call") return part;
    const callId = part.callId === "" || taken.has(part.callId) || ids.has(part.callId) ? `call_${step}_${index}` : part.callId;
    ids.add(callId);
    return callId === part.callId ? part : { ...part, callId };
  });
};
