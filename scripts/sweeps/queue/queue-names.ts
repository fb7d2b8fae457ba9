/** What a trial of queued turns is about: said before the worker starts, said while it works, and one that is taken back. */
import type { VictimOrder } from "../victim-order.ts";

export const SAID_BEFORE = ["turn-1", "turn-2"] as const;
export const SAID_MEANWHILE = ["turn-3", "turn-back", "turn-4"] as const;
export const TAKEN_BACK = "turn-back";

export type QueueOrder = Pick<VictimOrder, "folder" | "postgres"> & {
  /** It kills itself at this of its points; never by default. */
  readonly killAt?: number;
  /** It ends when nothing waits and nothing is open. */
  readonly ends: boolean;
};
