/** What asks the models of one run, turn by turn: the models in their order, and the record of one that failed. */
import type { Model, ModelRequest, ToolDeclaration } from "@retinue/model/contract";
import type { ErrorValue, RequestDigest } from "@retinue/protocol";
import type { LiveRun } from "./live-run.ts";

export type Asker = LiveRun & {
  readonly declarations: readonly ToolDeclaration[];
  readonly digest: (messages: ModelRequest["messages"]) => RequestDigest;
  /** Of system prompt and tools. */
  readonly fixedTokens: number;
  resolved: { readonly name: string; readonly model: Model } | null;
  /** While all models of the turn are away. */
  outage: { readonly sinceMs: number; readonly tries: number } | null;
};

/** The model whose turn it is: the run's own, or one of its fallbacks. */
export const currentModel = ({ state: { spec, modelIndex } }: LiveRun): string =>
  modelIndex === 0 ? spec.model : (spec.fallbacks[modelIndex - 1] ?? spec.model);

/** The model itself may stand among its fallbacks, too, where it is the user's default: one that failed is not its own fallback. */
export const nextModel = ({ state: { spec, modelIndex } }: Asker): string | null => {
  const models = [spec.model, ...spec.fallbacks];
  return models.find((name, index) => index > modelIndex && models.indexOf(name) === index) ?? null;
};

/** Records that a model failed, and which is asked next. */
export const recordFailure = (
  asker: Asker,
  model: string,
  error: ErrorValue,
  next = nextModel(asker),
  learnedWindow?: number,
): null => {
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
