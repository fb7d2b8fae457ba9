/** An approver that answers nothing itself: the question stands in the record, and is answered there, whichever process somebody sits at. */
import type { Approver } from "@retinue/engine";

export const askInRecord: Approver = (_, signal) =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve({ allowed: false }), { once: true }));
