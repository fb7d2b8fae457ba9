/** Runs one call that was let through: asks a human where that is needed, records its start, executes it, settles it. */
import type { ArtifactRef, Json, ToolCallPart, WaitingFor } from "@retinue/protocol";
import { judge } from "../policy/judge.ts";
import { charsOf, outputChars, shorten } from "../context/shorten.ts";
import type { Answered } from "./answered.ts";
import type { Question } from "./ask-human.ts";
import { askHuman } from "./ask-human.ts";
import type { Runnable } from "./call.ts";
import { executeCall } from "./call.ts";
import type { Allowed } from "./call-context.ts";
import { toCallContext } from "./call-context.ts";
import { hookAfter } from "./hook-call.ts";
import type { LiveRun } from "./live-run.ts";
import { loadedSkills } from "./loaded-skills.ts";
import { withNotices } from "./notices.ts";
import { Parked } from "./parked.ts";
import type { CallContext } from "./tool.ts";

/** What became of a call: it ran, a human refused it, or it waits outside of memory and stays open in the record. */
export type Ran = { readonly type: "ran" | "refused" } | { readonly type: "parked"; readonly on: readonly WaitingFor[] };

const RAN: Ran = { type: "ran" };
const REFUSED: Ran = { type: "refused" };

export const runCall = async (run: LiveRun, prepared: Runnable): Promise<Ran> => {
  const { call, tool } = prepared;
  let allowed: Allowed | undefined;
  if (prepared.type === "ask") {
    const asked = await askHuman(run, { callId: call.callId, tool, act: prepared.act, judgeAgain: judgeAgain(run, prepared) });
    if (asked.type === "parked") return asked;
    if (asked.type === "refused") {
      settle(run, call, asked.answer);
      return REFUSED;
    }
    start(run, prepared);
    await run.flush();
    allowed = {
      act: asked.act,
      ...(asked.text === undefined ? {} : { answer: asked.text }),
    };
  }
  try {
    const answering = answerCall(run, prepared, await execute(run, prepared, allowed));
    if (answering) await answering;
    return RAN;
  } catch (thrown) {
    if (thrown instanceof Parked) return { type: "parked", on: thrown.on };
    throw thrown;
  }
};

/** The judgement of the call as it would be made now. */
export const judgeAgain =
  ({ state, ports }: LiveRun, { call, tool, input }: Runnable): NonNullable<Question["judgeAgain"]> =>
  async (asked) =>
    (ports.judge ?? judge)({
      callId: call.callId,
      tool,
      input,
      spec: state.spec,
      realPath: ports.realPath,
      agent: state.identity.agent,
      run: state.identity,
      loadedSkills: () => loadedSkills(state),
      asked,
    });

const execute = (run: LiveRun, { call, tool, input }: Runnable, allowed: Allowed | undefined): Promise<Answered> => {
  const { ports } = run;
  const plain = toCallContext(run, call.callId, allowed);
  const shown = ports.redactor?.stream();
  const context: CallContext = shown ? { ...plain, progress: (text) => showSome(shown.push(text), plain.progress) } : plain;
  const executing = ports.execute ? ports.execute(tool, input, context) : executeCall(ports.clock, tool, input, context);
  if (!shown) return executing;
  return executing.then((executed) => {
    showSome(shown.end(), plain.progress);
    return executed;
  });
};

/** A promise only where there is something to wait for: most calls have no hooks and a short answer. */
const answerCall = (run: LiveRun, prepared: Runnable, executed: Answered): Promise<void> | undefined => {
  // Hooks, too, hear of it without secrets.
  const ran = run.clean(executed);
  return run.ports.hooks || prepared.context !== undefined
    ? hookAfter(run, prepared, ran).then((answer) => settleFitted(run, prepared, answer))
    : settleFitted(run, prepared, ran);
};

const settleFitted = (run: LiveRun, { call, tool }: Runnable, answer: Answered): Promise<void> | undefined => {
  const { state, ports } = run;
  const mostChars = tool.selfFitted === true ? Infinity : outputChars(state.spec.limits, state.turn?.calls.size ?? 1);
  if (charsOf(answer.content) > mostChars)
    return shorten(answer.content, mostChars, ports.artifacts).then((short) => settle(run, call, { ...answer, ...short }));
  settle(run, call, answer);
  return undefined;
};

const showSome = (text: string, show: (text: string) => void): void => {
  if (text !== "") show(text);
};

export const start = ({ note }: LiveRun, { call, tool, input }: Runnable): void => {
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

const MOST_ARGUMENTS = 10_000;

/** Nothing else in the record tells what a call asked for that was refused before it began. */
const unstarted = ({ turn }: LiveRun["state"], { callId, arguments: given }: ToolCallPart): { readonly arguments?: string } =>
  turn?.started.has(callId) === true ? {} : { arguments: given.slice(0, MOST_ARGUMENTS) };

export const settle = (run: LiveRun, call: ToolCallPart, answer: Answered & { readonly artifact?: ArtifactRef }): void => {
  const { state, note, watch } = run;
  note({
    type: "tool.settled",
    callId: call.callId,
    tool: call.tool,
    ...unstarted(state, call),
    ...answer,
    content: withNotices(run, call, answer),
    activeMs: watch.activeMs(),
  });
};
