/** Which run the code that is running now belongs to; it travels with async calls, so that a tool of a user's own can start runs below it. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { RunIdentity } from "@retinue/protocol";

const storage = new AsyncLocalStorage<RunIdentity>();

export const currentRun = (): RunIdentity | undefined => storage.getStore();

export const inRun = <T>(run: RunIdentity, work: () => T): T => storage.run(run, work);
