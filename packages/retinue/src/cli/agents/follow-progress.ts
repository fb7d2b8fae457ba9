/** What a run and those below it do, line by line beside the output; the words of the run wait for its result. */
import type { RunHandle } from "@retinue/engine";
import { createProgressRenderer, formatWholeBill } from "../progress-renderer.ts";
import type { Surroundings } from "../surroundings.ts";
import { toCell } from "../record/to-cell.ts";

export type FollowOptions = {
  /** Before every line, where several runs speak at once. */
  readonly mark: string;
};

/** The last lines are the bill and the session, which can be shown later. */
export const followProgress = async (
  run: RunHandle,
  { mark }: FollowOptions,
  { stderr, redact }: Pick<Surroundings, "stderr" | "redact">,
): Promise<void> => {
  const progress = createProgressRenderer(redact);
  for await (const event of run) {
    const columns = stderr.columns();
    const told = progress.take(event, columns === undefined ? undefined : columns - mark.length);
    const line =
      event.type === "run.settled" && event.parentRunId === null
        ? `${toCell(event.agent, redact)}: ${formatWholeBill(event.result, progress.runs().get(event.runId))}`
        : told;
    if (line !== undefined) await stderr.write(`${mark}${line}\n`);
  }
  await stderr.write(`${mark === "" ? "retinue: " : mark}recorded as ${run.sessionId}\n`);
};
