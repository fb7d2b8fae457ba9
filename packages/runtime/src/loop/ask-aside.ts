/**
 * A model call beside a run's own turns: a summary, a question to a parent. It spends like any other, so it is reserved from the purse before it is
 * made and is not made where the purse cannot pay for it.
 */
import type { Model, ModelAnswer, ModelRequest } from "@retinue/model/contract";
import { RetinueError, toPossibleSpent } from "@retinue/protocol";
import type { Purse, Spending } from "../limits/purse.ts";
import { leftIn, reserve } from "../limits/purse.ts";

export type AsideRequest = {
  readonly purse: Purse;
  readonly model: Model;
  readonly request: Omit<ModelRequest, "maxOutputTokens" | "tools" | "toolChoice">;
  readonly requestTokens: number;
  /** What it may write at most; less where the purse has less. */
  readonly maxOutputTokens: number;
};

/** An answer shorter than this is not worth a call. */
const LEAST_OUTPUT = 64;

/** Throws `limit_reached` where the purse cannot pay for it. */
export const askAside = async (
  { purse, model, request, requestTokens, maxOutputTokens }: AsideRequest,
  signal: AbortSignal,
): Promise<ModelAnswer> => {
  const output = affordableOutput({ purse, model, requestTokens, maxOutputTokens });
  if (output < LEAST_OUTPUT)
    throw new RetinueError("limit_reached", `Not asked: what the run may still spend does not pay for a call to ${model.id}.`);
  const reservation = reserve(purse, { tokens: requestTokens + output, costUsd: priceOf(model, requestTokens, output) });
  let answer: ModelAnswer | null = null;
  try {
    const whole: ModelRequest = { ...request, tools: [], toolChoice: "none", maxOutputTokens: output };
    for await (const chunk of model.stream(whole, signal)) if (chunk.type === "answer") answer = toPossibleSpent(chunk);
    if (!answer) throw new RetinueError("model_stream_incomplete", `${model.id} ended its stream without an answer.`);
    return answer;
  } finally {
    reservation.settle(answer ? toSpending(answer) : {});
  }
};

const toSpending = ({ usage, costUsd }: ModelAnswer): Spending => ({
  tokens: usage.input + usage.output,
  costUsd: costUsd ?? 0,
  usage,
  unpriced: costUsd === null,
});

type Affordable = Pick<AsideRequest, "purse" | "model" | "requestTokens" | "maxOutputTokens">;

const affordableOutput = ({ purse, model, requestTokens, maxOutputTokens }: Affordable): number => {
  let output = Math.min(maxOutputTokens, leftIn(purse, "tokens").left - requestTokens);
  const { left } = leftIn(purse, "costUsd");
  if (left < Infinity) {
    if (model.price({ input: 1, output: 1, cached: 0, reasoning: 0 }) === null) return 0;
    while (output >= LEAST_OUTPUT && priceOf(model, requestTokens, output) > left) output = Math.floor(output / 2);
  }
  return Math.floor(output);
};

const priceOf = (model: Model, input: number, output: number): number =>
  model.price({ input, output, cached: 0, reasoning: 0 }) ?? 0;
