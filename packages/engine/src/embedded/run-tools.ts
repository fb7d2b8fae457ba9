/** The tools that a run has: those of the host that its spec names, and those by which it starts, steers and asks other runs. */
import type { CallId, InputBody, InputEvent, Message, MessageId, RunId, RunResult, UserPart } from "@retinue/protocol";
import { CALL_MODEL, NO_USAGE, RetinueError } from "@retinue/protocol";
import type { AnyTool, ChildRun, InBackground, RunState } from "@retinue/runtime";
import { createDelegationTools, createPlanTools, createPurse, PLAN_DEFAULTS, summariseMessages } from "@retinue/runtime";
import type { ActiveRun } from "./active-run.ts";
import { chainOf, childRunId, isBelow } from "./active-run.ts";
import { placeBelow, startChild } from "./children.ts";
import type { Ground } from "./ground.ts";
import { appendInput } from "./inputs.ts";
import { openDirectory } from "./open-directory.ts";
import { identityOf } from "./read-state.ts";
import { spawnBelow } from "./spawn.ts";
import { ASK_PARENT, createAskParentTool, createSteeringTools } from "./steering-tools.ts";

const SUMMARY_LIMIT = 32_000;

const noRun = (): Promise<never> => Promise.reject(new RetinueError("internal", "a replay starts no run"));

/** `run` is absent where tools are only shown and never called, as in a replay. */
export const toolsOf = (ground: Ground, state: RunState, run?: ActiveRun): ReadonlyMap<string, AnyTool> => {
  const { ports, options } = ground;
  const { runId } = state.identity;
  const own = state.spec.tools.flatMap((name) => ports.tool(name) ?? []);
  const delegation = createDelegationTools({
    state,
    agents: options.agents,
    model: options.model,
    chain: run ? chainOf(run) : [],
    readFile: (file) => ports.readFile(file, state.spec.workspace),
    openDirectory: (named) => openDirectory(ports, named, state.spec.workspace),
    isolate: (callId) => (run ? placeBelow(ground, run, callId) : noRun()),
    childRunId: (callId) => childRunId(runId, callId),
    start: (child: ChildRun, signal: AbortSignal): Promise<RunResult | InBackground> =>
      run ? startChild(ground, run, child, signal) : noRun(),
    summarise: async (signal) => {
      const model = await ports.model(state.spec.summaryModel ?? state.spec.model);
      const limitTokens = state.spec.limits.contextTokens ?? model.contextWindow ?? SUMMARY_LIMIT;
      const purse = run?.purse ?? createPurse({});
      const summary = await summariseMessages({ model, messages: state.messages, limitTokens, purse }, signal);
      return {
        text: summary?.text ?? state.lastText,
        spent: { usage: summary?.usage ?? NO_USAGE, costUsd: summary ? summary.costUsd : 0 },
      };
    },
    condense: async (text, signal) => {
      const model = await ports.model(state.spec.summaryModel ?? state.spec.model);
      const messages: readonly Message[] = [{ role: "user", content: [{ type: "text", text }] }];
      const limitTokens = model.contextWindow ?? SUMMARY_LIMIT;
      const summary = await summariseMessages({ model, messages, limitTokens, purse: run?.purse ?? createPurse({}) }, signal);
      return summary ? { text: summary.text, spent: { usage: summary.usage, costUsd: summary.costUsd } } : undefined;
    },
    resultTokens: options.resultTokens,
  });
  const steering =
    delegation.length === 0
      ? []
      : createSteeringTools({
          stop: (id, reason) => (run ? stopOther(ground, run, id, reason) : noRun()),
          send: (id, message, callId) => (run ? sendTo(ground, run, id, { message, callId }) : noRun()),
        });
  const asking = run?.parent && state.spec.tools.includes(ASK_PARENT) ? [createAskParentTool(run, run.parent, ports.model)] : [];
  const plans =
    state.identity.depth === 0
      ? createPlanTools({
          state,
          agents: options.agents,
          settings: options.plan ?? { ...PLAN_DEFAULTS, maxConcurrent: options.maxConcurrent },
          isAskedByPerson: state.spec.model === CALL_MODEL,
          runIdOf: (callId) => childRunId(runId, callId),
          spawn: ({ agent, task, callId, ending, tools }, signal) =>
            run ? spawnBelow(ground, run, { agent, task, limits: {}, tools, callId, ending }, signal) : noRun(),
        })
      : [];
  return new Map([...own, ...delegation, ...plans, ...steering, ...asking].map((tool) => [tool.name, tool]));
};

const stopOther = (ground: Ground, from: ActiveRun, runId: RunId, reason: string): Promise<void> =>
  steer(ground, from, runId, {
    body: { type: "cancel.requested", reason, source: { via: "run" } },
    isSaid: (said) => said.type === "cancel.requested" && said.reason === ground.clean(reason) && said.source?.via === "run",
  });

type Said = { readonly message: string; readonly callId: CallId };

const sendTo = (ground: Ground, from: ActiveRun, runId: RunId, { message, callId }: Said): Promise<void> => {
  const own = from.state.identity.runId;
  const messageId: MessageId = `msg_${childRunId(own, callId).slice(4)}`;
  const content: readonly UserPart[] = [{ type: "text", text: message }];
  return steer(ground, from, runId, {
    body: { type: "message.received", messageId, from: own, content, source: { via: "run" } },
    isSaid: (said) => said.type === "message.received" && said.messageId === messageId,
  });
};

/** `isSaid` tells an input that a call which was cut before it settled has left in the record. */
type Steering = { readonly body: InputBody; readonly isSaid: (said: InputEvent) => boolean };

const steer = async (ground: Ground, from: ActiveRun, runId: RunId, { body, isSaid }: Steering): Promise<void> => {
  const { active, log } = ground;
  const own = from.state.identity;
  if ((await log.sessionOf(runId)) === own.sessionId && (await log.inputs(runId)).some(isSaid)) return;
  const waits = from.tree.parked.get(runId)?.above.includes(own.runId) === true;
  if (!waits && !isBelow(active.get(runId), own.runId))
    throw new RetinueError("run_not_below", `${runId} is not at work below this run.`);
  await appendInput(ground, await identityOf(ground, runId), body);
};
