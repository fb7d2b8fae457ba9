/**
 * What was done in a case that passed, as calls that can be made again without a model. Elements are named as they were perceived, by role and name; a reference
 * that held for one page only is never used again.
 */
import type { CallView, PlanStepView, PlanView, RunView, SessionView } from "@retinue/client";
import type { GivenCall, Json, JsonObject } from "@retinue/protocol";
import type { KnownElement } from "@retinue/protocol/test-case";
import { parseMarks } from "@retinue/protocol/test-case";
import { isHealing } from "../judge/step-record.ts";
import { stepNumberOf } from "../plan/to-plan.ts";
import { actsOf } from "./acts-of-run.ts";

export type RecordedAct = GivenCall & {
  /** As Playwright writes it; null where the act was on no element. */
  readonly locator: string | null;
  /** What its element was known by; null where the act was on none, or it was not told. */
  readonly element: KnownElement | null;
};

export type RecordedActs = {
  /** By the number of the case's step. A step that only looked has none, and stands here all the same. */
  readonly steps: ReadonlyMap<number, readonly RecordedAct[]>;
  /** What agents did before and after the case, by the id of its step in the plan. */
  readonly hooks: ReadonlyMap<string, readonly RecordedAct[]>;
  /** Acts that cannot be made again, and why. */
  readonly lost: readonly string[];
};

const ELEMENT = /^Element: (.+)$/m;

export const readRecordedActs = (session: SessionView): RecordedActs => {
  const steps = new Map<number, RecordedAct[]>();
  const hooks = new Map<string, RecordedAct[]>();
  const lost: string[] = [];
  for (const plan of carriedOut(session))
    for (const view of plan.steps.values()) {
      const { id } = view.step;
      const number = stepNumberOf(id);
      const runs = view.state === "completed" ? runsOf(view, plan, session) : [];
      if (runs.length === 0) continue;
      const acts = number === null ? at(hooks, id) : at(steps, number);
      for (const call of runs.flatMap(actsOf)) {
        const act = toAct(call);
        if (act) acts.push(act);
        else lost.push(`step ${number ?? id}: ${call.tool} named its element by a reference that holds for one page only`);
      }
    }
  return { steps, hooks, lost };
};

const at = <K>(lists: Map<K, RecordedAct[]>, key: K): RecordedAct[] => {
  const known = lists.get(key) ?? [];
  lists.set(key, known);
  return known;
};

const carriedOut = ({ roots }: SessionView): readonly PlanView[] =>
  roots.flatMap(({ plans }) => [...plans.values()]).filter(({ verdict }) => verdict !== null);

/** An agent that healed a step went on where its calls had ended. */
const runsOf = (view: PlanStepView, plan: PlanView, session: SessionView): readonly RunView[] => {
  const run = view.runId === null ? undefined : session.runs.get(view.runId);
  if (!run) return [];
  const before = isHealing(view)
    ? [...session.runs.values()].find((one) => one.parentCallId === `${plan.callId}.${view.step.id}.1`)
    : undefined;
  return before ? [before, run] : [run];
};

const toAct = (call: CallView): RecordedAct | null => {
  const input = isObject(call.input) ? call.input : {};
  const text = call.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const locator = ELEMENT.exec(text)?.[1]?.trim() ?? null;
  const element = parseMarks(text);
  const made = { tool: call.tool, locator, element };
  const { ref, role, name, description, ...rest } = input;
  if ([ref, role, name, description].every((one) => one === undefined)) return { ...made, input };
  // As it was perceived, also where a call named only a part of it, or it was found in another way.
  if (element && element.name !== "") return { ...made, input: { ...rest, role: element.role, name: element.name } };
  const named = { ...(role === undefined ? {} : { role }), ...(name === undefined ? {} : { name }) };
  if (description !== undefined) return { ...made, input: { ...rest, ...named, description } };
  return role !== undefined || name !== undefined ? { ...made, input: { ...rest, ...named } } : null;
};

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
