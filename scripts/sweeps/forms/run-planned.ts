/** Runs planned sweeps one after the other and tells what each came to. */
import { type PlannedSweep, runSweep, type SweepReport } from "../sweep.ts";
import type { FormOptions, Outcome } from "./form.ts";

export const runPlanned = async function* (
  { ground, progress, signal }: FormOptions,
  sweeps: readonly (readonly [string, PlannedSweep])[],
  /** The only codes with which a run may stop; any by default. */
  codes?: readonly string[],
): AsyncGenerator<Outcome> {
  for (const [title, sweep] of sweeps) {
    if (signal.aborted) return;
    const report = await runSweep({
      ground: await ground(),
      ...sweep,
      onTrial: (done, of) => progress(`${title}, ${sweep.method}: ${done} of ${of}`),
    });
    yield {
      title: `${title}, ${report.method}`,
      figures: toFigures(report),
      findings: [...toFindings(report), ...toWrongStops(report, codes)],
    };
  }
};

const toFigures = ({ points, trials, kills, unreached, stops, unknown, seconds }: SweepReport): string =>
  [
    `${trials} trials of ${points} points`,
    `${kills} kills`,
    ...(unreached > 0 ? [`${unreached} not reached`] : []),
    ...Object.entries(stops).map(([code, times]) => `${code} ${times}`),
    `${unknown} calls told as unknown`,
    `${seconds} s`,
  ].join(", ");

const toFindings = ({ findings, trials, unreached }: SweepReport): readonly string[] => [
  ...findings.map(({ kind, what, trial }) => `${kind} at ${trial}: ${what}`),
  // A sweep that met hardly any of its points would show nothing.
  ...(trials > 0 && unreached > trials / 2 ? [`${unreached} of ${trials} trials never came to their point`] : []),
];

const toWrongStops = ({ stops }: SweepReport, codes: readonly string[] | undefined): readonly string[] =>
  Object.keys(stops).flatMap((code) => (codes === undefined || codes.includes(code) ? [] : [`a run stopped with ${code}`]));
