/** What goes on while a plan is made or carried out, to stderr. */
import type { RunHandle } from "@retinue/engine";
import { resultExitCode } from "../exit-code.ts";
import { formatErrorValue } from "../format-error.ts";
import { createProgressRenderer } from "../progress-renderer.ts";
import type { Surroundings } from "../surroundings.ts";

export const followProgress = async (run: RunHandle, { stderr, redact }: Surroundings): Promise<void> => {
  const progress = createProgressRenderer(redact);
  for await (const event of run) {
    const line = progress.take(event, stderr.columns());
    if (line !== undefined) await stderr.write(`${line}\n`);
  }
};

/** Gives the exit code where no plan came about. */
export const showPlanning = async (run: RunHandle, isQuiet: boolean, surroundings: Surroundings): Promise<number> => {
  if (!isQuiet) await followProgress(run, surroundings);
  const result = await run.result;
  if (result.error) await surroundings.stderr.write(formatErrorValue(result.error, surroundings.redact));
  return resultExitCode(result);
};
