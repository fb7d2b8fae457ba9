/** Plans as files: Markdown as it is shown, or JSON. */
import { readFile, stat } from "node:fs/promises";
import type { Plan, RecordedEvent } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { parsePlanMarkdown, toPlan } from "@retinue/runtime";
import { readPlan, readSteps, type PlanVerdict } from "../../plans.ts";
import { findSession } from "../record/find-session.ts";
import { withRecord } from "../record/open-for-command.ts";
import type { SessionOptions } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";

export type FoundPlan = { readonly plan: Plan; readonly steps: PlanVerdict["steps"]; readonly file: string | null };

const MOST_BYTES = 1024 * 1024;

/** A file where there is one of that name, else the session of that id. */
export const findPlan = async (
  name: string,
  options: Pick<SessionOptions, "workspace">,
  surroundings: Surroundings,
): Promise<FoundPlan> => {
  const found = await stat(name).catch(() => undefined);
  if (found?.isFile()) {
    if (found.size > MOST_BYTES)
      throw new RetinueError("plan_invalid", `${name} has ${found.size} bytes; a plan has at most ${MOST_BYTES}.`);
    return { plan: parsePlan(await readFile(name, "utf8")), steps: new Map(), file: name };
  }
  let events: readonly RecordedEvent[] = [];
  await withRecord(options, surroundings, async ({ sessions, store, workspace }) => {
    const { sessionId } = await findSession(name, { sessions, workspace });
    events = await store.read(sessionId);
    return 0;
  });
  return { plan: readPlan(events), steps: readSteps(events), file: null };
};

export const parsePlan = (text: string): Plan => {
  if (!text.trimStart().startsWith("{")) return parsePlanMarkdown(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new RetinueError("plan_invalid", `The plan is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
  const { goal, ...rest } = value as { readonly goal?: unknown };
  if (typeof goal !== "string" || goal === "") throw new RetinueError("plan_invalid", 'The plan has no "goal".');
  return toPlan(rest, goal);
};
