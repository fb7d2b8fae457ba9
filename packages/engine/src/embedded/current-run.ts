/**
 * Which run, and which of its calls, the code that is running now belongs to; it travels with async calls, so that a tool of a user's own can start runs
 * below it.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { CallId, RunIdentity } from "@retinue/protocol";

type Current = { readonly run: RunIdentity; readonly call: CurrentCall | null };

/** A call while it is made; one that is made again begins anew. */
export type CurrentCall = {
  readonly callId: CallId;
  /** How often code of it has started a run, by agent and task; made when it first does. */
  spawned: Map<string, number> | null;
};

const storage = new AsyncLocalStorage<Current>();

export const currentRun = (): RunIdentity | undefined => storage.getStore()?.run;

export const currentCall = (): CurrentCall | null => storage.getStore()?.call ?? null;

export const inRun = <T>(run: RunIdentity, work: () => T): T => storage.run({ run, call: null }, work);

export const inCall = <T>(run: RunIdentity, callId: CallId, work: () => T): T =>
  storage.run({ run, call: { callId, spawned: null } }, work);
