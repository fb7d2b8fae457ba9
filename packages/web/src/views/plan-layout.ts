/** Where the steps of a plan stand: each in the column after the last step that it depends on. */
import type { PlanStepView } from "@retinue/client";

export type PlacedStep = { readonly step: PlanStepView; readonly column: number; readonly row: number };

export type PlanLayout = {
  readonly steps: readonly PlacedStep[];
  readonly edges: readonly { readonly from: PlacedStep; readonly to: PlacedStep }[];
  readonly columns: number;
  readonly rows: number;
};

export const layOutPlan = (steps: readonly PlanStepView[]): PlanLayout => {
  const byId = new Map(steps.map((step) => [step.step.id, step]));
  const columns = new Map<string, number>();
  const columnOf = (id: string, above: ReadonlySet<string>): number => {
    const known = columns.get(id);
    if (known !== undefined) return known;
    // A circle is refused when a plan is checked; a record may still hold one.
    if (above.has(id)) return 0;
    const before = byId.get(id)?.step.dependsOn.filter((other) => byId.has(other)) ?? [];
    const column = before.length === 0 ? 0 : 1 + Math.max(...before.map((other) => columnOf(other, new Set([...above, id]))));
    columns.set(id, column);
    return column;
  };
  const heights: number[] = [];
  const placed = new Map<string, PlacedStep>();
  for (const step of steps) {
    const column = columnOf(step.step.id, new Set());
    const row = heights[column] ?? 0;
    heights[column] = row + 1;
    placed.set(step.step.id, { step, column, row });
  }
  return {
    steps: [...placed.values()],
    edges: [...placed.values()].flatMap((to) =>
      to.step.step.dependsOn.flatMap((id) => (placed.get(id) === undefined ? [] : [{ from: placed.get(id) as PlacedStep, to }])),
    ),
    columns: heights.length,
    rows: Math.max(0, ...heights),
  };
};
