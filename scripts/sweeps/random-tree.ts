/** A tree of runs as a seed gives it: what each agent does in its turns, what its model uses, and which limits hold where. */
import type { Limits } from "@retinue/protocol";
import { createSeededRandom } from "./seeded-random.ts";

export type RandomTurn = {
  readonly latencyMs: number;
  /** Of what the runtime could foresee of the request, and of what it allowed to be written. */
  readonly inputShare: number;
  readonly outputShare: number;
  readonly does:
    | { readonly type: "answer" }
    | { readonly type: "fail" }
    /** Calls of a tool, each as long as it says, beside delegations to the next children. */
    | { readonly type: "work"; readonly toolMs: readonly number[]; readonly delegations: readonly Delegation[] };
};

export type Delegation = { readonly to: RandomAgent; readonly limits: Limits; readonly background: boolean };

export type RandomAgent = { readonly name: string; readonly limits: Limits; readonly turns: readonly RandomTurn[] };

export type RandomTree = {
  readonly seed: number;
  readonly root: RandomAgent;
  readonly agents: readonly RandomAgent[];
  readonly limits: Limits;
  /** Models of this tree may read more than the runtime could foresee. */
  readonly surprises: boolean;
  /** Somebody stops the tree at this time. */
  readonly cancelAtMs: number | undefined;
};

const MOST_DEPTH = 3;
const MOST_AGENTS = 14;

export const createRandomTree = (seed: number): RandomTree => {
  const random = createSeededRandom(seed);
  const chance = (share: number): boolean => random() < share;
  const between = (low: number, high: number): number => low + Math.floor(random() * (high - low + 1));
  const surprises = chance(0.3);
  const agents: RandomAgent[] = [];
  let made = 0;

  const createLimits = (share: number, size: number): Limits => ({
    ...(chance(share) ? { iterations: between(1, 4 * size) } : {}),
    ...(chance(share) ? { toolCalls: between(0, 4 * size) } : {}),
    ...(chance(share) ? { durationMs: between(50, 600 * size) } : {}),
    ...(chance(share) ? { tokens: between(500, 12_000 * size) } : {}),
    ...(chance(share) ? { costUsd: between(500, 12_000 * size) / 1_000_000 } : {}),
  });

  const createTurn = (depth: number): RandomTurn => {
    const turn = {
      latencyMs: between(1, 200),
      inputShare: surprises && chance(0.3) ? random() * 3 : random(),
      outputShare: random(),
    };
    if (chance(0.15)) return { ...turn, does: { type: "answer" } };
    if (chance(0.04)) return { ...turn, does: { type: "fail" } };
    const children = depth < MOST_DEPTH && chance(0.6) ? between(1, 4) : 0;
    const delegations = Array.from({ length: children }).flatMap((): readonly Delegation[] =>
      made >= MOST_AGENTS
        ? []
        : [{ to: createAgent(depth + 1), limits: createLimits(0.12, 4 - depth), background: chance(0.15) }],
    );
    const tools = between(delegations.length > 0 ? 0 : 1, 3);
    return { ...turn, does: { type: "work", toolMs: Array.from({ length: tools }, () => between(0, 100)), delegations } };
  };

  const createAgent = (depth: number): RandomAgent => {
    const name = `agent-${made++}`;
    const turns = Array.from({ length: between(1, 4) }, () => createTurn(depth));
    const agent = { name, limits: createLimits(0.12, 5 - depth), turns };
    agents.push(agent);
    return agent;
  };

  const root = createAgent(0);
  return {
    seed,
    root,
    agents,
    limits: createLimits(0.4, 5),
    surprises,
    cancelAtMs: chance(0.06) ? between(1, 1_500) : undefined,
  };
};
