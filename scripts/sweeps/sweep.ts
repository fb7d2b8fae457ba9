/** Runs many trials, two at a time, and adds up what they found. */
import type { Finding, FindingKind } from "./finding.ts";
import type { StageOrder, SweepGround } from "./stage.ts";
import { type Disturbance, runTrial, type Trial } from "./trial.ts";

export type SweepReport = {
  readonly method: string;
  /** Places where a run can be stopped, and at how many of them it was. */
  readonly points: number;
  readonly trials: number;
  readonly kills: number;
  /** Trials that did not come to their place in several tries. */
  readonly unreached: number;
  readonly stops: Readonly<{ [code: string]: number }>;
  readonly unknown: number;
  readonly seconds: number;
  /** How many of each kind; kinds of which there are none are left out. */
  readonly found: Readonly<{ [Kind in FindingKind]?: number }>;
  /** The first of them, with the trial it comes from. */
  readonly findings: readonly (Finding & { readonly trial: string })[];
};

/** A trial to be made, and what to call it. */
export type Plan = { readonly name: string; readonly disturbances: readonly Disturbance[] };

export type SweepOptions = {
  readonly ground: SweepGround;
  readonly order: StageOrder;
  readonly method: string;
  /** Of a run that nothing disturbs. */
  readonly plan: (ground: SweepGround) => Promise<{ readonly points: number; readonly plans: readonly Plan[] }>;
  readonly onTrial?: (done: number, of: number) => void;
};

export type PlannedSweep = Pick<SweepOptions, "order" | "method" | "plan">;

const AT_ONCE = 2;
/** How often a place is looked for. */
const MOST_TRIES = 3;
const MOST_SHOWN = 20;

export const runSweep = async ({ ground, order, method, plan, onTrial }: SweepOptions): Promise<SweepReport> => {
  const startedAt = performance.now();
  // The first process compiles the modules for all the others.
  const { findings: atRest } = await runTrial({ ground, order, disturbances: [] });
  if (atRest.length > 0) throw new Error(`A run that nothing disturbs is not as it should be: ${JSON.stringify(atRest)}`);
  const { points, plans } = await plan(ground);
  const waiting = [...plans];
  const trials: (Trial & { readonly name: string })[] = [];
  const tryOut = async ({ disturbances }: Plan): Promise<Trial> => {
    let trial = await runTrial({ ground, order, disturbances });
    for (let tries = 1; trial.unreached > 0 && trial.findings.length === 0 && tries < MOST_TRIES; tries += 1)
      trial = await runTrial({ ground, order, disturbances });
    return trial;
  };
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next && ground.signal?.aborted !== true; next = waiting.shift()) {
      trials.push({ name: next.name, ...(await tryOut(next)) });
      onTrial?.(trials.length, plans.length);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } catch (thrown) {
    // Who interrupts it is told what was found until then.
    if (ground.signal?.aborted !== true) throw thrown;
  }
  const findings = trials.flatMap((trial) => trial.findings.map((finding) => ({ ...finding, trial: trial.name })));
  return {
    method,
    points,
    trials: trials.length,
    kills: trials.reduce((total, { kills }) => total + kills, 0),
    unreached: trials.filter(({ unreached }) => unreached > 0).length,
    stops: countEach(trials.flatMap(({ stops }) => stops)),
    unknown: trials.reduce((total, { unknown }) => total + unknown, 0),
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
    found: countEach(findings.map(({ kind }) => kind)),
    findings: findings.slice(0, MOST_SHOWN),
  };
};

const countEach = (names: readonly string[]): Readonly<{ [name: string]: number }> =>
  Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
