/** Kills a run with three children, one of which waits for an approval. */
import { planExactKills, planRandomKills } from "../kill-plans.ts";
import type { Form } from "./form.ts";
import { runPlanned } from "./run-planned.ts";

const order = { scenario: "three-children" } as const;

export const TREE: Form = {
  name: "tree",
  about: "a run with three children is killed: no child starts again, the question keeps its id, limits are exact",
  run: (options) => {
    const { full, seed } = options;
    return runPlanned(options, [
      ["three children", planExactKills({ order, most: full ? 400 : 8 })],
      ["three children", planRandomKills({ order: { ...order, latencyMs: 2 }, tries: full ? 600 : 10, seed: seed + 1 })],
    ]);
  },
};
