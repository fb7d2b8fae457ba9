/** A turn: what the model was asked, says, and called. What was streamed is replaced by what is recorded. */
import type { EventOf } from "@retinue/protocol";
import { toPossibleSpent } from "@retinue/protocol";
import type { StepView } from "./session-view.ts";
import { callOf, listOf, type RunCell, type SessionCell, type Writable } from "./run-cell.ts";
import { book, toSpending } from "./run-tree.ts";

type StepEvent = { readonly step: number; readonly model: string; readonly at: string };

/** Steps are counted without gaps, from 1 or from where the view begins; any other order is looked for. */
const findStep = ({ view: { steps } }: RunCell, step: number): Writable<StepView> | undefined => {
  const [first] = steps;
  if (first === undefined) return undefined;
  const usual = steps[step - first.step];
  return usual?.step === step ? usual : steps.findLast((one) => one.step === step);
};

const stepOf = (cell: RunCell, { step, model, at }: StepEvent): Writable<StepView> => {
  const known = findStep(cell, step);
  if (known !== undefined) return known;
  const made: StepView = {
    step,
    state: "asked",
    model,
    handIn: false,
    askedAt: at,
    endedAt: null,
    text: "",
    reasoning: "",
    toolInput: "",
    retrying: null,
    calls: [],
    failures: [],
    finishReason: null,
    usage: null,
    costUsd: null,
  };
  listOf(cell.view.steps).push(made);
  return made;
};

const voidStreamed = (step: Writable<StepView>): void => {
  step.text = "";
  step.reasoning = "";
  step.toolInput = "";
  step.retrying = null;
};

/** A step that was asked before is asked again: by a fallback, or after a crash. */
export const applyAsked = (cell: RunCell, event: EventOf<"model.requested">): void => {
  const step = stepOf(cell, event);
  voidStreamed(step);
  step.state = "asked";
  step.model = event.model;
  step.handIn = event.handIn;
  step.askedAt = event.at;
  step.endedAt = null;
  cell.view.model = event.model;
  // Whoever is asked again has the conversation again.
  cell.view.transferredTo = null;
  cell.view.contextTokens = event.estimatedTokens;
};

export const applyAnswered = (session: SessionCell, cell: RunCell, event: EventOf<"model.answered">): void => {
  const step = stepOf(cell, event);
  const { finishReason } = event;
  const { usage, costUsd } = toPossibleSpent(event);
  voidStreamed(step);
  step.state = "answered";
  step.model = event.model;
  step.endedAt = event.at;
  step.finishReason = finishReason;
  step.usage = usage;
  step.costUsd = costUsd;
  for (const part of event.content) {
    if (part.type === "text") step.text += part.text;
    else if (part.type === "reasoning") step.reasoning += part.text;
    else {
      const call = callOf(cell, part.callId, part.tool);
      call.arguments = part.arguments;
      if (call.step === null) listOf(step.calls).push(call);
      call.step = event.step;
    }
  }
  cell.view.activeMs = Math.max(cell.view.activeMs, event.activeMs);
  if (usage.input > 0) cell.view.contextTokens = usage.input + usage.output;
  book(session, cell, toSpending(event, 1, cell.view.isFinishing ? 0 : 1));
};

export const applyFailed = (cell: RunCell, event: EventOf<"model.failed">): void => {
  const { seq, at, model, error, next } = event;
  const step = stepOf(cell, event);
  voidStreamed(step);
  listOf(step.failures).push({ model, error, next });
  listOf(cell.view.errors).push({ seq, at, from: "model", name: model, error });
  if (next !== null) return;
  step.state = "failed";
  step.endedAt = at;
};

/** False where it came too late, or of a step that nobody was asked: what is recorded stands. */
export const applyDelta = (cell: RunCell, { step: number, kind, text }: EventOf<"model.delta">): boolean => {
  const step = findStep(cell, number);
  if (step?.state !== "asked") return false;
  step.retrying = null;
  if (kind === "text") step.text += text;
  else if (kind === "reasoning") step.reasoning += text;
  else step.toolInput += text;
  return true;
};

/** False as with deltas. */
export const applyRetrying = (cell: RunCell, event: EventOf<"model.retrying">): boolean => {
  const step = findStep(cell, event.step);
  if (step?.state !== "asked") return false;
  voidStreamed(step);
  const { model, attempt, waitMs, error, giveUpAt } = event;
  step.retrying = { model, attempt, waitMs, error, ...(giveUpAt === undefined ? {} : { giveUpAt }) };
  return true;
};
