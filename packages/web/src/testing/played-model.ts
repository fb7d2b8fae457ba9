/**
 * What the model says on the stage of the page's tests: for each run, by its agent and its task, one reply a turn. A reply may be held until the
 * test lets it go, so that what happens in between can be watched.
 */
import type { MockReply, MockRequest } from "@retinue/model/testing";

export type Call = { readonly tool: string; readonly input: object };

/** Words, calls, or both. */
export type Reply = string | readonly Call[] | { readonly text: string; readonly calls: readonly Call[] };

export type Part = {
  readonly agent: string;
  /** Of which runs of that agent; of all where it is left out. */
  readonly task?: string;
  readonly replies: readonly Reply[];
  /** The reply of this turn waits for `release` of this name. */
  readonly hold?: Readonly<Record<number, string>>;
  /** So long each reply takes. */
  readonly latencyMs?: number;
};

export const call = (tool: string, input: object): Call => ({ tool, input });

export const delegate = (agent: string, task: string, more: object = {}): Call =>
  call("delegate_to_agent", { agent, task, ...more });

export type PlayedModel = {
  readonly reply: (request: MockRequest) => Promise<MockReply>;
  /** Lets a held reply go, also one that is asked for later. */
  readonly release: (name: string) => void;
};

type Body = { readonly system?: unknown; readonly messages: readonly { readonly role: string; readonly content: unknown }[] };

export const createPlayedModel = (parts: readonly Part[]): PlayedModel => {
  const gates = new Map<string, { readonly open: () => void; readonly opened: Promise<void> }>();
  const gateOf = (name: string) => {
    const known = gates.get(name);
    if (known !== undefined) return known;
    const { promise, resolve } = Promise.withResolvers<void>();
    const gate = { open: resolve, opened: promise };
    gates.set(name, gate);
    return gate;
  };
  return {
    release: (name) => gateOf(name).open(),
    reply: async ({ body }) => {
      const { system, messages } = body as unknown as Body; // The mock server has checked it.
      const agent =
        /You are operating as a \*\*([a-z0-9-]+)\*\* sub-agent/.exec(JSON.stringify(system ?? messages[0]?.content))?.[1] ??
        "main";
      const users = messages.filter(({ role }) => role === "user").map(({ content }) => JSON.stringify(content));
      const part = parts.findLast((one) => one.agent === agent && users.some((text) => text.includes(one.task ?? "")));
      const asked = messages.findIndex(
        ({ role, content }) => role === "user" && JSON.stringify(content).includes(part?.task ?? ""),
      );
      const turn = messages.slice(asked).filter(({ role }) => role === "assistant").length;
      const reply = part?.replies[turn];
      if (part === undefined || reply === undefined)
        throw new Error(`the script has no reply ${turn + 1} for ${agent}: ${users.join(" ")}`);
      const held = part.hold?.[turn];
      if (held !== undefined) await gateOf(held).opened;
      const { text, calls } =
        typeof reply === "string" ? { text: reply, calls: [] } : "calls" in reply ? reply : { text: "", calls: reply };
      return {
        ...(text === "" ? {} : { text }),
        ...(calls.length === 0
          ? {}
          : { toolCalls: calls.map(({ tool, input }) => ({ name: tool, arguments: JSON.stringify(input) })) }),
        ...(part.latencyMs === undefined ? {} : { latencyMs: part.latencyMs }),
      };
    },
  };
};
