/** The tools that a run has: those of the host that its spec names, and those by which it starts, steers and asks other runs. */
import type { Message, RunId, RunResult } from "@retinue/protocol";
import { CALL_MODEL, NO_USAGE, RetinueError } from "@retinue/protocol";
import type { AnyTool, ChildRun, InBackground, RunState } from "@retinue/runtime";
import { createDelegationTools, createPlanTools, createPurse, PLAN_DEFAULTS, summariseMessages } from "@retinue/runtime";
import type { HostPorts } from "../contract.ts";
import type { ActiveRun } from "./active-run.ts";
import { chainOf, childRunId, isBelow } from "./active-run.ts";
import { placeBelow, startChild } from "./children.ts";
import type { Ground } from "./ground.ts";
import { appendInput } from "./inputs.ts";
import { spawnBelow } from "./spawn.ts";
import { ASK_PARENT, createAskParentTool, createSteeringTools } from "./steering-tools.ts";

const SUMMARY_LIMIT = 32_000;

const noRun = (): Promise<never> => Promise.reject(new RetinueError("internal", "a replay starts no run"));

/** `run` is absent where tools are only shown and never called, as in a replay. */
export const toolsOf = (ground: Ground, state: RunState, run?: ActiveRun): ReadonlyMap<string, AnyTool> => {
  const { ports, options, active } = ground;
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
          isBelow: (id) => isBelow(active.get(id), runId),
          stop: (id, reason) => steer(ground, id, { type: "cancel.requested", reason, source: { via: "run" } }),
          send: (id, message) =>
            steer(ground, id, {
              type: "message.received",
              messageId: `msg_${options.createId()}`,
              from: runId,
              content: [{ type: "text", text: message }],
              source: { via: "run" },
            }),
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

const openDirectory = async (ports: HostPorts, named: string, workspace: string): Promise<string> => {
  if (!ports.openDirectory) throw new RetinueError("directory_refused", "Runs work in the whole workspace here.");
  return ports.openDirectory(named, workspace);
};

const steer = async (ground: Ground, runId: RunId, body: Parameters<typeof appendInput>[2]): Promise<void> => {
  const run = ground.active.get(runId);
  if (!run) throw new RetinueError("run_settled", `${runId} is not at work any more.`);
  await appendInput(ground, run.state.identity, body);
};
