/** What hooks do with a call: before it runs they may deny it, have it asked about, or add to it; afterwards they may add to its answer. */
import type { Json, Message } from "@retinue/protocol";
import type { Answered } from "./answered.ts";
import type { Prepared, Runnable } from "./call.ts";
import { toAnswer } from "./call.ts";
import type { HookedCall, Hooks } from "./hooks.ts";
import { toHookText } from "./hooks.ts";
import type { LiveRun } from "./live-run.ts";
import type { AnyTool } from "./tool.ts";

/** Lets hooks see a call that policy lets pass or has asked about. */
export const hookPrepared = (run: LiveRun, prepared: Prepared): Prepared | Promise<Prepared> => {
  const before = run.ports.hooks?.before;
  return before && prepared.type !== "answer" ? hookBefore(run, prepared, before) : prepared;
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
export const hookAfter = async (run: LiveRun, prepared: Runnable, answer: Answered): Promise<Answered> => {
  const added = prepared.context === undefined ? [] : [prepared.context];
  const after = run.ports.hooks?.after;
  if (after) {
    const text = answer.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    const more = await after(toHookedCall(run, prepared), { outcome: answer.outcome, text }, run.stopped).catch(() => undefined);
    if (more?.context !== undefined) added.push(more.context);
  }
  const texts = [...added.map(toHookText), ...(await informed(run, prepared))];
  return texts.length === 0
    ? answer
    : { ...answer, content: [...answer.content, ...texts.map((text) => ({ type: "text", text: run.clean(text) }) as const)] };
};

/** What was written for the places that the call touches, and is not in the context yet. What cannot be read has nothing to say. */
const informed = async (run: LiveRun, { tool, input }: Runnable): Promise<readonly string[]> => {
  const inform = run.ports.hooks?.inform;
  const { paths = [] } = inform ? tool.touches(input) : {};
  if (!inform || paths.length === 0) return [];
  const pieces = await inform(run.state.identity, paths, run.state.spec.workspace).catch(() => []);
  return pieces.filter((piece) => !isInContext(run.state.messages, run.clean(piece)));
};

const isInContext = (messages: readonly Message[], text: string): boolean =>
  messages.some(({ content }) => content.some((part) => part.type === "text" && part.text.includes(text)));

const toHookedCall = ({ state }: LiveRun, { call, tool, input }: Runnable): HookedCall => {
  const commands = toCommands(tool, input);
  return {
    run: state.identity,
    callId: call.callId,
    tool: tool.name,
    effect: tool.effect,
    // The input was parsed from JSON text, so that it is JSON.
    input: input as Json,
    workspace: state.spec.workspace,
    ...(commands.length === 0 ? {} : { commands }),
  };
};

const toCommands = (tool: AnyTool, input: unknown): readonly string[] => {
  const { command, about = [] } = tool.touches(input);
  if (command !== undefined) return [command];
  return [about].flat().filter((text) => text.startsWith("git "));
};
