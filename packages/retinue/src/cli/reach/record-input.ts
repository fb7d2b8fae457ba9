/**
 * Records what somebody says to a run, whichever process drives the run or none. The log refuses what comes too late (`run_settled`,
 * `approval_answered`, `approval_expired`), and then nothing has changed.
 */
import type { InputBody, RunIdentity } from "@retinue/protocol";
import type { EventLog } from "@retinue/store";
import { commandSource } from "./command-source.ts";

export const recordInput = async (
  store: EventLog,
  { sessionId, runId, parentRunId, depth, agent }: RunIdentity,
  body: InputBody,
): Promise<void> => {
  const at = new Date().toISOString();
  await store.append([{ sessionId, runId, parentRunId, depth, agent, at, ...body, source: commandSource() }]);
};
