/** The list of work that a run keeps: its todo list, or the steps of the plan that it carries out. */
import type { PlanView, RunView } from "@retinue/client";
import { cutRow } from "../screen/fit-row.ts";
import type { Row } from "../screen/row.ts";
import { safeText, span } from "../screen/row.ts";

type Item = { readonly text: string; readonly state: "open" | "at work" | "done" | "failed" };

const SIGNS = {
  open: span("☐ ", "dim"),
  "at work": span("● ", "running"),
  done: span("✓ ", "completed"),
  failed: span("✗ ", "failed"),
} as const;

const stateOf = (state: string): Item["state"] => {
  if (/^(?:completed|passed|done|recovered|pass)$/.test(state)) return "done";
  if (/^(?:failed|fail|blocked|skipped|aborted)$/.test(state)) return "failed";
  return /^(?:running|in_progress|started|retrying)$/.test(state) ? "at work" : "open";
};

const ofPlan = ({ steps }: PlanView): readonly Item[] =>
  [...steps.values()].map(({ step, state }) => ({ text: `${step.id} ${step.description}`, state: stateOf(state) }));

const itemsOf = (run: RunView): { readonly title: string; readonly items: readonly Item[] } | undefined => {
  const plan = [...run.plans.values()].at(-1);
  if (plan && plan.verdict === null) return { title: "plan", items: ofPlan(plan) };
  if (run.todo === null || run.todo.length === 0) return undefined;
  return { title: "todo", items: run.todo.map(({ text, status }) => ({ text, state: stateOf(status) })) };
};

/** Around what is at work; nothing where the run keeps no list, or all of it is done. */
export const drawWorkList = (run: RunView, mostRows: number, width: number): readonly Row[] => {
  const list = itemsOf(run);
  if (!list || mostRows < 2 || list.items.every(({ state }) => state === "done")) return [];
  const done = list.items.filter(({ state }) => state === "done").length;
  const room = mostRows - 1;
  const current = Math.max(
    0,
    list.items.findIndex(({ state }) => state === "at work" || state === "open"),
  );
  const from = Math.max(0, Math.min(current - 1, list.items.length - room));
  const shown = list.items.slice(from, from + room);
  const left = list.items.length - shown.length;
  return [
    cutRow([span(` ${list.title} ${done} of ${list.items.length}${left > 0 ? `, ${left} not shown` : ""}`, "dim")], width),
    ...shown.map(({ text, state }) =>
      cutRow([span("  "), SIGNS[state], span(safeText(text), state === "done" ? "dim" : undefined)], width),
    ),
  ];
};
