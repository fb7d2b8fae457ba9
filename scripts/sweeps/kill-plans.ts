/** Where runs are killed: at each exact point of a recorded run, or at moments that a seed gives. */
import { countPoints, measureRun, recordCallPoints } from "./dry-run.ts";
import { pickEvenly } from "./pick-evenly.ts";
import { createSeededRandom } from "./seeded-random.ts";
import { type CallPoint, canTrace, toKillingArguments } from "./strace.ts";
import type { Plan, SweepOptions } from "./sweep.ts";
import type { TrialOptions } from "./trial.ts";

type Order = TrialOptions["order"];

export type ExactOptions = {
  readonly order: Order;
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
}: ExactOptions): Pick<SweepOptions, "order" | "method" | "plan"> => ({
  order,
  method: `kill at exact points, by ${method}`,
  plan: async (place) => {
    const points =
      method === "strace"
        ? (await recordCallPoints(place, order)).filter(where).map(toKillAtCall)
        : Array.from({ length: (await countPoints(place, order)).points }, (_, at) => toKillAtCount(at + 1));
    return { points: points.length, plans: pickEvenly(points, most) };
  },
});

const toKillAtCall = (point: CallPoint): Plan => ({
  name: `${point.call} ${point.nth} (${point.file})`,
  disturbances: [{ strace: toKillingArguments(point), isDeadly: true }],
});

const toKillAtCount = (killAt: number): Plan => ({ name: `point ${killAt}`, disturbances: [{ killAt, isDeadly: true }] });

export type ResumeOptions = Pick<ExactOptions, "order" | "most"> & {
  /** Where the run is killed for the first time; the first point for which it holds. */
  readonly killedAt: (point: CallPoint) => boolean;
};

/** Kills a run once, and then what resumes it at each of its own points. Needs strace. */
export const planKillsOfResume = ({
  order,
  most = Infinity,
  killedAt,
}: ResumeOptions): Pick<SweepOptions, "order" | "method" | "plan"> => ({
  order,
  method: "kill again at exact points of the resume, by strace",
  plan: async (place) => {
    const first = (await recordCallPoints(place, order)).find(killedAt);
    if (!first) throw new Error("A run has no such point.");
    const earlier = toKillAtCall(first).disturbances;
    const points = (await recordCallPoints(place, order, toKillingArguments(first))).map(toKillAtCall);
    const plans = points.map(({ name, disturbances }) => ({ name, disturbances: [...earlier, ...disturbances] }));
    return { points: plans.length, plans: pickEvenly(plans, most) };
  },
});

export type RandomOptions = {
  readonly order: Order;
  /** Some come too late: a run that is quicker than the first one was has settled by then. */
  readonly tries: number;
  readonly seed: number;
};

/** Most runs are killed once, some again while they resume. */
export const planRandomKills = ({ order, tries, seed }: RandomOptions): Pick<SweepOptions, "order" | "method" | "plan"> => ({
  order,
  method: `kill at random, seed ${seed}`,
  plan: async (place) => {
    const random = createSeededRandom(seed);
    const longestMs = await measureRun(place, order);
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
