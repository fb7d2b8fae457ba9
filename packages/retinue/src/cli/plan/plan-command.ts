/** `retinue plan`: has a plan made for a goal, shows it, and carries it out where that is wanted. */
import { writeFile } from "node:fs/promises";
import type { Plan } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { planToMarkdown } from "@retinue/runtime";
import { toJsonLine } from "../../terminal/json-line.ts";
import { toPrintable } from "../../terminal/printable.ts";
import { askYesNo } from "../ask-yes-no.ts";
import { EXIT } from "../exit-code.ts";
import { readTask } from "../read-task.ts";
import { shortId } from "../record/find-session.ts";
import type { SessionOptions } from "../session-options.ts";
import { loadSessionSettings } from "../session-options.ts";
import { offlinePlanNotice } from "../show-run.ts";
import type { Surroundings } from "../surroundings.ts";
import type { AtWork } from "../work-with.ts";
import { workWith } from "../work-with.ts";
import { carryOut } from "./carry-out.ts";
import { findPlan } from "./plan-file.ts";
import type { PlanOptions } from "./plan-options.ts";
import { showPlanning } from "./show-planning.ts";

/** What `--approve` says of the runs; alone it speaks of the plan only. */
export const toSessionOptions = ({ approve, ...options }: PlanOptions): SessionOptions => ({
  ...options,
  ...(typeof approve === "string" ? { approve } : {}),
});

export const planCommand = async (
  words: readonly string[],
  options: PlanOptions,
  surroundings: Surroundings,
): Promise<number> => {
  if (options.execute === true) refuseUnattended(options, surroundings);
  const { settings, workspace, flagged } = await loadSessionSettings(toSessionOptions(options), surroundings);
  const goal = await readTask(words, surroundings.stdin);
  const { stdout, stderr, redact } = surroundings;
  return workWith(
    { workspace, settings, view: options.json === true ? { type: "quiet" } : { type: "text" } },
    surroundings,
    async (at) => {
      const planning = await at.retinue.planForGoal(goal, {
        signal: at.signal,
        ...(flagged.limits === undefined ? {} : { limits: flagged.limits }),
        ...(options.research === true ? { research: true } : {}),
      });
      const code = await at.show(planning, (run) => showPlanning(run, options.json === true, at));
      if (code !== EXIT.done) return code;
      const plan = await planning.plan.catch(async (thrown: unknown) => {
        const notice = offlinePlanNotice(at.retinue.model);
        if (notice !== "") await stderr.write(`retinue: ${notice}\n`);
        throw thrown;
      });
      const text = planToMarkdown(plan);
      if (options.out !== undefined) await writeFile(options.out, `${text}\n`);
      if (options.execute !== true) {
        await stdout.write(options.json === true ? `${toJsonLine(plan, redact)}\n` : `${toPrintable(redact(text), "prose")}\n`);
        if (options.json !== true)
          await stderr.write(
            `retinue: retinue plan run ${options.out ?? shortId(planning.sessionId)} carries it out; retinue plan edit changes it.\n`,
          );
        return EXIT.done;
      }
      return approveAndRun(plan, options, at);
    },
  );
};

export const planRunCommand = async (name: string, options: PlanOptions, surroundings: Surroundings): Promise<number> => {
  refuseUnattended(options, surroundings);
  const { plan } = await findPlan(name, options, surroundings);
  const { settings, workspace } = await loadSessionSettings(toSessionOptions(options), surroundings);
  return workWith(
    { workspace, settings, view: options.json === true ? { type: "json" } : { type: "text" } },
    surroundings,
    (at) => approveAndRun(plan, options, at),
  );
};

const isAttended = ({ stdin, stderr }: Surroundings): boolean => stdin.isTTY === true && stderr.isTerminal;

const refuseUnattended = ({ approve }: PlanOptions, surroundings: Surroundings): void => {
  if (approve !== undefined || isAttended(surroundings)) return;
  throw new RetinueError("usage", "A plan is approved before it is carried out, and nobody is here to be asked.", {
    hint: "--approve carries it out as it is; retinue plan show shows it.",
  });
};

const approveAndRun = async (plan: Plan, options: PlanOptions, at: AtWork): Promise<number> => {
  const { stdin, stderr, redact } = at.surroundings;
  if (options.approve === undefined) {
    await stderr.write(`${toPrintable(redact(planToMarkdown(plan)), "prose")}\n\n`);
    const answer = await askYesNo("Carry out this plan? [y/N] ", { input: stdin, output: process.stderr });
    if (answer === "interrupted") return EXIT.interrupted;
    if (answer === "no") {
      await stderr.write("retinue: nothing was carried out.\n");
      return EXIT.failed;
    }
  }
  return carryOut(plan, options, at);
};
