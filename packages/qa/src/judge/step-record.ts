/** What the record tells of one step of a case: the sub-tasks it was done in, the checks that were made after them, and what was said. */
import type { PlanStepView, PlanView, RunView, SessionView } from "@retinue/client";
import type { StepEnding } from "@retinue/protocol";
import { readEnding } from "@retinue/protocol";
import type { Checked } from "@retinue/protocol/test-case";
import { describeCheck, checkSchema, readCheckResult } from "@retinue/protocol/test-case";
import { textOfCall } from "./evidence.ts";

export type PartRecord = {
  readonly view: PlanStepView;
  /** The run of its last attempt; null where it was not begun, or made of calls alone. */
  readonly run: RunView | null;
  readonly checkRun: RunView | null;
  readonly checks: readonly Checked[];
  /** How many checks were asked for. */
  readonly wanted: number;
  /** What the agent's last message says in the form it was given. */
  readonly said: "pass" | "fail" | null;
  /** Why, in its own words. */
  readonly summary: string;
  readonly recovered: boolean;
};

/** Whether an agent did the step after calls that were recorded could not be made. */
export const isHealing = ({ step, attempt }: PlanStepView): boolean => step.calls !== undefined && attempt > 1;

export const readPart = (view: PlanStepView, plan: PlanView, session: SessionView): PartRecord => {
  const run = view.runId === null ? null : (session.runs.get(view.runId) ?? null);
  const callId = `${plan.callId}.${view.step.id}.${view.attempt}.checks`;
  const checkRun = [...session.runs.values()].find((one) => one.parentCallId === callId) ?? null;
  const checks = checkRun ? readChecks(checkRun) : [];
  const ending = run ? endingOf(run) : null;
  return {
    view,
    run,
    checkRun,
    checks,
    wanted: view.step.checks?.length ?? 0,
    said: ending?.status ?? null,
    summary: ending?.summary ?? run?.result?.error?.message ?? view.summary ?? "",
    recovered: view.decisions.some(({ decision }) => decision === "recover"),
  };
};

/** Only of a run that is completed, by the two lines that a step ends with; the loop has held it to them. */
const endingOf = ({ result }: RunView): StepEnding | null => (result?.status === "completed" ? readEnding(result.details) : null);

const readChecks = (run: RunView): readonly Checked[] =>
  [...run.calls.values()]
    .filter(({ state }) => state === "settled")
    .map((call) => {
      const text = textOfCall(call);
      const found = readCheckResult(text);
      const check = describeInput(call.tool, call.input);
      if (found)
        return {
          check,
          result: call.outcome === "ok" || found.status !== "held" ? found : { ...found, status: "unknown" as const },
        };
      // A check that could not be made says nothing of what is under test.
      return {
        check,
        result: { status: "unknown" as const, expected: check, observed: text.split("\n", 1)[0] ?? "", scoped: false },
      };
    });

const describeInput = (tool: string, input: unknown): string => {
  const given = typeof input === "object" && input !== null ? input : {};
  const value = "check" in given ? given.check : { check: "command", ...given };
  const parsed = checkSchema.safeParse(value);
  return parsed.success ? describeCheck(parsed.data) : tool;
};
