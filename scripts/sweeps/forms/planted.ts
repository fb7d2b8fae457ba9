/** Proves that the sweeps see what they look for: faults are planted in victims, and a sweep that finds nothing has found nothing out. */
import type { FindingKind } from "../finding.ts";
import { planExactKills } from "../kill-plans.ts";
import { type CallPoint, canTrace } from "../strace.ts";
import { runSweep } from "../sweep.ts";
import type { Plant } from "../victim-order.ts";
import type { ScenarioName } from "../scenarios.ts";
import type { Form } from "./form.ts";

type Planted = {
  readonly plant: Plant;
  readonly seen: FindingKind;
  readonly scenario: ScenarioName;
  readonly title: string;
  /** At which of the points; all of them by default. */
  readonly where?: (point: CallPoint) => boolean;
};

const PLANTED: readonly Planted[] = [
  {
    plant: "repeated-writes",
    seen: "twice",
    scenario: "five-turns",
    title: "writes that are declared repeatable are made again",
    // Between an effect and its record.
    where: ({ call, file }) => call === "fsync" && file === "effects.log",
  },
  {
    plant: "early-acknowledgement",
    seen: "lost",
    scenario: "five-turns",
    title: "events that are acknowledged before they are written are lost",
    // Inside a commit.
    where: ({ file }) => file === "retinue.db-wal",
  },
  {
    plant: "renamed-delegations",
    seen: "child-twice",
    scenario: "three-children",
    title: "children not found again start twice",
  },
  {
    plant: "forgotten-questions",
    seen: "wrong-approval",
    scenario: "three-children",
    title: "forgotten questions are asked again",
  },
  {
    plant: "forgotten-work",
    seen: "asked-again",
    scenario: "three-children",
    title: "models whose answers are forgotten are asked again",
  },
  {
    plant: "forgotten-spending",
    seen: "wrong-limits",
    scenario: "three-children",
    title: "limits are not exact once spending is forgotten",
  },
];

export const PLANTED_FAULTS: Form = {
  name: "planted",
  about: "faults are planted in the runs that are swept, and each of them is seen",
  run: async function* ({ ground, signal, progress }) {
    const method = canTrace() ? "strace" : "counter";
    for (const { plant, seen, scenario, title, where } of PLANTED) {
      if (signal.aborted) return;
      progress(title);
      // The points of the counter have no names, so that more of them are taken.
      const most = where !== undefined && method === "counter" ? 16 : 5;
      const planned = planExactKills({ order: { scenario, plant }, most, method, ...(where === undefined ? {} : { where }) });
      const { found, trials, seconds } = await runSweep({ ground: await ground(), ...planned });
      const times = found[seen] ?? 0;
      yield {
        title: `planted: ${title}`,
        figures: `seen ${times} times in ${trials} trials, ${seconds} s`,
        findings: times > 0 || signal.aborted ? [] : [`${plant} was planted, and ${seen} was not found`],
      };
    }
  },
};
