/** What a seed stands for: a goal, a temper, and mistakes at some of its acts. The same on every commit. */
import { createSeededRandom } from "../sweeps/seeded-random.ts";
import { ARGUMENT_MISTAKES } from "./argument-mistakes.ts";
import type { ClumsyPlan, Temper } from "./clumsy-model.ts";
import type { Act, Goal } from "./goal.ts";
import { GOALS } from "./goals.ts";
import type { Mistake } from "./mistake.ts";
import { WORK_MISTAKES } from "./work-mistakes.ts";

export const MISTAKES: readonly Mistake[] = [...ARGUMENT_MISTAKES, ...WORK_MISTAKES];

export type SeedPlan = Omit<ClumsyPlan, "touch"> & {
  readonly seed: number;
  /** A limit that is tight for the goal; most have none. */
  readonly iterations?: number;
};

const LIMITED = 0.1;
/** How many of the acts are spoilt. */
const SHARE = 0.35;

export const planSeed = (seed: number): SeedPlan => {
  const random = createSeededRandom(seed * 7919 + 13);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T; // Never empty.
  const goal: Goal = pick(GOALS);
  const temper: Temper = { stubbornness: pickStubbornness(random()), bluffs: random() < 0.5 };
  const draw = (acts: readonly Act[], share: number): ReadonlyMap<number, Mistake> => {
    const drawn = new Map<number, Mistake>();
    acts.forEach((act, at) => {
      if (random() >= share) return;
      // As often one of the arguments as one of the work.
      const fitting = (random() < 0.5 ? ARGUMENT_MISTAKES : WORK_MISTAKES).filter((mistake) => mistake.fits(act));
      const mistake = pickRare(fitting, random());
      if (mistake) drawn.set(at, mistake);
    });
    return drawn;
  };
  const mistakes = draw(goal.acts, SHARE);
  const childMistakes = draw(goal.childActs ?? [], SHARE);
  return {
    seed,
    goal,
    temper,
    mistakes,
    childMistakes,
    ...(random() < LIMITED ? { iterations: goal.acts.length } : {}),
  };
};

const ALL_ACTS = GOALS.flatMap(({ acts, childActs = [] }) => [...acts, ...childActs]);

/** The fewer acts a mistake fits, the likelier it is where it does: so all of them are made. */
const RARITY = new Map(MISTAKES.map((mistake) => [mistake, 1 / Math.max(1, ALL_ACTS.filter(mistake.fits).length)]));

const pickRare = (fitting: readonly Mistake[], drawn: number): Mistake | undefined => {
  let left = drawn * fitting.reduce((sum, mistake) => sum + (RARITY.get(mistake) ?? 0), 0);
  return fitting.find((mistake) => (left -= RARITY.get(mistake) ?? 0) <= 0) ?? fitting.at(-1);
};

const pickStubbornness = (drawn: number): number => (drawn < 0.6 ? 0 : drawn < 0.85 ? 1 : Infinity);
