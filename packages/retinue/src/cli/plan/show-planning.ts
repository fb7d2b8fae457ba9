/** What goes on while a plan is made, to stderr. */
import type { RunHandle } from "@retinue/engine";
import { resultExitCode } from "../exit-code.ts";
import { formatErrorValue } from "../format-error.ts";
import { followLines } from "../live/follow-lines.ts";
import type { AtWork } from "../work-with.ts";

/** Gives the exit code where no plan came about. */
export const showPlanning = async (run: RunHandle, isQuiet: boolean, at: AtWork): Promise<number> => {
  if (!isQuiet) await followLines(run, at);
  const result = await run.result;
  const { stderr, redact } = at.surroundings;
  if (result.error) await stderr.write(formatErrorValue(result.error, redact));
  return resultExitCode(result);
};
