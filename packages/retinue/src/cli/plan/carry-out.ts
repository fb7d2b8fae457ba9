/** Carries out a plan for the command: progress to stderr, the plan with what became of it to stdout, and an exit code by its verdict. */
import type { Plan, StepState } from "@retinue/protocol";
import { planToMarkdown } from "@retinue/runtime";
import { toPrintable } from "../../terminal/printable.ts";
import { EXIT, resultExitCode } from "../exit-code.ts";
import { formatErrorValue } from "../format-error.ts";
import { followLines } from "../live/follow-lines.ts";
import { followJson } from "../show-run.ts";
import type { AtWork } from "../work-with.ts";
import type { PlanOptions } from "./plan-options.ts";

export const carryOut = async (plan: Plan, { oneByOne, json }: PlanOptions, at: AtWork): Promise<number> => {
  const { retinue, signal, show, surroundings } = at;
  const { stdout, stderr, redact } = surroundings;
  const execution = await retinue.executePlan(plan, { signal, ...(oneByOne === undefined ? {} : { oneByOne }) });
  return show(execution, async (run) => {
    if (json === true) await followJson(run, surroundings);
    else await followLines(run, at);
    const result = await run.result;
    const verdict = await execution.verdict.catch(() => null);
    if (verdict === null) {
      if (result.error) await stderr.write(formatErrorValue(result.error, redact));
      return resultExitCode(result) || EXIT.failed;
    }
    if (json !== true) {
      const states = new Map<string, StepState>([...verdict.steps].map(([id, { state }]) => [id, state]));
      const { iterations, toolCalls, usage } = verdict.totals;
      await stdout.write(`${toPrintable(redact(planToMarkdown(plan, states)), "prose")}\n\n`);
      await stdout.write(
        `${verdict.status === "pass" ? "PASSED" : "FAILED"}: ${toPrintable(redact(verdict.summary), "prose")}\n`,
      );
      await stderr.write(
        `retinue: ${iterations} turns, ${toolCalls} tool calls, ${usage.input + usage.output} tokens in all steps\n`,
      );
      await stderr.write(`retinue: recorded as ${run.sessionId}\n`);
    }
    return verdict.status === "pass" ? EXIT.done : EXIT.failed;
  });
};
