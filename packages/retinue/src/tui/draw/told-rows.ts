/** Events that are told in a line of their own, wherever in the tree they happen, also where the tree shows the rest. */
import type { RetinueEvent } from "@retinue/protocol";
import { createProgressRenderer } from "../../cli/progress-renderer.ts";
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

/** The rows of an event; none where it is not told so. */
export const createToldRows = ({ redact, width, inset, alsoTold }: ToldOptions): ((event: RetinueEvent) => readonly Row[]) => {
  const progress = createProgressRenderer(redact);
  return (event) => {
    const line = TOLD.has(event.type) || alsoTold(event) ? progress.take(event) : undefined;
    return line === undefined ? [] : wrapRow([span(`${inset}${line}`, "dim")], width(), `${inset}  `);
  };
};
