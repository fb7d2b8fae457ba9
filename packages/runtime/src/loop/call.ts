/** One tool call: from what the model wrote to what it is answered. Bad calls are answered, never thrown. */
import type { ErrorCode, ErrorValue, ProposedAct, ToolCallPart, ToolOutcome, UserPart } from "@retinue/protocol";
import { RetinueError, toErrorValue, toPossibleSpent } from "@retinue/protocol";
import { nearestNames } from "@retinue/protocol/names";
import type { z } from "zod";
import { isDelegation, noDelegation, toRefusal } from "../delegation/refusal.ts";
import type { Answered } from "./answered.ts";
import { describeMisfit, exampleOf } from "./arguments/describe-misfit.ts";
import { mendArguments } from "./arguments/mend-arguments.ts";

import { parseArguments } from "./arguments/parse-arguments.ts";
import type { Judgement } from "../policy/judge.ts";
import { judge } from "../policy/judge.ts";
import { findToolNamed } from "../policy/tool-names.ts";
import { loadedSkills } from "./loaded-skills.ts";
import { Parked } from "./parked.ts";
import type { Conduct } from "./parts.ts";
import type { Clock, Ports } from "./ports.ts";
import type { RunState } from "../record/run-state.ts";
import type { AnyResource } from "./resource.ts";
import type { AnyTool, CallContext, ToolContext, ToolOutput } from "./tool.ts";
import { toDeclaration } from "./tool.ts";
import { fromWireName } from "./wire-name.ts";

export type Prepared =
  | { readonly type: "answer"; readonly call: ToolCallPart; readonly answer: Answered }
  | {
      readonly type: "run";
      readonly call: ToolCallPart;
      readonly tool: AnyTool;
      readonly input: unknown;
      /** What a hook adds to the answer. */
      readonly context?: string;
    }
  | {
      readonly type: "ask";
      readonly call: ToolCallPart;
      readonly tool: AnyTool;
      readonly input: unknown;
      readonly act: ProposedAct;
      readonly context?: string;
    };

export type Runnable = Exclude<Prepared, { readonly type: "answer" }>;

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

/** A delegation that cannot be made is answered as one, also where there is no tool for it. */
const answerUnknown = (call: ToolCallPart, state: RunState, { tools }: Ports): Prepared => {
  if (isDelegation(call.tool, state)) {
    const error = noDelegation(state);
    const isSkill = call.arguments.includes('"skill_name"');
    const { content } = toRefusal(error, state.identity.depth, isSkill ? "skill" : "result");
    return { type: "answer", call, answer: { outcome: "error", content, error } };
  }
  const names = [...tools.keys()];
  const near = nearestNames(call.tool, names).join(", ");
  return refuse(
    call,
    "tool_unknown",
    `There is no tool "${call.tool}".${near === "" ? "" : ` The nearest are: ${near}.`} The tools of this run are: ${names.join(", ") || "none"}.`,
  );
};

/** The words that some models put before every name. */
const NAMESPACE = /^(?:functions|function|tools|tool|default_api)[.:]/;

const findTool = (name: string, tools: Ports["tools"]): AnyTool | undefined =>
  tools.get(name) ??
  tools.get(fromWireName(name)) ??
  findToolNamed(name, tools) ??
  (NAMESPACE.test(name) ? findTool(name.replace(NAMESPACE, ""), tools) : undefined);

/** Checks a call and judges it, without doing anything yet. A promise only where the judgement has to look at something. */
export const prepareCall = (call: ToolCallPart, state: RunState, ports: Ports): Prepared | Promise<Prepared> => {
  const { spec } = state;
  const tool = findTool(call.tool, ports.tools);
  if (!tool) return answerUnknown(call, state, ports);
  const given = parseArguments(call.arguments);
  if (given.type === "notJson")
    return state.turn?.finishReason === "length"
      ? refuse(call, "tool_arguments_truncated", toTruncated(call.tool))
      : refuse(
          call,
          "tool_arguments_not_json",
          `The arguments of "${call.tool}" are not JSON: ${given.why}.${toExampleText(tool)}`,
        );
  const parsed = readArguments(tool, given.value);
  if (!parsed.success) return refuse(call, "tool_arguments_invalid", describeMisfit(tool, given.value, parsed.error));
  const mark = ports.redactor?.findMark?.(call.arguments);
  if (mark !== undefined && !isOnlySaid(tool, parsed.data))
    return refuse(
      call,
      "tool_arguments_secret",
      `"${call.tool}" was not called: ${mark} stands in its arguments in place of a secret, and what it would do is not what was meant. ` +
        "Leave that part of the text as it is, or let the program take the secret from the variable or file that holds it. " +
        "In a command of the shell {{secret:NAME}} stands for a secret of the workspace's .env; the user is asked, and it is filled in.",
    );
  const checked: CheckedCall = { call, tool, input: parsed.data };
  const judgement = (ports.judge ?? judge)({
    callId: call.callId,
    tool,
    input: parsed.data,
    spec,
    realPath: ports.realPath,
    agent: state.identity.agent,
    run: state.identity,
    loadedSkills: () => loadedSkills(state),
  });
  return judgement instanceof Promise ? judgement.then((judged) => toPrepared(checked, judged)) : toPrepared(checked, judgement);
};

/** The strict reading, or else the only other one that fits. */
const readArguments = (tool: AnyTool, given: unknown): z.ZodSafeParseResult<unknown> => {
  const strict = tool.input.safeParse(given);
  if (strict.success) return strict;
  const mended = mendArguments(toDeclaration(tool).inputSchema, given);
  const other = mended === undefined ? strict : tool.input.safeParse(mended);
  return other.success ? other : strict;
};

const toExampleText = (tool: AnyTool): string => {
  const example = exampleOf(tool);
  return example === undefined ? "" : ` A call that fits: ${JSON.stringify(example)}`;
};

const toTruncated = (tool: string): string =>
  `The arguments of "${tool}" were cut off at the output limit, so it was not called. Make the call smaller: write a long file in parts, ` +
  "the first part with write and each further part with edit, or split the work into several calls.";

export type CheckedCall = { readonly call: ToolCallPart; readonly tool: AnyTool; readonly input: unknown };

export const toPrepared = ({ call, tool, input }: CheckedCall, judgement: Judgement): Prepared => {
  switch (judgement.type) {
    case "allow":
      return { type: "run", call, tool, input };
    case "deny":
      return { type: "answer", call, answer: toAnswer("denied", withRelativePath(judgement.error)) };
    case "ask":
      return { type: "ask", call, tool, input, act: judgement.act };
    default:
      return judgement satisfies never;
  }
};

/** A path from the root is nearly always meant from the workspace; which one that is, the model says itself. */
const withRelativePath = (error: ErrorValue): ErrorValue =>
  error.code === "path_outside_workspace" && error.hint === undefined
    ? { ...error, hint: 'Paths are relative to the workspace, without a "/" in front.' }
    : error;

/** What touches nothing and only hands words on, a question to the user among them, may speak of a secret by its mark. */
const isOnlySaid = (tool: AnyTool, input: unknown): boolean => {
  const { question: _, ...touches } = tool.touches(input);
  return tool.effect === "read" && Object.values(touches).every((touched) => Array.isArray(touched) && touched.length === 0);
};

/** Runs a tool within its time. It answers, also when the tool ignores that it was told to stop; only `Parked` is thrown. */
export const executeCall = async (clock: Clock, tool: AnyTool, input: unknown, context: CallContext): Promise<Answered> => {
  const call = new RunningCall(clock, context);
  const forget = context.onStop((reason) => call.stop(reason, false));
  const cancelTimer =
    tool.timeoutMs === Infinity
      ? null
      : clock.after(tool.timeoutMs, () =>
          call.stop(new RetinueError("tool_timeout", `"${tool.name}" took longer than ${tool.timeoutMs} ms.`), true),
        );
  try {
    const output = await new Promise<ToolOutput>((resolve, reject) => {
      call.onLeftBehind = () =>
        reject(new RetinueError("tool_failed", `"${tool.name}" did not stop when told to and was left behind.`));
      (tool.resource ? executeWith(tool.resource, { tool, input, call, context }) : tool.execute(input, call)).then(
        resolve,
        reject,
      );
    });
    if (typeof output === "string") return { outcome: "ok", content: [{ type: "text", text: output }] };
    const { content, files, tests, sandbox, spent, artifact, transferred, error, isError = error !== undefined } = output;
    return {
      outcome: isError ? (call.stopped ? "cancelled" : "error") : "ok",
      content,
      ...(files === undefined ? {} : { files }),
      ...(tests === undefined ? {} : { tests }),
      ...(sandbox === undefined ? {} : { sandbox }),
      ...(spent === undefined ? {} : { spent: toPossibleSpent(spent) }),
      ...(artifact === undefined ? {} : { artifact }),
      ...(transferred === undefined ? {} : { transferred }),
      ...(error === undefined ? {} : { error }),
    };
  } catch (thrown) {
    if (thrown instanceof Parked) throw thrown;
    const { stopped, leftBehind } = call;
    if (stopped?.timedOut) return toAnswer(outcomeOfStop(tool, leftBehind, "error"), toErrorValue(stopped.reason));
    if (stopped)
      return toAnswer(outcomeOfStop(tool, leftBehind, "cancelled"), {
        code: "cancelled",
        message: `"${tool.name}" was stopped before it was done.`,
      });
    return toAnswer("error", thrown instanceof RetinueError ? toErrorValue(thrown) : toolFailed(tool, thrown));
  } finally {
    cancelTimer?.();
    forget();
  }
};

type Execution = {
  readonly tool: AnyTool;
  readonly input: unknown;
  readonly call: ToolContext;
  readonly context: CallContext;
};

/** What the tool works with is opened first, where no call before has. */
const executeWith = async (resource: AnyResource, { tool, input, call, context }: Execution): Promise<ToolOutput> => {
  const { resources } = context;
  if (!resources) throw openFailed(tool, resource, "nothing can be held open here");
  let held: unknown;
  try {
    held = await resources.take(resource);
  } catch (thrown) {
    throw openFailed(tool, resource, thrown instanceof Error ? thrown.message : String(thrown));
  }
  // Stopped meanwhile, it would only begin to be stopped.
  call.signal.throwIfAborted();
  return tool.execute(input, call, held);
};

const openFailed = (tool: AnyTool, { name }: AnyResource, why: string): RetinueError =>
  new RetinueError("tool_open_failed", `"${tool.name}" was not called: ${name} could not be opened: ${why}`);

/** What a tool is given while it runs. Its signal is made only when a tool looks at it: most are done before anybody could stop them. */
class RunningCall implements ToolContext {
  readonly callId: ToolContext["callId"];
  readonly run: ToolContext["run"];
  readonly workspace: string;
  readonly scope: ToolContext["scope"];
  declare readonly act?: ProposedAct;
  declare readonly answer?: string;
  readonly artifacts: ToolContext["artifacts"];
  readonly timeLeftMs: () => number;
  declare readonly mostChars?: number;
  declare readonly look?: NonNullable<ToolContext["look"]>;
  readonly progress: (text: string) => void;
  stopped: { readonly reason: unknown; readonly timedOut: boolean } | null = null;
  leftBehind = false;
  onLeftBehind: (() => void) | null = null;
  readonly #clock: Clock;
  readonly #conduct: CallContext["conduct"];
  #controller: AbortController | null = null;

  constructor(
    clock: Clock,
    { callId, run, workspace, scope, act, answer, artifacts, timeLeftMs, conduct, mostChars, look, progress }: CallContext,
  ) {
    this.#clock = clock;
    this.callId = callId;
    this.run = run;
    this.workspace = workspace;
    this.scope = scope;
    if (act !== undefined) this.act = act;
    if (answer !== undefined) this.answer = answer;
    this.artifacts = artifacts;
    this.timeLeftMs = timeLeftMs;
    this.#conduct = conduct;
    if (mostChars !== undefined) this.mostChars = mostChars;
    if (look !== undefined) this.look = look;
    this.progress = progress;
  }

  get conduct(): Conduct | undefined {
    return this.#conduct?.();
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.stopped) this.#controller.abort(this.stopped.reason);
    return this.#controller.signal;
  }

  stop(reason: unknown, timedOut: boolean): void {
    this.stopped ??= { reason, timedOut };
    this.#controller?.abort(reason);
    this.#clock.after(CLEAN_UP_MS, () => {
      this.leftBehind = true;
      this.onLeftBehind?.();
    });
  }
}

const outcomeOfStop = (tool: AnyTool, leftBehind: boolean, otherwise: ToolOutcome): ToolOutcome =>
  leftBehind && !tool.repeatable ? "unknown" : otherwise;

const toolFailed = (tool: AnyTool, thrown: unknown): ErrorValue => ({
  code: "tool_failed",
  message: `"${tool.name}" failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
});
