/**
 * Asks the guardrails of a run: about its task before the first turn, about messages before they enter the conversation, and about the answer
 * before it is handed back, however the run ended. What is refused is recorded, and the run has failed.
 */
import type { UserPart } from "@retinue/protocol";
import type { LiveRun } from "./live-run.ts";
import { readJson } from "./output.ts";
import type { Ending } from "./to-result.ts";

/** Before the first turn; a run that was cut off before it is asked about again. */
export const guardTask = async (run: LiveRun): Promise<void> => {
  const { state } = run;
  if (!run.ports.guard?.input || state.step > 0 || state.failure || state.result) return;
  const task = state.messages[state.taskIndex];
  if (task?.role === "user") await guardInput(run, task.content);
};

/** Whether what people said to the run may enter its conversation. */
export const guardMessages = async (run: LiveRun): Promise<boolean> => {
  if (!run.ports.guard?.input) return true;
  const said = run.state.inbox.filter(({ from }) => from === "human").flatMap(({ content }) => content);
  if (said.length > 0) await guardInput(run, said);
  return run.state.failure === null;
};

const guardInput = async (run: LiveRun, said: readonly UserPart[]): Promise<void> => {
  const refusal = await run.ports.guard?.input?.(said, run.stopped);
  if (refusal) run.note({ type: "guardrail.refused", on: "input", ...refusal });
};

/** How the run ends: as it would, or as failed where its answer is refused. */
export const guardOutput = async (run: LiveRun, ending: Ending): Promise<Ending> => {
  const { state, ports, cancelled } = run;
  const text = state.lastText;
  if (!ports.guard?.output || text === "") return ending;
  const output = state.spec.output ? readJson(text) : undefined;
  const refusal = await ports.guard.output({ text, ...(output === undefined ? {} : { output }) }, cancelled);
  if (!refusal) return ending;
  run.note({ type: "guardrail.refused", on: "output", ...refusal });
  return state.failure ? { status: "failed", bailoutReason: "error", error: state.failure } : ending;
};
