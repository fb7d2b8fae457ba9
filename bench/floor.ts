/** The floor: the same agent written by hand on `undici.request`, without limits, record, retries or checks. */
import { Agent, request } from "undici";
import { measure } from "./measure.ts";

type Call = { readonly id: string; readonly type: "function"; readonly function: { name: string; arguments: string } };
type Wire = {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: Call[];
  readonly tool_call_id?: string;
};

const TOOLS = [
  {
    type: "function",
    function: {
      name: "echo",
      description: "Says it back.",
      parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false },
    },
  },
];
const dispatcher = new Agent({ connections: null, pipelining: 1 });

const ask = async (url: string, messages: readonly Wire[]): Promise<{ content: string; calls: Call[] | null }> => {
  const { body } = await request(`${url}/chat/completions`, {
    method: "POST",
    dispatcher,
    headers: { "content-type": "application/json", authorization: "Bearer x" },
    body: JSON.stringify({ model: "mock", messages, tools: TOOLS, stream: true, stream_options: { include_usage: true } }),
  });
  const decoder = new TextDecoder();
  let rest = "";
  let content = "";
  let calls: Call[] | null = null;
  for await (const chunk of body) {
    rest += decoder.decode(chunk as Uint8Array, { stream: true });
    let from = 0;
    for (let to = rest.indexOf("\n\n", from); to !== -1; to = rest.indexOf("\n\n", from)) {
      const data = rest.slice(from + 6, to);
      from = to + 2;
      if (data === "[DONE]") continue;
      const delta = JSON.parse(data).choices[0]?.delta;
      if (!delta) continue;
      if (delta.content) content += delta.content;
      for (const part of delta.tool_calls ?? []) {
        calls ??= [];
        const call = (calls[part.index] ??= { id: part.id, type: "function", function: { name: "", arguments: "" } });
        call.function.name += part.function.name ?? "";
        call.function.arguments += part.function.arguments ?? "";
      }
    }
    rest = rest.slice(from);
  }
  return { content, calls };
};

await measure("floor", {
  run: async (url, onEcho) => {
    const messages: Wire[] = [
      { role: "system", content: "You are a bench." },
      { role: "user", content: "Do it." },
    ];
    for (;;) {
      const { content, calls } = await ask(url, messages);
      if (!calls) return content;
      messages.push({ role: "assistant", content: content === "" ? null : content, tool_calls: calls });
      for (const call of calls) {
        onEcho();
        messages.push({ role: "tool", tool_call_id: call.id, content: JSON.parse(call.function.arguments).text });
      }
    }
  },
});
