/** Where runs are killed: at each exact point of a recorded run, or at moments that a seed gives. */
import { countPoints, measureRun, recordCallPoints } from "./dry-run.ts";
import { pickEvenly } from "./pick-evenly.ts";
import { createSeededRandom } from "./seeded-random.ts";
import { type CallPoint, canTrace, toKillingArguments } from "./strace.ts";
import type { StageOrder } from "./stage.ts";
import type { Plan, PlannedSweep } from "./sweep.ts";
import type { Disturbance } from "./trial.ts";

export type ExactOptions = {
  readonly order: StageOrder;
  /** At most so many of the points; all of them by default. */
  readonly most?: number;
  /** Which calls; all of them by default. */
  readonly where?: (point: CallPoint) => boolean;
  /** `counter`, where a machine has no strace: a counter inside the process, at every append and every step of an effect. */
  readonly method?: "strace" | "counter";
};

export const planExactKills = ({
  order,
  most = Infinity,
  where = () => true,
  method = canTrace() ? "strace" : "counter",
}: ExactOptions): PlannedSweep => ({
  order,
  method: `kill at exact points, by ${method}`,
  plan: async (ground) => {
    const points =
      method === "strace"
        ? (await recordCallPoints(ground, order)).filter(where).map(toKillAtCall)
        : Array.from({ length: (await countPoints(ground, order)).points }, (_, at) => toKillAtCount(at + 1));
    return { points: points.length, plans: pickEvenly(points, most) };
  },
});

const toKillAtCall = (point: CallPoint): Plan => ({
  name: `${point.call} ${point.nth} (${point.file})`,
  disturbances: [{ strace: (folder) => toKillingArguments(point, folder), isDeadly: true }],
});

const toKillAtCount = (killAt: number): Plan => ({ name: `point ${killAt}`, disturbances: [{ killAt, isDeadly: true }] });

export type ResumeOptions = Pick<ExactOptions, "order" | "most"> & {
  /** Where the run is killed for the first time; the first point for which it holds. */
  readonly killedAt: (point: CallPoint) => boolean;
};

/** Kills a run once, and then what resumes it at each of its own points. Needs strace. */
export const planKillsOfResume = ({ order, most = Infinity, killedAt }: ResumeOptions): PlannedSweep => ({
  order,
  method: "kill again at exact points of the resume, by strace",
  plan: async (ground) => {
    const first = (await recordCallPoints(ground, order)).find(killedAt);
    if (!first) throw new Error("A run has no such point.");
    const [before] = toKillAtCall(first).disturbances;
    const points = (await recordCallPoints(ground, order, before)).map(toKillAtCall);
    return {
      points: points.length,
      plans: pickEvenly(
        points.map((point) => toAfter(before, point)),
        most,
      ),
    };
  },
});

export type CountedResumeOptions = Pick<ExactOptions, "order" | "most"> & {
  /** At how many points, equally far apart, the run is killed for the first time. */
  readonly firsts: number;
};

/** Kills a run at some points of its counter, and then, for each of them, what resumes it at each of its own. */
export const planCountedKillsOfResume = ({ order, most = Infinity, firsts }: CountedResumeOptions): PlannedSweep => ({
  order,
  method: "kill again at exact points of the resume, by counter",
  plan: async (ground) => {
    const all = Array.from({ length: (await countPoints(ground, order)).points }, (_, at) => toKillAtCount(at + 1));
    const plans: Plan[] = [];
    for (const { name, disturbances } of pickEvenly(all, firsts)) {
      const [before] = disturbances;
      const { points } = await countPoints(ground, order, before);
      for (let at = 1; at <= points; at += 1) {
        const again = toAfter(before, toKillAtCount(at));
        plans.push({ ...again, name: `${name}, then ${again.name}` });
      }
    }
    return { points: plans.length, plans: pickEvenly(plans, most) };
  },
});

const toAfter = (before: Disturbance | undefined, { name, disturbances }: Plan): Plan => ({
  name,
  disturbances: [...(before ? [before] : []), ...disturbances],
});

export type RandomOptions = {
  readonly order: StageOrder;
  /** Some come too late: a run that is quicker than the first one was has settled by then. */
  readonly tries: number;
  readonly seed: number;
};

/** Most runs are killed once, some again while they resume. */
export const planRandomKills = ({ order, tries, seed }: RandomOptions): PlannedSweep => ({
  order,
  method: `kill at random, seed ${seed}`,
  plan: async (ground) => {
    const random = createSeededRandom(seed);
    const longestMs = await measureRun(ground, order);
    const plans: Plan[] = [];
    for (let planned = 0; planned < tries;) {
      const again = Math.min(tries - planned, 1 + Math.floor(random() * 2.5));
      const disturbances = Array.from({ length: again }, () => ({ killAfterMs: random() * longestMs }));
      plans.push({ name: disturbances.map(({ killAfterMs }) => `${killAfterMs.toFixed(1)} ms`).join(", "), disturbances });
      planned += again;
    }
    return { points: tries, plans };
  },
});

/** Kills whoever drives a run that waits for one answer alone; the answer comes while nobody drives, or when the next one does. */
export const planParkedKills = (order: StageOrder, times = 1): PlannedSweep => ({
  order,
  method: "kill while parked",
  plan: async () => {
    const plans: readonly Plan[] = (["then-answered", "then-resumed"] as const).map((killParked) => ({
      name: `parked, ${killParked}`,
      disturbances: [{ killParked, isDeadly: true }],
    }));
    const all = Array.from({ length: times }, () => plans).flat();
    return { points: plans.length, plans: all };
  },
});
