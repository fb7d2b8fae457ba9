/** Events that are told in a line of their own, wherever in the tree they happen, also where the tree shows the rest. */
import type { RunView } from "@retinue/client";
import type { RetinueEvent, RunId } from "@retinue/protocol";
import { formatTakeOver } from "../../cli/format-transfer.ts";
import { formatProgress } from "../../cli/progress-renderer.ts";
import { wrapRow } from "../screen/fit-row.ts";
import type { Row } from "../screen/row.ts";
import { span } from "../screen/row.ts";

const TOLD: ReadonlySet<RetinueEvent["type"]> = new Set<RetinueEvent["type"]>([
  "limit.reached",
  "model.failed",
  "context.fitted",
  "result.rejected",
  "guardrail.refused",
  "worktree.refused",
  "worktree.merged",
  "plan.decided",
  "plan.settled",
  "cancel.requested",
]);

export type ToldOptions = {
  readonly redact: (text: string) => string;
  readonly width: () => number;
  readonly inset: string;
  /** Those that are told besides. */
  readonly alsoTold: (event: RetinueEvent) => boolean;
};

type ToldRows = (event: RetinueEvent, runs: ReadonlyMap<RunId, RunView>) => readonly Row[];

/** The rows of an event; none where it is not told so. */
export const createToldRows = ({ redact, width, inset, alsoTold }: ToldOptions): ToldRows => {
  return (event, runs) => {
    const isTold =
      TOLD.has(event.type) || alsoTold(event) || (event.type === "run.requested" && formatTakeOver(event, runs) !== undefined);
    const line = isTold ? formatProgress({ event, runs, redact, columns: Infinity }) : undefined;
    return line === undefined ? [] : wrapRow([span(`${inset}${line}`, "dim")], width(), `${inset}  `);
  };
};
