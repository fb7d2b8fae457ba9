/** What a run and those below it do, line by line beside the output; on a terminal above a line that lives. The words of the run wait for its result. */
import type { RunHandle } from "@retinue/engine";
import type { RetinueEvent } from "@retinue/protocol";
import { createProgressRenderer, formatWholeBill } from "../progress-renderer.ts";
import { toCell } from "../record/to-cell.ts";
import type { AtWork } from "../work-with.ts";

export type FollowLinesOptions = {
  /** Before every line, where several runs speak at once. */
  readonly mark?: string;
  /** The last lines are the bill and the session, which can be shown later. */
  readonly tellsEnd?: boolean;
};

export const followLines = async (
  run: Pick<RunHandle, "runId" | "sessionId"> & AsyncIterable<RetinueEvent>,
  { living, surroundings: { stderr, redact } }: Pick<AtWork, "living" | "surroundings">,
  { mark = "", tellsEnd = false }: FollowLinesOptions = {},
): Promise<void> => {
  const progress = createProgressRenderer(redact);
  const leave = living?.join(() => progress.runs().get(run.runId));
  try {
    for await (const event of run) {
      const columns = stderr.columns();
      const told = progress.take(event, columns === undefined ? undefined : columns - mark.length);
      const isEnd = tellsEnd && event.type === "run.settled" && event.parentRunId === null;
      const line = isEnd
        ? `${toCell(event.agent, redact)}: ${formatWholeBill(event.result, progress.runs().get(event.runId))}`
        : told;
      if (line !== undefined) await stderr.write(`${mark}${line}\n`);
    }
  } finally {
    leave?.();
  }
  if (tellsEnd) await stderr.write(`${mark === "" ? "retinue: " : mark}recorded as ${run.sessionId}\n`);
};
