/**
 * Which part of the input tokens a provider would read from its cache: Anthropic's rules played over the requests that we would send, and a prefix cache for
 * OpenAI. Ends with 1 where a share is below its bound. Nothing is sent anywhere.
 */
import type { JsonObject, Message } from "@retinue/protocol";
import type { ModelRequest } from "../packages/model/src/contract.ts";
import { createAnthropicBody } from "../packages/model/src/wire/anthropic-request.ts";
import { createResponsesBody } from "../packages/model/src/wire/responses-request.ts";
import { toFigures } from "./cache-provider.ts";
import type { Figures } from "./cache-provider.ts";

const BOUND = 0.9;
const STEPS = 30;
const SUB_AGENTS = 10;
const SUB_AGENT_STEPS = 5;

/** As long as those of the built-in tools and agents are. */
const TOOLS = Array.from({ length: 20 }, (_, index) => ({
  name: `tool_${index}`,
  description: "Does one thing, and says when to use it and what it gives back. ".repeat(6),
  inputSchema: { type: "object", properties: { path: { type: "string", description: "Of the file." } } } satisfies JsonObject,
}));
const ROLE = "You do one kind of work, in this order, and hand back what you found. ".repeat(60);
const OUTPUT = "A line of a file, with its number before it.\n".repeat(20);

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });

/** The requests of one run, in which each step makes `calls` calls. */
const requestsOf = (own: string, task: string, steps: number, calls: number): ModelRequest[] => {
  const messages: Message[] = [user(task)];
  return Array.from({ length: steps }, (_, step) => {
    const request = {
      system: ROLE + own,
      sharedChars: ROLE.length,
      messages: [...messages],
      tools: TOOLS,
      toolChoice: "auto",
    } as const;
    const ids = Array.from({ length: calls }, (_unused, index) => `call_${step}_${index}`);
    messages.push(
      {
        role: "assistant",
        content: [
          { type: "text", text: "I look further." },
          ...ids.map((callId) => ({ type: "tool-call", callId, tool: "tool_1", arguments: '{"path":"src/a.ts"}' }) as const),
        ],
      },
      ...ids.map((callId): Message => ({
        role: "tool",
        callId,
        tool: "tool_1",
        isError: false,
        content: [{ type: "text", text: OUTPUT }],
      })),
    );
    return request;
  });
};

const CASES: readonly (readonly [string, readonly ModelRequest[]])[] = [
  ...[1, 9, 10, 30].map(
    (calls) => [`${STEPS} steps with ${calls} calls each`, requestsOf("", "Look at all of it.", STEPS, calls)] as const,
  ),
  [
    `${SUB_AGENTS} sub-agents of one kind, ${SUB_AGENT_STEPS} steps each`,
    Array.from({ length: SUB_AGENTS }, (_, index) =>
      requestsOf(`\n\n## Sub-Agent Context\n\n- Your task: number ${index}`, `Do number ${index}.`, SUB_AGENT_STEPS, 1),
    ).flat(),
  ],
];

const percent = (part: number): string => `${(part * 100).toFixed(1)} %`;

let isBelow = false;
for (const [name, requests] of CASES)
  for (const [wire, toBody] of [
    ["messages", createAnthropicBody({ model: "claude-sonnet-5" })],
    ["responses", createResponsesBody({ model: "gpt-6-sol", provider: "openai" })],
  ] as const) {
    const figures: Figures = toFigures(
      wire,
      requests.map((request) => JSON.parse(toBody(request)) as JsonObject),
    );
    const share = figures.cached / figures.input;
    isBelow ||= share < BOUND;
    process.stdout.write(`${name}, ${wire}: ${percent(share)} of ${figures.input} tokens cached, ${figures.written} written\n`);
  }
process.stdout.write(isBelow ? `Below the bound of ${percent(BOUND)}.\n` : `All at or above the bound of ${percent(BOUND)}.\n`);
process.exitCode = isBelow ? 1 : 0;
