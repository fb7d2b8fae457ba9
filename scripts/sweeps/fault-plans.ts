/** Where a disk fails: full at one write or from it on, unable to bring data to the disk at one sync or from it on. */
import path from "node:path";
import { countPoints, recordCallPoints } from "./dry-run.ts";
import { pickEvenly } from "./pick-evenly.ts";
import { type CallPoint, canTrace, toFailingArguments } from "./strace.ts";
import type { StageOrder } from "./stage.ts";
import type { Plan, PlannedSweep } from "./sweep.ts";

export type Fault = {
  readonly call: "pwrite64" | "fsync";
  readonly error: "ENOSPC" | "EIO";
  /** At this call alone, or at it and at all that follow. */
  readonly from: boolean;
};

export const DISK_FULL_ONCE: Fault = { call: "pwrite64", error: "ENOSPC", from: false };

export const DISK_FULL: readonly Fault[] = [{ call: "pwrite64", error: "ENOSPC", from: true }, DISK_FULL_ONCE];

export const DISK_BROKEN: readonly Fault[] = [
  { call: "pwrite64", error: "EIO", from: true },
  { call: "fsync", error: "EIO", from: true },
  { call: "fsync", error: "EIO", from: false },
];

export type FaultOptions = {
  readonly order: StageOrder;
  readonly faults: readonly Fault[];
  /** At most so many points of each fault; all of them by default. */
  readonly most?: number;
  /** `counter`, where a machine has no strace: the log refuses one of its writes, as if there were no space. */
  readonly method?: "strace" | "counter";
};

export const planFaults = ({
  order,
  faults,
  most = Infinity,
  method = canTrace() ? "strace" : "counter",
}: FaultOptions): PlannedSweep => ({
  order,
  method: `${faults.map(({ call, error, from }) => `${error} at ${call}${from ? " and after" : ""}`).join(", ")}, by ${method}`,
  plan: async (ground) => {
    if (method === "counter") {
      const { writes } = await countPoints(ground, order);
      const plans = Array.from({ length: writes }, (_, at) => ({ name: `write ${at + 1}`, disturbances: [{ failAt: at + 1 }] }));
      return { points: writes, plans: pickEvenly(plans, most) };
    }
    const recorded = await recordCallPoints(ground, order);
    const all = faults.map((fault) =>
      recorded.filter(({ call }) => call === fault.call).map((point) => toPlan(point, fault, ground.place)),
    );
    return { points: all.flat().length, plans: all.flatMap((plans) => pickEvenly(plans, most)) };
  },
});

const toPlan = (point: CallPoint, { error, from }: Fault, place: string): Plan => {
  const name = `${error} at ${point.call} ${point.nth}${from ? " and after" : ""} (${point.file})`;
  const output = path.join(place, `${name.replaceAll(/\W+/g, "-")}.txt`);
  return {
    name,
    disturbances: [{ strace: (folder) => toFailingArguments(point, folder, { error, from, output }), faultIn: output }],
  };
};
