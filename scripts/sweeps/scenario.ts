/** What a victim is set to do: who is there, what their model says, and what must have come of it whatever happened on the way. */
import type { Script, ScriptedTurn } from "@retinue/model/testing";
import type { ApproveMode, BailoutReason, Limits, RunStatus } from "@retinue/protocol";
import type { ModelRequest } from "@retinue/runtime";

export type ScenarioAgent = {
  readonly name: string;
  readonly delegates: readonly string[];
  /** One answer each; the last is given again for as long as it is asked. */
  readonly turns: readonly ScriptedTurn[];
  /** It works in a worktree of its own, which is merged. */
  readonly isolation?: "worktree";
};

/** What another process says to a run, while it is driven and while it is not. */
export type Inputs = {
  /** Sent to the main run. */
  readonly message: string;
  /** The agent whose run is stopped. */
  readonly stopped: string;
  /** The question that is answered last, when the main run waits for nothing else. */
  readonly lastToken: string;
};

export type Scenario = {
  /** The first is the main agent. */
  readonly agents: readonly ScenarioAgent[];
  /** So tight that the last call of the main agent must be refused, and no other. */
  readonly limits: Limits;
  readonly approve: ApproveMode;
  /** The effect that a human is asked about last, when everything else that can be done is done. */
  readonly parkedToken: string | null;
  /** 1 where it is not said. */
  readonly maxDepth?: number;
  /** Without them the victim answers its questions itself. */
  readonly inputs?: Inputs;
  /** Files of the workspace, a repository; without them there is none. */
  readonly files?: Readonly<{ [path: string]: string }>;
  readonly expected: {
    readonly status: RunStatus;
    readonly bailoutReason: BailoutReason | undefined;
    /** Of all runs together; null where it depends on when others speak. */
    readonly iterations: number | null;
    readonly toolCalls: number;
    readonly runs: number;
    /** Effects of tools that may not be repeated. */
    readonly effects: readonly string[];
    /** What the workspace holds in the end. */
    readonly files?: Readonly<{ [path: string]: string }>;
  };
};

/**
 * The answers as a function of the conversation alone, so that a resumed run is answered as it would have been. Where others speak to a run it
 * may have more turns than are written down: it then goes on with the first whose calls it has not made.
 */
export const toScript =
  ({ agents, inputs }: Scenario): Script =>
  (request, answered) => {
    const turns = agents.find(({ name }) => request.system.startsWith(`You are ${name}.`))?.turns ?? [];
    const last = turns.length - 1;
    return inputs === undefined ? turns[Math.min(answered, last)] : (firstNotMade(turns, request) ?? turns[last]);
  };

const firstNotMade = (turns: readonly ScriptedTurn[], { messages }: ModelRequest): ScriptedTurn | undefined => {
  const made = new Set(
    messages.flatMap(({ content }) => content.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []))),
  );
  return turns.find(({ toolCalls = [] }) => toolCalls.some(({ callId = "" }) => !made.has(callId)));
};
