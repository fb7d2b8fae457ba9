/**
 * How runs speak with each other while they work: a parent stops or writes to runs below it, and a sub-agent asks its parent. Nobody reaches
 * a sibling, a stranger, or anything above but its own parent.
 */
import type { CallId, Message, RunId } from "@retinue/protocol";
import type { AnyTool, Model } from "@retinue/runtime";
import { askAside, defineTool, estimateMessage } from "@retinue/runtime";
import { z } from "zod";
import type { ActiveRun } from "./active-run.ts";

export const ASK_PARENT = "ask_parent";

/** Both throw `run_not_below` for a run that neither works nor waits below this one. What the record says was said before is not said again. */
export type SteeringOptions = {
  readonly stop: (runId: RunId, reason: string) => Promise<void>;
  /** The same call always says the same message. */
  readonly send: (runId: RunId, message: string, callId: CallId) => Promise<void>;
};

const runIdSchema = z.templateLiteral(["run_", z.string()]);

/** For runs that may start others. */
export const createSteeringTools = ({ stop, send }: SteeringOptions): readonly AnyTool[] => [
  defineTool({
    name: "stop_agent",
    description: "Stop a sub-agent in the background.",
    input: z.object({ run: runIdSchema, reason: z.string().min(1) }),
    effect: "read",
    execute: async ({ run, reason }) => {
      await stop(run, reason);
      return `${run} is being stopped.`;
    },
  }),
  defineTool({
    name: "send_to_agent",
    description: "Tell a sub-agent in the background something.",
    input: z.object({ run: runIdSchema, message: z.string().min(1) }),
    effect: "read",
    execute: async ({ run, message }, { callId }) => {
      await send(run, message, callId);
      return `${run} will read it.`;
    },
  }),
];

const ANSWER_TOKENS = 1_024;

/** For sub-agents: the parent's model answers from the parent's conversation, without tools; the asking run pays, and its parent goes on waiting. */
export const createAskParentTool = (
  { purse }: Pick<ActiveRun, "purse">,
  parent: Pick<ActiveRun, "state">,
  modelOf: (name: string) => Model | Promise<Model>,
): AnyTool =>
  defineTool({
    name: ASK_PARENT,
    description: "Ask the agent that gave you your task a question that only it can answer. Ask rarely; it costs a model call.",
    input: z.object({ question: z.string().min(1) }),
    effect: "read",
    execute: async ({ question }, { signal }) => {
      const { spec, turn, messages } = parent.state;
      const asked: Message = {
        role: "user",
        content: [
          {
            type: "text",
            text: `[retinue] A sub-agent that works for you asks: ${question}\nAnswer in a few lines from what you know. Call no tool.`,
          },
        ],
      };
      const conversation = [...(turn ? messages.slice(0, -1) : messages), asked];
      let requestTokens = Math.ceil(spec.system.length / 4);
      for (const message of conversation) requestTokens += estimateMessage(message);
      const { content, usage, costUsd } = await askAside(
        {
          purse,
          model: await modelOf(spec.model),
          request: { system: spec.system, messages: conversation },
          requestTokens,
          maxOutputTokens: ANSWER_TOKENS,
        },
        signal,
      );
      const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
      return { content: [{ type: "text", text }], spent: { usage, costUsd } };
    },
  });
