/** What became of something that was said to a run: it waits, was read at a step, was taken back, or can be read by nobody any more. */
import type { MessageView, RunView } from "./session-view.ts";

export type MessageState =
  | { readonly type: "queued" }
  /** The step at which the run's model was first asked with it. */
  | { readonly type: "delivered"; readonly step: number }
  | { readonly type: "withdrawn" }
  | { readonly type: "undeliverable" };

export const toMessageState = (
  { steps, state }: Pick<RunView, "steps" | "state">,
  { deliveredAt, withdrawnAt }: Pick<MessageView, "deliveredAt" | "withdrawnAt">,
): MessageState => {
  if (deliveredAt !== null) {
    const at = Date.parse(deliveredAt);
    const step = steps.find(({ askedAt }) => Date.parse(askedAt) >= at)?.step ?? (steps.at(-1)?.step ?? 0) + 1;
    return { type: "delivered", step };
  }
  if (withdrawnAt !== null) return { type: "withdrawn" };
  return { type: state.type === "settled" ? "undeliverable" : "queued" };
};
