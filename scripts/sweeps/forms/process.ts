/** Sets processes against each other on one database. */
import { stealLeases } from "../steal-leases.ts";
import { writeTogether } from "../write-together.ts";
import type { Form } from "./form.ts";

export const PROCESS: Form = {
  name: "process",
  about: "four processes write to one database, and two steal runs from each other: none is turned away, no effect made twice",
  run: async function* ({ full, signal }) {
    const wanted = full ? 60_000 : 3_000;
    const { commits, errors, events, missing, damage, seconds } = await writeTogether(wanted, signal);
    yield {
      title: "four writers",
      figures: `${commits} commits, ${events} events, ${seconds} s`,
      findings: [
        ...errors.map((code) => `a write was refused with ${code}`),
        ...(missing > 0 ? [`${missing} events are missing`] : []),
        ...(commits < wanted ? [`only ${commits} commits were made`] : []),
        ...damage,
      ],
    };
    if (signal.aborted) return;
    const stolen = await stealLeases(full ? 1_000 : 50, signal);
    yield {
      title: "stolen leases",
      figures: `${stolen.steals} steals of ${stolen.runs} runs, ${stolen.unknown} calls told as unknown, ${stolen.seconds} s`,
      findings: stolen.findings.map(({ kind, what }) => `${kind}: ${what}`),
    };
  },
};
