/** Runs sweeps one after the other for whoever called a script, and ends with 1 if one of them found something. */
import { runSweep, type SweepOptions } from "./sweep.ts";

export const showSweeps = async (
  sweeps: readonly (readonly [string, Pick<SweepOptions, "order" | "method" | "plan">])[],
): Promise<void> => {
  for (const [name, sweep] of sweeps) {
    const report = await runSweep({
      ...sweep,
      onTrial: (done, of) => {
        if (done % 50 === 0) process.stderr.write(`${name}: ${done} of ${of}\n`);
      },
    });
    process.stdout.write(`${name}: ${JSON.stringify(report, null, 2)}\n`);
    if (report.findings.length > 0) process.exitCode = 1;
  }
};
