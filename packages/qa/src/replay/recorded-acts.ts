/**
 * What was done in a case that passed, as calls that can be made again without a model. Elements are named as they were perceived, by role and name; a reference
 * that held for one page only is never used again.
 */
import type { CallView, PlanView, RunView, SessionView } from "@retinue/client";
import type { GivenCall, Json, JsonObject } from "@retinue/protocol";
import type { KnownElement } from "@retinue/protocol/test-case";
import { parseMarks } from "@retinue/protocol/test-case";
import { stepNumberOf } from "../plan/to-plan.ts";

export type RecordedAct = GivenCall & {
  /** As Playwright writes it; null where the act was on no element. */
  readonly locator: string | null;
  /** What its element was known by; null where the act was on none, or it was not told. */
  readonly element: KnownElement | null;
};

export type RecordedActs = {
  /** By the number of the case's step. */
  readonly steps: ReadonlyMap<number, readonly RecordedAct[]>;
  /** Acts that cannot be made again, and why. */
  readonly lost: readonly string[];
};

/** They only look; what is expected is looked at anew. */
const LOOKS: ReadonlySet<string> = new Set([
  "browser_snapshot",
  "browser_take_screenshot",
  "browser_check",
  "command_check",
  "browser_close",
  "screenshot",
]);
/** They change nothing outside, and belong to how a page is acted upon. */
const KEPT: ReadonlySet<string> = new Set(["browser_wait", "browser_dialog", "browser_tabs"]);

const ELEMENT = /^Element: (.+)$/m;

export const readRecordedActs = (session: SessionView): RecordedActs => {
  const steps = new Map<number, RecordedAct[]>();
  const lost: string[] = [];
  for (const plan of carriedOut(session))
    for (const { step, runId, state } of plan.steps.values()) {
      const number = stepNumberOf(step.id);
      const run = runId === null ? undefined : session.runs.get(runId);
      if (number === null || !run || state !== "completed") continue;
      const acts = steps.get(number) ?? [];
      steps.set(number, acts);
      for (const call of actsOf(run)) {
        const act = toAct(call);
        if (act) acts.push(act);
        else lost.push(`step ${number}: ${call.tool} named its element by a reference that holds for one page only`);
      }
    }
  return { steps, lost };
};

const carriedOut = ({ roots }: SessionView): readonly PlanView[] =>
  roots.flatMap(({ plans }) => [...plans.values()]).filter(({ verdict }) => verdict !== null);

const actsOf = (run: RunView): readonly CallView[] =>
  [...run.calls.values()].filter(
    ({ tool, effect, outcome, aside }) =>
      outcome === "ok" && aside === null && !LOOKS.has(tool) && (KEPT.has(tool) || (effect !== null && effect !== "read")),
  );

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

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
