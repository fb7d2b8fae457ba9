/** What the model says in an example: for each run, by its agent and its task, one reply a turn. Nothing else of an example is played. */
import type { MockReply, MockRequest } from "@retinue/model/testing";

/** Words, or calls of tools. */
export type Reply = string | readonly Call[];

export type Call = { readonly tool: string; readonly input: object };

export type Part = {
  readonly agent: string;
  /** Of which runs of that agent; of all where it is left out. */
  readonly task?: string;
  readonly replies: readonly Reply[];
};

export const call = (tool: string, input: object): Call => ({ tool, input });

export const delegate = (agent: string, task: string, more: object = {}): Call =>
  call("delegate_to_agent", { agent, task, ...more });

type Body = {
  /** Where Anthropic has the prompt. */
  readonly system?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
};

export type Prompter = {
  /** The reply to a request: that of the part of whoever asks, for the turn that the conversation is at. */
  readonly reply: (request: MockRequest) => MockReply;
  /** Replies that nobody asked for. */
  readonly unread: () => readonly string[];
};

export const createPrompter = (parts: readonly Part[]): Prompter => {
  const read = new Set<Reply>();
  return {
    reply: ({ body }) => {
      const { system, messages } = body as unknown as Body; // The mock server has checked it.
      const prompt = JSON.stringify(system ?? messages[0]?.content);
      const agent = /You are operating as a \*\*([a-z0-9-]+)\*\* sub-agent/.exec(prompt)?.[1] ?? "main";
      const task = JSON.stringify(messages.find(({ role }) => role === "user")?.content);
      const part = parts.find((one) => one.agent === agent && task.includes(one.task ?? ""));
      const turn = messages.filter(({ role }) => role === "assistant").length;
      const reply = part?.replies[turn];
      if (reply === undefined) throw new Error(`the script has no reply ${turn + 1} for ${agent}: ${task}`);
      read.add(reply);
      return typeof reply === "string"
        ? { text: reply }
        : { toolCalls: reply.map(({ tool, input }) => ({ name: tool, arguments: JSON.stringify(input) })) };
    },
    unread: () =>
      parts.flatMap(({ agent, replies }) =>
        replies.flatMap((reply, turn) => (read.has(reply) ? [] : [`${agent}, reply ${turn + 1}: ${JSON.stringify(reply)}`])),
      ),
  };
};
