/** Settles the calls of the latest answer: harmless ones side by side, the others one after the other, in the order of the answer. */
import type { ArtifactRef, Json, ToolCallPart } from "@retinue/protocol";
import { allowedCalls, workMs } from "../limits/allowance.ts";
import { hashAct, likenessOf } from "../policy/approvals.ts";
import type { Answered } from "./answered.ts";
import type { Prepared } from "./call.ts";
import { executeCall, prepareCall, toAnswer } from "./call.ts";
import type { HookedCall, Hooks } from "./hooks.ts";
import { toHookText } from "./hooks.ts";
import type { LiveRun } from "./live-run.ts";
import { reserve } from "../limits/purse.ts";
import type { OpenTurn } from "../record/run-state.ts";
import { charsOf, outputChars, shorten } from "../context/shorten.ts";
import type { CallContext } from "./tool.ts";

type Runnable = Exclude<Prepared, { readonly type: "answer" }>;

/** How many harmless calls of one turn run at the same time. */
const PARALLEL_CALLS = 16;

const CANCELLED = toAnswer("cancelled", { code: "cancelled", message: "The run was cancelled." });

export const settleTurn = async (run: LiveRun): Promise<void> => {
  const { turn } = run.state;
  if (!turn) return;
  let group: Prepared[] = [];
  for (const call of turn.calls.values()) {
    if (turn.settled.has(call.callId)) continue;
    const prepared = await prepare(run, call);
    if (isHarmless(prepared)) group.push(prepared);
    else {
      await runGroup(run, group);
      await runGroup(run, [prepared]);
      group = [];
    }
  }
  await runGroup(run, group);
};

/** Settles what is still open of the latest answer without running it. */
export const cancelTurn = (run: LiveRun): void => {
  const { turn } = run.state;
  if (!turn) return;
  for (const call of turn.calls.values())
    if (!turn.settled.has(call.callId)) settle(run, call, isLost(turn, call) ? outcomeUnknown(call) : CANCELLED);
};

const prepare = (run: LiveRun, call: ToolCallPart): Prepared | Promise<Prepared> => {
  const { state, ports } = run;
  if (state.turn && isLost(state.turn, call)) return { type: "answer", call, answer: outcomeUnknown(call) };
  if (state.turn && state.turn.twins.has(call.callId))
    return notRun(call, "The same call stands several times in one answer; it was not run again.");
  const prepared = prepareCall(call, state, ports);
  const before = ports.hooks?.before;
  if (!before) return prepared;
  return prepared.then((judged) => (judged.type === "answer" ? judged : hookBefore(run, judged, before)));
};

/** Lets the hook deny the call, have it asked about, or add to it. */
const hookBefore = async (run: LiveRun, prepared: Runnable, before: NonNullable<Hooks["before"]>): Promise<Prepared> => {
  const { call, tool, input } = prepared;
  const denied = (reason: string): Prepared => ({
    type: "answer",
    call,
    answer: toAnswer("denied", { code: "act_denied", message: `A hook denied "${tool.name}": ${reason}` }),
  });
  try {
    const verdict = await before(toHookedCall(run, prepared), run.stopped);
    const context = verdict?.context === undefined ? {} : { context: verdict.context };
    if (verdict?.decision === "deny") return denied(verdict.reason ?? "it gave no reason.");
    if (verdict?.decision !== "ask" || prepared.type === "ask") return { ...prepared, ...context };
    // The input was parsed from JSON text, so that it is JSON.
    const act = { callId: call.callId, tool: tool.name, effect: tool.effect, input: input as Json, paths: [], hosts: [] };
    return { type: "ask", call, tool, input, act, ...context };
  } catch (thrown) {
    return denied(`it failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
};

/** What hooks add to an answer. A hook that fails after the call has nothing to add. */
const hookAfter = async (run: LiveRun, prepared: Runnable, answer: Answered): Promise<Answered> => {
  const added = prepared.context === undefined ? [] : [prepared.context];
  const after = run.ports.hooks?.after;
  if (after) {
    const text = answer.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    const more = await after(toHookedCall(run, prepared), { outcome: answer.outcome, text }, run.stopped).catch(() => undefined);
    if (more?.context !== undefined) added.push(more.context);
  }
  return added.length === 0
    ? answer
    : {
        ...answer,
        content: [...answer.content, ...added.map((text) => ({ type: "text", text: toHookText(run.clean(text)) }) as const)],
      };
};

const toHookedCall = ({ state }: LiveRun, { call, tool, input }: Runnable): HookedCall => ({
  run: state.identity,
  callId: call.callId,
  tool: tool.name,
  effect: tool.effect,
  // The input was parsed from JSON text, so that it is JSON.
  input: input as Json,
});

/** It was under way when an earlier process ended, and may not be made again. */
const isLost = ({ started }: OpenTurn, { callId }: ToolCallPart): boolean => started.get(callId)?.repeatable === false;

const outcomeUnknown = ({ tool }: ToolCallPart): Answered =>
  toAnswer("unknown", {
    code: "tool_outcome_unknown",
    message: `"${tool}" was under way when the process ended; whether it took effect is not known.`,
  });

const notRun = (call: ToolCallPart, message: string): Prepared => ({
  type: "answer",
  call,
  answer: toAnswer("error", { code: "tool_not_run", message }),
});

/** What only reads, or was answered already, can run beside anything else. */
const isHarmless = (prepared: Prepared): boolean => prepared.type === "answer" || prepared.tool.effect === "read";

const runGroup = async (run: LiveRun, group: readonly Prepared[]): Promise<void> => {
  const { state, note, flush } = run;
  const runnable: Runnable[] = [];
  const allowed = allowedCalls(state, run.purse);
  // What was under way at a crash was a call like any other, and is spent.
  let lost = 0;
  for (const { call } of group) if (state.turn && isLost(state.turn, call)) lost += 1;
  if (lost > 0) reserve(run.purse, {}).settle({ toolCalls: lost });
  for (const prepared of group) {
    if (prepared.type === "answer") settle(run, prepared.call, prepared.answer);
    else if (run.cancelled.aborted) settle(run, prepared.call, CANCELLED);
    else if (lost + runnable.length < allowed.left) runnable.push(prepared);
    else {
      const { max } = allowed;
      if (!state.limit) note({ type: "limit.reached", limit: "toolCalls", used: allowed.used + lost + runnable.length, max });
      const message = `Not run: this run may make ${max} tool calls, and has made them.`;
      settle(run, prepared.call, toAnswer("error", { code: "tool_not_run", message }));
    }
  }
  if (runnable.length === 0) return;
  // Before anything is waited for: whoever calls beside it must find them taken.
  const reservations = new Map(runnable.map((prepared) => [prepared, reserve(run.purse, { toolCalls: 1 })]));
  for (const prepared of runnable) if (prepared.type === "run") start(run, prepared);
  // What has no effect need not wait until its start is on disk: nothing is lost if it is read again.
  if (runnable.every(hasNoEffect)) run.flushMeanwhile();
  else await flush();
  let open = runnable.length;
  const runOne = async (prepared: Runnable): Promise<void> => {
    const ran = await runCall(run, prepared);
    reservations.get(prepared)?.settle({ toolCalls: ran ? 1 : 0 });
    open -= 1;
    // The last one is recorded together with what follows.
    if (open > 0) await flush();
  };
  const [alone] = runnable;
  if (runnable.length === 1 && alone) return runOne(alone);
  const queue = runnable.filter(({ tool }) => !tool.selfPaced);
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) await runOne(next);
  };
  const selfPaced = runnable.filter(({ tool }) => tool.selfPaced).map(runOne);
  await Promise.all([...selfPaced, ...Array.from({ length: Math.min(PARALLEL_CALLS, queue.length) }, worker)]);
};

const hasNoEffect = ({ type, tool }: Runnable): boolean =>
  type === "run" && tool.effect === "read" && tool.repeatable && !tool.selfPaced;

/** False when a human refused it. */
const runCall = async (run: LiveRun, prepared: Runnable): Promise<boolean> => {
  const { state, ports } = run;
  const { call, tool, input } = prepared;
  const { durationMs } = state.spec.limits;
  if (prepared.type === "ask") {
    const refusal = await askHuman(run, prepared);
    if (refusal) {
      settle(run, call, refusal);
      return false;
    }
    start(run, prepared);
    await run.flush();
  }
  const shown = ports.redactor?.stream();
  const show = (text: string): void => run.show({ type: "tool.progress", callId: call.callId, text });
  const context: CallContext = {
    callId: call.callId,
    run: state.identity,
    workspace: state.spec.workspace,
    scope: state.spec.grant,
    ...(prepared.type === "ask" ? { act: prepared.act } : {}),
    onStop: run.onStop,
    artifacts: ports.artifacts,
    timeLeftMs: () => (durationMs === undefined ? Infinity : Math.max(0, workMs(durationMs) - run.watch.activeMs())),
    progress: shown ? (text) => showSome(shown.push(text), show) : show,
  };
  const executed = await (ports.execute ? ports.execute(tool, input, context) : executeCall(ports.clock, tool, input, context));
  if (shown) showSome(shown.end(), show);
  // Hooks, too, hear of it without secrets.
  const ran = run.clean(executed);
  const answer = ports.hooks || prepared.context !== undefined ? await hookAfter(run, prepared, ran) : ran;
  const mostChars = tool.selfFitted === true ? Infinity : outputChars(state.spec.limits, state.turn?.calls.size ?? 1);
  if (charsOf(answer.content) <= mostChars) settle(run, call, answer);
  else settle(run, call, { ...answer, ...(await shorten(answer.content, mostChars, ports.artifacts)) });
  return true;
};

const showSome = (text: string, show: (text: string) => void): void => {
  if (text !== "") show(text);
};

/** Asks whoever can answer. Gives the refusal, or null when it was allowed. */
const askHuman = async (run: LiveRun, { call, tool, act }: Extract<Runnable, { type: "ask" }>): Promise<Answered | null> => {
  const { state, ports, note, watch, cancelled } = run;
  if (state.allowed.has(likenessOf(act)) || ports.isAllowed?.(act)) return null;
  if (!ports.approve) {
    const message = `"${tool.name}" would ${tool.effect} and needs an approval, and nobody is there to give it.`;
    return toAnswer("denied", { code: "approval_unavailable", message });
  }
  const approvalId = `apr_${state.identity.runId.slice(4)}_${call.callId}` as const;
  const hash = hashAct(act);
  const denial = (reason: string | undefined): Answered =>
    toAnswer("denied", { code: "act_denied", message: `"${tool.name}" was denied${reason === undefined ? "." : `: ${reason}`}` });
  // After a crash a question stands as it was asked, and an answer as it was given.
  const given = state.givenApprovals.get(call.callId);
  const asked = state.pendingApprovals.get(call.callId) ?? given;
  if (asked && asked.hash !== hash) return denial("it would now do something else than was asked about.");
  if (given) return given.allowed ? null : denial(given.reason);
  if (!asked) note({ type: "approval.requested", approvalId, act, hash });
  await run.flush();
  watch.pause();
  try {
    const { allowed, scope = "once", reason } = await ports.approve({ approvalId, run: state.identity, act, hash }, cancelled);
    if (cancelled.aborted) return CANCELLED;
    note({ type: "approval.answered", approvalId, allowed, scope, ...(reason === undefined ? {} : { reason }) });
    return allowed ? null : denial(reason);
  } catch (thrown) {
    if (!cancelled.aborted) throw thrown;
    return CANCELLED;
  } finally {
    watch.resume();
  }
};

const start = ({ note }: LiveRun, { call, tool, input }: Runnable): void => {
  // The input was parsed from JSON text, so that it is JSON.
  note({
    type: "tool.started",
    callId: call.callId,
    tool: tool.name,
    input: input as Json,
    effect: tool.effect,
    repeatable: tool.repeatable,
  });
};

const settle = ({ note, watch }: LiveRun, call: ToolCallPart, answer: Answered & { readonly artifact?: ArtifactRef }): void => {
  note({ type: "tool.settled", callId: call.callId, tool: call.tool, ...answer, activeMs: watch.activeMs() });
};
