/** The model of a random tree: it answers as the tree says, after a while, and uses what the tree says of what could be foreseen. */
import { createScriptedModel, type ScriptedTurn } from "@retinue/model/testing";
import type { Usage } from "@retinue/protocol";
import type { Model, ModelRequest } from "@retinue/runtime";
import type { RandomTree } from "./random-tree.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** Of a token, in US dollars. */
export const PRICE = 1 / 1_000_000;

/** A model call, from when the runtime let it begin. */
export type ModelCall = {
  readonly agent: string;
  readonly startedAt: number;
  endedAt: number;
  /** How many tokens more it used than could be foreseen. */
  surplus: number;
};

type Watching = { readonly clock: VirtualClock; readonly calls: ModelCall[]; readonly onStart: (agent: string) => void };

/** What a request holds, in the runtime's own measure, rounded down. */
const tokensOf = (value: unknown): number => Math.floor(JSON.stringify(value).length / 8);

export type BudgetModel = Model & {
  /** Tells that an answer of this agent was taken. */
  readonly answered: (agent: string, usage: Usage) => void;
};

export const createBudgetModel = (tree: RandomTree, { clock, calls, onStart }: Watching): BudgetModel => {
  const agents = new Map(tree.agents.map((agent) => [agent.name, agent]));
  /** What each conversation had when it was last measured. */
  const measured = new Map<string, { readonly tokens: number; readonly messages: number }>();

  /** The latest call of each. */
  const underWay = new Map<string, { readonly call: ModelCall; readonly foreseen: number; readonly messages: number }>();

  /** Never more than the runtime reckons with. */
  const foresee = (name: string, { system, tools, messages }: ModelRequest): number => {
    const before = measured.get(name);
    return before
      ? before.tokens + messages.slice(before.messages + 1).reduce((sum, { content }) => sum + tokensOf(content), 0)
      : tokensOf(system) + tokensOf(tools) + messages.reduce((sum, { content }) => sum + tokensOf(content), 0);
  };

  const scripted = createScriptedModel(
    (request, answered): ScriptedTurn => {
      const name = /^You are ([\w-]+)\./.exec(request.system)?.[1] ?? "";
      const turn = agents.get(name)?.turns[answered];
      const foreseen = foresee(name, request);
      const share = turn?.inputShare ?? 0.5;
      const input = Math.floor(foreseen * (measured.has(name) ? Math.max(1, share) : share));
      const output = Math.floor((request.maxOutputTokens ?? 500) * (turn?.outputShare ?? 0.5));
      const usage = { input, output };
      const call: ModelCall = { agent: name, startedAt: clock.now(), endedAt: Infinity, surplus: 0 };
      calls.push(call);
      underWay.set(name, { call, foreseen, messages: request.messages.length });
      onStart(name);
      const end = async (): Promise<void> => {
        await new Promise<void>((resolve) => void clock.after(turn?.latencyMs ?? 10, resolve));
        call.endedAt = clock.now();
      };
      const base: ScriptedTurn = { before: end, usage };
      if (request.toolChoice === "none" || !turn || turn.does.type === "answer") return { ...base, text: "This is it." };
      if (turn.does.type === "fail") return { ...base, error: "model_overloaded" };
      return {
        ...base,
        toolCalls: [
          ...turn.does.toolMs.map((ms, index) => ({
            tool: "work",
            input: { ms, which: `${answered}-${index}` },
            callId: `work-${answered}-${index}`,
          })),
          ...turn.does.delegations.map(({ to, limits, background }) => ({
            tool: "delegate_to_agent",
            input: { agent: to.name, task: `The part of ${to.name}.`, limits: { ...limits }, background },
            callId: `to-${to.name}`,
          })),
        ],
      };
    },
    { price: ({ input, output }) => (input + output) * PRICE },
  );
  return {
    ...scripted,
    answered: (name, { input, output }) => {
      const { call, foreseen, messages } = underWay.get(name) ?? {};
      if (!call || foreseen === undefined || messages === undefined) throw new Error(`${name} was answered and never asked.`);
      call.surplus = Math.max(0, input - foreseen);
      if (input > 0) measured.set(name, { tokens: input + output, messages });
    },
  };
};
