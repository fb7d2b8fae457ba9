/** A plan as a graph: what is wrong with it, and what comes before what. */
import type { Plan, PlanStep } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";

/** Nothing that is asked for more than once is looked for in a list. */
export type PlanGraph = {
  readonly plan: Plan;
  readonly steps: ReadonlyMap<string, PlanStep>;
  /** Everything that a step stands on, directly or not. */
  readonly ancestors: ReadonlyMap<string, ReadonlySet<string>>;
};

/** Throws `plan_invalid`, saying all that is wrong. */
export const toPlanGraph = (
  plan: Plan,
  { maxSteps, agents }: { readonly maxSteps: number; readonly agents: readonly string[] },
): PlanGraph => {
  const faults = findFaults(plan, maxSteps, agents);
  if (faults.length > 0) throw new RetinueError("plan_invalid", `The plan cannot be carried out: ${faults.join("; ")}.`);
  const steps = new Map(plan.steps.map((step) => [step.id, step]));
  const cycle = findCycle(steps);
  if (cycle !== null)
    throw new RetinueError(
      "plan_invalid",
      `The plan cannot be carried out: its steps wait for each other: ${cycle.join(" → ")}.`,
    );
  return { plan, steps, ancestors: findAncestors(steps) };
};

const findFaults = ({ steps }: Plan, maxSteps: number, agents: readonly string[]): readonly string[] => {
  const faults: string[] = [];
  if (steps.length === 0) faults.push("it has no steps");
  if (steps.length > maxSteps) faults.push(`it has ${steps.length} steps, and ${maxSteps} is the most`);
  const ids = new Set<string>();
  for (const { id } of steps) {
    if (ids.has(id)) faults.push(`two steps are called "${id}"`);
    ids.add(id);
  }
  const known = new Set(agents);
  for (const { id, agent, dependsOn } of steps) {
    if (!known.has(agent))
      faults.push(`step "${id}" is for "${agent}", whom this run cannot start; it can start ${agents.join(", ") || "nobody"}`);
    for (const needed of dependsOn) if (!ids.has(needed)) faults.push(`step "${id}" depends on "${needed}", which is no step`);
  }
  return faults;
};

/** The steps of one cycle, or null. Without recursion: a plan may be one long chain. */
const findCycle = (steps: ReadonlyMap<string, PlanStep>): readonly string[] | null => {
  const done = new Set<string>();
  for (const start of steps.keys()) {
    const path: string[] = [];
    const onPath = new Set<string>();
    const stack: { readonly id: string; next: number }[] = [];
    const enter = (id: string): void => {
      stack.push({ id, next: 0 });
      path.push(id);
      onPath.add(id);
    };
    if (!done.has(start)) enter(start);
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const needed = steps.get(top.id)?.dependsOn[top.next++];
      if (needed === undefined) {
        done.add(top.id);
        onPath.delete(top.id);
        path.pop();
        stack.pop();
      } else if (onPath.has(needed)) return [...path.slice(path.indexOf(needed)), needed];
      else if (!done.has(needed)) enter(needed);
    }
  }
  return null;
};

const findAncestors = (steps: ReadonlyMap<string, PlanStep>): ReadonlyMap<string, ReadonlySet<string>> => {
  const ancestors = new Map<string, Set<string>>();
  for (const { id } of steps.values()) {
    const found = new Set<string>();
    const open = [id];
    for (let one = open.pop(); one !== undefined; one = open.pop())
      for (const needed of steps.get(one)?.dependsOn ?? [])
        if (!found.has(needed)) {
          found.add(needed);
          open.push(needed);
        }
    ancestors.set(id, found);
  }
  return ancestors;
};
