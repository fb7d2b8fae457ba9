/**
 * Which run, and which of its calls, the code that is running now belongs to; it travels with async calls, so that a tool of a user's own can start runs
 * below it.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { CallId, RunIdentity } from "@retinue/protocol";

type Current = { readonly run: RunIdentity; readonly callId: CallId | null };

const storage = new AsyncLocalStorage<Current>();

export const currentRun = (): RunIdentity | undefined => storage.getStore()?.run;

export const currentCall = (): CallId | null => storage.getStore()?.callId ?? null;

export const inRun = <T>(run: RunIdentity, work: () => T): T => storage.run({ run, callId: null }, work);

export const inCall = <T>(run: RunIdentity, callId: CallId, work: () => T): T => storage.run({ run, callId }, work);
