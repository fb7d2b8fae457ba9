/**
 * What must agree before a result counts as completed. A command is an act like any other: it is judged by the run's grant, and asked about if
 * need be, since agent files may come from strangers. An agent that verifies is a run below, with the result and the task before it.
 */
import type { Acceptance, RunResult } from "@retinue/protocol";
import type { AnyTool, Ports, RunState } from "@retinue/runtime";
import { hashAct } from "@retinue/runtime";
import type { Approver } from "./inbox.ts";

export type AcceptanceOptions = {
  readonly state: RunState;
  readonly realPath: Ports["realPath"];
  /** Runs a command line in the workspace by the session's shell; absent where there is none. */
  readonly shell:
    | ((command: string, signal: AbortSignal) => Promise<{ readonly ok: boolean; readonly output: string }>)
    | undefined;
  /** The tool that stands for it in policy. */
  readonly shellTool: AnyTool | undefined;
  readonly judge: NonNullable<Ports["judge"]>;
  readonly ask: Approver | undefined;
  /** Runs an agent below and gives its result. */
  readonly verify: (agent: string, task: string, signal: AbortSignal) => Promise<RunResult>;
};

const OUTPUT_CHARS = 2_000;

/** The reason why not, or null. */
export const findRefusal = async (accept: Acceptance, options: AcceptanceOptions, signal: AbortSignal): Promise<string | null> =>
  "command" in accept ? refusalOfCommand(accept.command, options, signal) : refusalOfAgent(accept.agent, options, signal);

const refusalOfCommand = async (command: string, options: AcceptanceOptions, signal: AbortSignal): Promise<string | null> => {
  const { state, shell, shellTool, judge, ask, realPath } = options;
  if (!shell || !shellTool) return `"${command}" must agree, and there is no shell to run it.`;
  const callId = `accept_${state.rejections + 1}`;
  const judgement = await judge({ callId, tool: shellTool, input: { command }, spec: state.spec, realPath });
  if (judgement.type === "deny") return `"${command}" must agree, and may not be run: ${judgement.error.message}`;
  if (judgement.type === "ask") {
    const { runId } = state.identity;
    const answer =
      ask &&
      (await ask(
        { approvalId: `apr_${runId.slice(4)}_${callId}`, run: state.identity, act: judgement.act, hash: hashAct(judgement.act) },
        signal,
      ));
    if (!answer?.allowed) return `"${command}" must agree, and running it was not allowed.`;
  }
  const { ok, output } = await shell(command, signal);
  return ok ? null : `"${command}" does not agree:\n${output.slice(-OUTPUT_CHARS)}`;
};

const refusalOfAgent = async (
  agent: string,
  { state, verify }: AcceptanceOptions,
  signal: AbortSignal,
): Promise<string | null> => {
  const [part] = state.messages[state.taskIndex]?.content ?? [];
  const task = [
    "Judge whether this result does what its task asks, by looking yourself; believe nothing that you can check.",
    `## Task\n\n${part?.type === "text" ? part.text : ""}`,
    `## Result\n\n${state.lastText}`,
    `## What the record says\n\nfiles modified: ${[...state.filesModified].join(", ") || "none"}; files created: ${[...state.filesCreated].join(", ") || "none"}; tests run: ${state.testsRun}, passed: ${state.testsPassed}`,
    "Begin your last message with ACCEPT, or with REJECT: and the reason.",
  ].join("\n\n");
  const { status, details, error } = await verify(agent, task, signal);
  if (status !== "completed") return `${agent} could not verify it: ${error?.message ?? status}`;
  const [, verdict, reason] = /^\W*(ACCEPT|REJECT)\b:?\s*([\s\S]*)/i.exec(details) ?? [];
  if (verdict?.toUpperCase() === "ACCEPT") return null;
  return verdict === undefined
    ? `${agent} gave no verdict: ${details.slice(0, OUTPUT_CHARS)}`
    : `${agent} rejects it: ${(reason ?? "").slice(0, OUTPUT_CHARS)}`;
};
