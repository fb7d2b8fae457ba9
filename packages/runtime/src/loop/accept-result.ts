/**
 * What must agree before a result counts as completed: its schema, the agent's `accept`, then hooks. A command is an act like any other: judged by the run's
 * grant and by hooks, asked about where that is needed, recorded as a call of ours before and after it runs. An agent that verifies is a run below.
 */
import type { CallId, RecordedBody, RunResult, WaitingFor } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { judge } from "../policy/judge.ts";
import type { RunState } from "../record/run-state.ts";
import type { Answered } from "./answered.ts";
import { askHuman } from "./ask-human.ts";
import type { Prepared, Runnable } from "./call.ts";
import { executeCall, toPrepared } from "./call.ts";
import { toCallContext } from "./call-context.ts";
import { hookAfter, hookPrepared } from "./hook-call.ts";
import type { LiveRun } from "./live-run.ts";
import { findEndingMisfit } from "../plan/step-ending.ts";
import { findMisfit, readJson } from "./output.ts";
import { LeftOpen, Parked } from "./parked.ts";
import { judgeAgain } from "./run-call.ts";
import type { AnyTool } from "./tool.ts";
import { findUnfinished } from "./unfinished.ts";

type Rejection = Extract<RecordedBody, { readonly type: "result.rejected" }>;

export type Acceptability =
  | { readonly type: "accepted" }
  | { readonly type: "rejected"; readonly rejection: Rejection }
  | { readonly type: "parked"; readonly on: readonly WaitingFor[] };

const ACCEPTED: Acceptability = { type: "accepted" };
const OUTPUT_CHARS = 2_000;

export const acceptResult = async (run: LiveRun): Promise<Acceptability> => {
  const unfinished = findUnfinished(run.state, run.ports.tools);
  if (unfinished !== null) return rejected("unfinished", unfinished);
  const { output, ending, accept } = run.state.spec;
  const { lastText } = run.state;
  const misfit = output ? findMisfit(output, lastText) : ending ? findEndingMisfit(lastText) : null;
  if (misfit !== null) return rejected("schema", misfit);
  const value = output && run.ports.guard?.misfit ? readJson(lastText) : undefined;
  const wrong = value === undefined ? null : await run.ports.guard?.misfit?.(value);
  if (typeof wrong === "string") return rejected("schema", wrong);
  if (!accept || !run.ports.accept) return endOf(run);
  await run.flush();
  try {
    const refusal = "command" in accept ? await refusalOfCommand(run, accept.command) : await refusalOfAgent(run, accept.agent);
    return refusal === null ? await endOf(run) : rejected("accept", refusal);
  } catch (thrown) {
    if (thrown instanceof Parked) return { type: "parked", on: thrown.on };
    throw thrown;
  }
};

/** Hooks are asked last: what they look at is what would be handed back. */
const endOf = async ({ state, ports, stopped }: LiveRun): Promise<Acceptability> => {
  const reason = (await ports.guard?.end?.({ text: state.lastText, isAgain: state.rejections > 0 }, stopped)) ?? null;
  return reason === null ? ACCEPTED : rejected("hook", reason);
};

const rejected = (by: Rejection["by"], reason: string): Acceptability => ({
  type: "rejected",
  rejection: { type: "result.rejected", by, reason },
});

/** The same for the same answer, so that a resumed run finds its call. */
const acceptCallId = ({ used }: RunState): CallId => `accept_${used.iterations}`;

/** The reason why not, or null. */
const refusalOfCommand = async (run: LiveRun, command: string): Promise<string | null> => {
  const { state } = run;
  const callId = acceptCallId(state);
  const settled = state.asides.get(callId)?.settled ?? (await runCommand(run, callId, command));
  if (settled.outcome === "ok") return null;
  const said = settled.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  return settled.outcome === "denied"
    ? `"${command}" must agree, and may not be run: ${said}`
    : `"${command}" does not agree:\n${said.slice(-OUTPUT_CHARS)}`;
};

const runCommand = async (run: LiveRun, callId: CallId, command: string): Promise<Answered> => {
  const { ports } = run;
  const tool = ports.accept?.command;
  if (!tool) return noShell(command);
  const input = { command };
  const prepared = await prepareCommand(run, { callId, tool, input });
  const admission = await admit(run, prepared);
  run.note({
    type: "tool.started",
    callId,
    tool: tool.name,
    input,
    effect: tool.effect,
    repeatable: true,
    aside: "accept",
  });
  if (admission.type === "run") await run.flush();
  const answer = admission.type === "run" ? await executeCommand(run, admission.runnable) : admission.answer;
  run.note({ type: "tool.settled", callId, tool: tool.name, ...answer, aside: "accept", activeMs: run.watch.activeMs() });
  return answer;
};

type Command = { readonly callId: CallId; readonly tool: AnyTool; readonly input: { readonly command: string } };

/** Judged by policy, then by hooks, as a call of the model would be. */
const prepareCommand = async (run: LiveRun, { callId, tool, input }: Command): Promise<Prepared> => {
  const { state, ports } = run;
  const judgement = await (ports.judge ?? judge)({ callId, tool, input, spec: state.spec, realPath: ports.realPath });
  const call = { type: "tool-call", callId, tool: tool.name, arguments: JSON.stringify(input) } as const;
  if (judgement.type === "deny") {
    const { error } = judgement;
    return { type: "answer", call, answer: { outcome: "denied", content: [{ type: "text", text: error.message }], error } };
  }
  return hookPrepared(run, toPrepared({ call, tool, input }, judgement));
};

const executeCommand = async (run: LiveRun, prepared: Runnable): Promise<Answered> => {
  const { ports } = run;
  const { call, tool, input } = prepared;
  const context = toCallContext(run, call.callId, prepared.type === "ask" ? { act: prepared.act } : undefined);
  const ran = run.clean(await (ports.execute ?? executeCall.bind(null, ports.clock))(tool, input, context));
  return ports.hooks ? hookAfter(run, prepared, ran) : ran;
};

const noShell = (command: string): Answered => ({
  outcome: "denied",
  content: [{ type: "text", text: `there is no shell to run "${command}".` }],
});

type Admission = { readonly type: "run"; readonly runnable: Runnable } | { readonly type: "answer"; readonly answer: Answered };

const admit = async (run: LiveRun, prepared: Prepared): Promise<Admission> => {
  switch (prepared.type) {
    case "run":
      return { type: "run", runnable: prepared };
    case "answer":
      return prepared;
    case "ask": {
      const { call, tool, act } = prepared;
      const asked = await askHuman(run, { callId: call.callId, tool, act, judgeAgain: judgeAgain(run, prepared) });
      if (asked.type === "parked") throw new Parked(asked.on);
      if (asked.type === "refused") return { type: "answer", answer: asked.answer };
      return { type: "run", runnable: { ...prepared, act: asked.act } };
    }
    default:
      return prepared satisfies never;
  }
};

const refusalOfAgent = async (run: LiveRun, agent: string): Promise<string | null> => {
  const { state, ports, stopped } = run;
  const verify = ports.accept?.verify;
  if (!verify) return `${agent} must agree, and no run can be started below this one.`;
  try {
    return refusalIn(agent, await verify({ callId: acceptCallId(state), agent, task: toVerificationTask(state) }, stopped));
  } catch (thrown) {
    if (!(thrown instanceof RetinueError) || thrown instanceof LeftOpen || stopped.aborted) throw thrown;
    return couldNot(agent, thrown.message);
  }
};

const couldNot = (agent: string, why: string): string => `${agent} could not verify it: ${why}`;

const refusalIn = (agent: string, { status, details, error }: RunResult): string | null => {
  if (status !== "completed") return couldNot(agent, error?.message ?? status);
  const [, verdict, reason] = /^\W*(ACCEPT|REJECT)\b:?\s*([\s\S]*)/i.exec(details) ?? [];
  if (verdict?.toUpperCase() === "ACCEPT") return null;
  return verdict === undefined
    ? `${agent} gave no verdict: ${details.slice(0, OUTPUT_CHARS)}`
    : `${agent} rejects it: ${(reason ?? "").slice(0, OUTPUT_CHARS)}`;
};

const toVerificationTask = (state: RunState): string => {
  const [part] = state.messages[state.taskIndex]?.content ?? [];
  return [
    "Judge whether this result does what its task asks, by looking yourself; believe nothing that you can check.",
    `## Task\n\n${part?.type === "text" ? part.text : ""}`,
    `## Result\n\n${state.lastText}`,
    `## What the record says\n\nfiles modified: ${[...state.filesModified].join(", ") || "none"}; files created: ${[...state.filesCreated].join(", ") || "none"}; tests run: ${state.testsRun}, passed: ${state.testsPassed}`,
    "Begin your last message with ACCEPT, or with REJECT: and the reason.",
  ].join("\n\n");
};
