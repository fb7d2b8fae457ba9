/** One tool call: from what the model wrote to what it is answered. Bad calls are answered, never thrown. */
import type { ErrorCode, ErrorValue, ProposedAct, ToolCallPart, ToolOutcome, UserPart } from "@retinue/protocol";
import { RetinueError, toErrorValue } from "@retinue/protocol";
import { z } from "zod";
import type { Answered } from "./answered.ts";
import { judge } from "./judge.ts";
import type { Clock, Ports } from "./ports.ts";
import type { RunState } from "./run-state.ts";
import type { AnyTool, ToolContext } from "./tool.ts";

export type Prepared =
  | { readonly type: "answer"; readonly call: ToolCallPart; readonly answer: Answered }
  | { readonly type: "run"; readonly call: ToolCallPart; readonly tool: AnyTool; readonly input: unknown }
  | {
      readonly type: "ask";
      readonly call: ToolCallPart;
      readonly tool: AnyTool;
      readonly input: unknown;
      readonly act: ProposedAct;
    };

/** How long a tool that was told to stop may take to clean up before it is left behind. */
const CLEAN_UP_MS = 3_000;

const textOf = (error: ErrorValue): readonly UserPart[] => [
  { type: "text", text: `Error (${error.code}): ${error.message}${error.hint === undefined ? "" : ` ${error.hint}`}` },
];

export const toAnswer = (outcome: ToolOutcome, error: ErrorValue): Answered => ({ outcome, content: textOf(error), error });

const refuse = (call: ToolCallPart, code: ErrorCode, message: string): Prepared => ({
  type: "answer",
  call,
  answer: toAnswer("error", { code, message }),
});

/** Checks a call and judges it, without doing anything yet. */
export const prepareCall = async (call: ToolCallPart, state: RunState, ports: Ports): Promise<Prepared> => {
  const { spec } = state;
  const tool = ports.tools.get(call.tool);
  if (!tool)
    return refuse(
      call,
      "tool_unknown",
      `There is no tool "${call.tool}". The tools of this run are: ${[...ports.tools.keys()].join(", ") || "none"}.`,
    );
  let given: unknown;
  try {
    given = call.arguments.trim() === "" ? {} : JSON.parse(call.arguments);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return state.turn?.finishReason === "length"
      ? refuse(
          call,
          "tool_arguments_truncated",
          `The arguments of "${call.tool}" were cut off at the output limit, so it was not called.`,
        )
      : refuse(call, "tool_arguments_not_json", `The arguments of "${call.tool}" are not JSON: ${why}.`);
  }
  const parsed = tool.input.safeParse(given);
  if (!parsed.success)
    return refuse(
      call,
      "tool_arguments_invalid",
      `The arguments of "${call.tool}" do not fit:\n${z.prettifyError(parsed.error)}`,
    );
  const judgement = await (ports.judge ?? judge)({
    callId: call.callId,
    tool,
    input: parsed.data,
    spec,
    realPath: ports.realPath,
  });
  switch (judgement.type) {
    case "allow":
      return { type: "run", call, tool, input: parsed.data };
    case "deny":
      return { type: "answer", call, answer: toAnswer("denied", judgement.error) };
    case "ask":
      return { type: "ask", call, tool, input: parsed.data, act: judgement.act };
    default:
      return judgement satisfies never;
  }
};

/** Runs a tool within its time. It always answers, also when the tool ignores that it was told to stop. */
export const executeCall = async (clock: Clock, tool: AnyTool, input: unknown, context: ToolContext): Promise<Answered> => {
  const stop = new AbortController();
  let timedOut = false;
  const onAbort = (): void => stop.abort(context.signal.reason);
  if (context.signal.aborted) onAbort();
  else context.signal.addEventListener("abort", onAbort, { once: true });
  const cancelTimer =
    tool.timeoutMs === Infinity
      ? null
      : clock.after(tool.timeoutMs, () => {
          timedOut = true;
          stop.abort(new RetinueError("tool_timeout", `"${tool.name}" took longer than ${tool.timeoutMs} ms.`));
        });
  let leftBehind = false;
  try {
    const work = tool.execute(input, { ...context, signal: stop.signal });
    const left = new Promise<never>((_, reject) => {
      stop.signal.addEventListener("abort", () => {
        clock.after(CLEAN_UP_MS, () => {
          leftBehind = true;
          reject(new RetinueError("tool_failed", `"${tool.name}" did not stop when told to and was left behind.`));
        });
      });
    });
    const output = await Promise.race([work, left]);
    if (typeof output === "string") return { outcome: "ok", content: [{ type: "text", text: output }] };
    const { content, files, tests, spent, isError = false } = output;
    return {
      outcome: isError ? (stop.signal.aborted ? "cancelled" : "error") : "ok",
      content,
      ...(files === undefined ? {} : { files }),
      ...(tests === undefined ? {} : { tests }),
      ...(spent === undefined ? {} : { spent }),
    };
  } catch (thrown) {
    if (timedOut) return toAnswer(outcomeOfStop(tool, leftBehind, "error"), toErrorValue(stop.signal.reason));
    if (stop.signal.aborted)
      return toAnswer(outcomeOfStop(tool, leftBehind, "cancelled"), {
        code: "cancelled",
        message: `"${tool.name}" was stopped before it was done.`,
      });
    return toAnswer("error", thrown instanceof RetinueError ? toErrorValue(thrown) : toolFailed(tool, thrown));
  } finally {
    cancelTimer?.();
    context.signal.removeEventListener("abort", onAbort);
  }
};

const outcomeOfStop = (tool: AnyTool, leftBehind: boolean, otherwise: ToolOutcome): ToolOutcome =>
  leftBehind && !tool.repeatable ? "unknown" : otherwise;

const toolFailed = (tool: AnyTool, thrown: unknown): ErrorValue => ({
  code: "tool_failed",
  message: `"${tool.name}" failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
});
