/**
 * A thousand broken streams of both protocols. What was sent is judged by a reference reader of its own, slow and
 * simple and over all bytes at once: an answer that it does not find in them is a false success. It does not share a
 * line with the product, and knows the whole stream where the product sees it in pieces.
 */
import type { AssistantPart } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ModelAnswer, ModelRequest } from "../contract.ts";
import { createGate } from "../gate.ts";
import { toAnthropicEvents } from "../testing/mock-server-anthropic.ts";
import { toOpenAiEvents } from "../testing/mock-server-openai.ts";
import { startMockServer } from "../testing/mock-server.ts";
import type { MockReply, MockServer } from "../testing/mock-server.ts";
import { createAnthropicModel } from "./anthropic-messages.ts";
import { createOpenAiChatModel } from "./openai-chat.ts";

const IDLE_MS = 150;
const AT_ONCE = 24;

type Protocol = "openai" | "anthropic";

/** How the server ends: properly, by destroying the socket, or not at all. */
type Ending = "end" | "destroy" | "stall";

type Case = {
  readonly seed: number;
  readonly protocol: Protocol;
  readonly bytes: Buffer;
  readonly ending: Ending;
  readonly writeBytes: number | undefined;
  /** The reply, where the stream still says what it said before it was touched. */
  readonly intact: MockReply | undefined;
  readonly story: string;
};

const randomOf = (seed: number): ((below: number) => number) => {
  let state = (seed * 0x9e3779b1) >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
};

const WORDS = [
  "plain ",
  "größer ",
  "日本語 ",
  "🎉🎊 ",
  '"quoted" ',
  "back\\slash ",
  "new\nline ",
  "{brace} ",
  "data: x ",
  "[DONE] ",
];
const ARGUMENTS = ['{"path":"src/a.ts"}', "{}", '{"q":"日本 🎌","n":[1,2,3]}', '{"deep":{"a":{"b":"c\\n"}}}', '{"path":"/et', ""];
const GARBAGE = [
  "<html>\n",
  "\n",
  "\r\n",
  "data: {\n\n",
  "data: null\n\n",
  "data: []\n\n",
  "data: {}\n\n",
  ": keep alive\n\n",
  "\u0000\u0001",
  "event: error\n",
  "id: 3\n",
  "x",
  '"',
  "}",
  "data: [DONE]\n\n",
  "\ufeff",
];

const replyOf = (pick: (below: number) => number): MockReply => {
  const phrase = (): string => Array.from({ length: 1 + pick(6) }, () => WORDS[pick(WORDS.length)]).join("");
  const calls = Array.from({ length: pick(3) }, () => ({
    name: ["look", "write_file", "delegate"][pick(3)]!,
    arguments: ARGUMENTS[pick(ARGUMENTS.length)]!,
  }));
  return {
    ...(pick(3) === 0 ? { reasoning: phrase() } : {}),
    ...(calls.length === 0 || pick(2) === 0 ? { text: phrase() } : {}),
    toolCalls: calls,
    deltaChars: 1 + pick(9),
    lineEnd: pick(4) === 0 ? "\r\n" : "\n",
    doneMarker: pick(4) !== 0,
  };
};

/** Each takes the bytes of a stream and gives back others. */
const MUTATIONS: Readonly<Record<string, (bytes: Buffer, pick: (below: number) => number) => Buffer>> = {
  truncate: (bytes, pick) => bytes.subarray(0, pick(bytes.length)),
  flip: (bytes, pick) => {
    const copy = Buffer.from(bytes);
    for (let n = 1 + pick(4); n > 0; n--) {
      const at = pick(copy.length);
      copy[at] = (copy[at] ?? 0) ^ (1 << pick(8));
    }
    return copy;
  },
  insert: (bytes, pick) => {
    const at = pick(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(GARBAGE[pick(GARBAGE.length)]!), bytes.subarray(at)]);
  },
  insertLine: (bytes, pick) => {
    const lines = bytes.toString("latin1").split("\n");
    lines.splice(pick(lines.length), 0, Buffer.from(GARBAGE[pick(GARBAGE.length)]!).toString("latin1"));
    return Buffer.from(lines.join("\n"), "latin1");
  },
  dropLines: (bytes, pick) => {
    const lines = bytes.toString("latin1").split("\n");
    lines.splice(pick(lines.length), 1 + pick(3));
    return Buffer.from(lines.join("\n"), "latin1");
  },
  duplicateLines: (bytes, pick) => {
    const lines = bytes.toString("latin1").split("\n");
    const at = pick(lines.length);
    lines.splice(at, 0, ...lines.slice(at, at + 1 + pick(4)));
    return Buffer.from(lines.join("\n"), "latin1");
  },
  swapEvents: (bytes, pick) => {
    const events = bytes.toString("latin1").split(/(?<=\n\r?\n)/);
    const [a, b] = [pick(events.length), pick(events.length)];
    [events[a], events[b]] = [events[b]!, events[a]!];
    return Buffer.from(events.join(""), "latin1");
  },
  dropBytes: (bytes, pick) => {
    const at = pick(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + pick(8))]);
  },
};

const caseOf = (seed: number): Case => {
  const pick = randomOf(seed);
  const protocol: Protocol = seed % 2 === 0 ? "openai" : "anthropic";
  const reply = replyOf(pick);
  const { opening, ending } = (protocol === "openai" ? toOpenAiEvents : toAnthropicEvents)(reply, seed, 400);
  let bytes = Buffer.from([...opening, ...ending].join(""));
  const story: string[] = [];
  // One in ten is only cut into odd writes, so that it must come out whole.
  const mutations = pick(10) === 0 ? 0 : 1 + pick(3);
  const how: Ending = mutations === 0 ? "end" : (["end", "end", "end", "destroy", "stall"] as const)[pick(5)]!;
  // Half of those that stop short are good up to there, since most others are found out before.
  const names = how === "end" || pick(2) === 0 ? Object.keys(MUTATIONS) : ["truncate"];
  for (let n = 0; n < mutations && bytes.length > 0; n++) {
    const name = names[pick(names.length)]!;
    bytes = Buffer.from(MUTATIONS[name]!(bytes, pick));
    story.push(name);
  }
  // A stalling stream goes out at once, so that the time until it is noticed can be told.
  const tiny = pick(12) === 0 && bytes.length < 2500;
  const writeBytes = how === "stall" || pick(3) === 0 ? undefined : tiny ? 1 + pick(4) : 16 + pick(400);
  return {
    seed,
    protocol,
    bytes,
    ending: how,
    writeBytes,
    intact: mutations === 0 ? reply : undefined,
    story: `${story.join(", ")}; ${how}; ${writeBytes ?? "all"} bytes a write`,
  };
};

type Call = { name: string; text: string };
type Reference = { readonly text: string; readonly reasoning: string; readonly calls: readonly Call[] };

type Parsed = { readonly name: string; readonly data: string };

/** The events of the whole text, and whether any line was none; an event without its blank line is not there. */
const eventsOf = (bytes: Buffer): { readonly events: readonly Parsed[]; readonly broken: number; readonly tail: string } => {
  const lines = new TextDecoder("utf-8").decode(bytes).split("\n");
  const tail = lines.pop() ?? "";
  const events: Parsed[] = [];
  /** How many events came before the first line that is no field. */
  let broken = Number.POSITIVE_INFINITY;
  let name = "";
  let data: string[] = [];
  for (const raw of lines) {
    const line = raw.replace(/\r$/, "");
    const field = /^(data|event|id|retry):( ?)(.*)$/s.exec(line);
    if (line === "") {
      if (data.length > 0) events.push({ name, data: data.join("\n") });
      name = "";
      data = [];
    } else if (field?.[1] === "data") data.push(field[3]!);
    else if (field?.[1] === "event") name = field[3]!;
    else if (!field && !line.startsWith(":")) {
      broken = events.length;
      break;
    }
  }
  return { events, broken, tail };
};

/** A document as the reference reads it: anything may be asked of it, and what is not there throws or is undefined. */
type Document = { readonly [key: string]: Document };

const NOTHING: Document = {};

const wordOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** What the stream says, or undefined where it says nothing whole. Whatever throws in here is not whole. */
const referenceOf = ({ protocol, bytes, ending }: Case): Reference | undefined => {
  try {
    return protocol === "openai" ? openAiReference(bytes, ending) : anthropicReference(bytes);
  } catch {
    return undefined;
  }
};

const openAiReference = (bytes: Buffer, ending: Ending): Reference | undefined => {
  const { events, broken, tail } = eventsOf(bytes);
  const marker = events.findIndex(({ data }) => data.trimEnd() === "[DONE]");
  if (marker === -1 && (ending !== "end" || broken !== Number.POSITIVE_INFINITY)) return undefined;
  if (marker !== -1 && broken <= marker) return undefined;
  if (marker === -1 && tail.trim() !== "" && !/^data: ?\[DONE\]$/.test(tail.trim())) return undefined;
  let text = "";
  let reasoning = "";
  let finished = "";
  const calls: (Call & { index: unknown; id: string })[] = [];
  for (const { data } of marker === -1 ? events : events.slice(0, marker)) {
    const document = JSON.parse(data) as Document;
    if (document === null || typeof document !== "object" || Array.isArray(document)) return undefined;
    if (document.error !== undefined && document.error !== null) return undefined;
    for (const choice of Array.isArray(document.choices) ? document.choices : []) {
      if (choice === null || typeof choice !== "object" || (choice.index ?? 0) !== 0) continue;
      const delta = choice.delta !== null && typeof choice.delta === "object" ? choice.delta : {};
      if (typeof delta.content === "string") text += delta.content;
      if (typeof delta.reasoning_content === "string") reasoning += delta.reasoning_content;
      for (const made of Array.isArray(delta.tool_calls) ? delta.tool_calls : []) {
        if (made === null || typeof made !== "object") continue;
        const numbered = made.index !== undefined && made.index !== null;
        const sent = typeof made.id === "string" ? made.id : "";
        let call = numbered ? calls.filter(({ index }) => index === made.index).at(-1) : calls.at(-1);
        if (call && sent !== "" && call.id !== "" && call.id !== sent) call = undefined;
        if (!call) calls.push((call = { index: made.index, id: sent, name: "", text: "" }));
        call.id ||= sent;
        const body = made.function !== null && typeof made.function === "object" ? made.function : {};
        if (call.name === "" && typeof body.name === "string") call.name = body.name;
        if (typeof body.arguments === "string") call.text += body.arguments;
      }
      if (typeof choice.finish_reason === "string" && choice.finish_reason !== "") finished = choice.finish_reason;
    }
  }
  if (finished === "" || finished === "error" || calls.some(({ name }) => name === "")) return undefined;
  return { text, reasoning, calls: calls.map((call) => ({ name: call.name, text: call.text })) };
};

const anthropicReference = (bytes: Buffer): Reference | undefined => {
  const { events, broken } = eventsOf(bytes);
  const parsed = events.map(({ name, data }) => {
    try {
      const document = JSON.parse(data) as Document;
      if (document === null || typeof document !== "object" || Array.isArray(document))
        return { type: "broken", document: NOTHING };
      return { type: typeof document.type === "string" ? document.type : name, document };
    } catch {
      return { type: "broken", document: NOTHING };
    }
  });
  const marker = parsed.findIndex(({ type }) => type === "message_stop");
  if (marker === -1 || broken <= marker) return undefined;
  const before = parsed.slice(0, marker);
  const types = before.map(({ type }) => type);
  if (types.includes("broken") || types.includes("error")) return undefined;
  const known = types.filter((type) => /^(?:message_start|message_delta|content_block_(?:start|delta|stop))$/.test(type));
  if (known[0] !== "message_start" || known.lastIndexOf("message_start") !== 0) return undefined;
  const blocks = new Map<unknown, { type: string; open: boolean; name: string; text: string }>();
  let stopped: unknown;
  for (const { type, document } of before) {
    if (type === "message_delta" && typeof document.delta?.stop_reason === "string") stopped = document.delta.stop_reason;
    if (type === "content_block_start") {
      const block = document.content_block;
      if (blocks.has(document.index) || block === null || typeof block !== "object" || Array.isArray(block)) return undefined;
      const kind = wordOf(block.type);
      const text = kind === "text" ? block.text : kind === "thinking" ? block.thinking : "";
      blocks.set(document.index, {
        type: kind,
        open: true,
        name: wordOf(block.name),
        text: wordOf(text),
      });
    }
    if (type === "content_block_delta" || type === "content_block_stop") {
      const block = blocks.get(document.index);
      if (!block?.open) return undefined;
      if (type === "content_block_stop") {
        block.open = false;
        continue;
      }
      const { delta } = document;
      if (delta === null || typeof delta !== "object" || Array.isArray(delta)) return undefined;
      const expected = {
        text: ["text_delta", "text"],
        thinking: ["thinking_delta", "thinking"],
        tool_use: ["input_json_delta", "partial_json"],
      }[block.type];
      if (expected && wordOf(delta.type) === expected[0]) block.text += wordOf(delta[expected[1]!]);
    }
  }
  const all = [...blocks.values()];
  if (stopped === undefined || all.some(({ open }) => open)) return undefined;
  const calls = all.filter(({ type }) => type === "tool_use");
  if (calls.some(({ name }) => name === "")) return undefined;
  const join = (wanted: string): string => all.flatMap(({ type, text }) => (type === wanted ? [text] : [])).join("");
  return { text: join("text"), reasoning: join("thinking"), calls: calls.map(({ name, text }) => ({ name, text })) };
};

const saidOf = (content: readonly AssistantPart[]): Reference => {
  const join = (wanted: "text" | "reasoning"): string =>
    content.flatMap((part) => (part.type === wanted ? [part.text] : [])).join("");
  return {
    text: join("text"),
    reasoning: join("reasoning"),
    // No arguments at all stand for an empty object, on both sides.
    calls: content.flatMap((part) =>
      part.type === "tool-call" ? [{ name: part.tool, text: part.arguments === "{}" ? "" : part.arguments }] : [],
    ),
  };
};

const withoutEmptyObjects = (reference: Reference): Reference => ({
  ...reference,
  calls: reference.calls.map(({ name, text }) => ({ name, text: text === "{}" ? "" : text })),
});

const FAILURES = new Set([
  "model_stream_stalled",
  "model_stream_incomplete",
  "model_stream_garbage",
  // Flipped or inserted bytes may spell an error event.
  "model_overloaded",
  "model_server_error",
  "model_bad_request",
]);

const fuzz = (streams: number) => (): void => {
  const cases = Array.from({ length: streams }, (_, n) => caseOf(n + 1));
  let server: MockServer;
  beforeAll(async () => {
    server = await startMockServer({
      reply: (request) => {
        const fuzzed = cases[Number(/seed (\d+)!/.exec(request.text)?.[1]) - 1]!;
        return {
          raw: fuzzed.bytes,
          ...(fuzzed.writeBytes === undefined ? {} : { writeBytes: fuzzed.writeBytes }),
          ...(fuzzed.ending === "stall" ? { fault: { type: "stall", afterBytes: fuzzed.bytes.length } } : {}),
          ...(fuzzed.ending === "destroy" ? { fault: { type: "destroy", afterBytes: fuzzed.bytes.length } } : {}),
        };
      },
    });
  });
  afterAll(() => server.close());

  const ask = async (fuzzed: Case): Promise<ModelAnswer | RetinueError> => {
    const request: ModelRequest = {
      system: "",
      messages: [{ role: "user", content: [{ type: "text", text: `seed ${fuzzed.seed}!` }] }],
      tools: [],
      toolChoice: "auto",
    };
    const model = (fuzzed.protocol === "openai" ? createOpenAiChatModel : createAnthropicModel)({
      id: "fuzz/m",
      model: "m",
      provider: "fuzz",
      baseUrl: server.baseUrl,
      gate: createGate(),
      retry: { attempts: 1, maxWaitMs: 1 },
      // Those that go on sending are given all the time a busy machine may need.
      streamIdleMs: fuzzed.ending === "stall" ? IDLE_MS : 30_000,
      price: () => null,
    });
    try {
      let answer: ModelAnswer | undefined;
      for await (const chunk of model.stream(request, new AbortController().signal)) if (chunk.type === "answer") answer = chunk;
      if (!answer) throw new Error(`seed ${fuzzed.seed}: the stream ended without an answer`);
      return answer;
    } catch (thrown) {
      if (thrown instanceof RetinueError) return thrown;
      throw thrown;
    }
  };

  /** The outcome, or nothing if it does not come within the idle time and ten seconds. */
  const askWithGuard = async (fuzzed: Case): Promise<ModelAnswer | RetinueError | undefined> => {
    let timer: NodeJS.Timeout | undefined;
    const guard = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, fuzzed.ending === "stall" ? IDLE_MS + 10_000 : 40_000, undefined);
    });
    const outcome = await Promise.race([ask(fuzzed), guard]);
    clearTimeout(timer);
    return outcome;
  };

  it("never crashes, never hangs and never passes for an answer that it is not", async () => {
    const problems: string[] = [];
    const counts = { answers: 0, failures: 0, intact: 0, stalled: 0 };
    const judge = (fuzzed: Case, outcome: ModelAnswer | RetinueError | undefined): string | undefined => {
      const reference = referenceOf(fuzzed);
      if (outcome === undefined) return "hangs";
      if (outcome instanceof RetinueError) {
        counts.failures++;
        if (outcome.code === "model_stream_stalled") counts.stalled++;
        // Destroyed before a byte was sent, not even the headers may arrive.
        const unanswered = outcome.code === "model_unreachable" && fuzzed.ending === "destroy" && fuzzed.bytes.length === 0;
        if (!FAILURES.has(outcome.code) && !unanswered) return `fails with ${outcome.code}: ${outcome.message}`;
        // On a busy machine the short idle time may pass before the first byte does.
        return reference && fuzzed.ending !== "stall" ? `fails though it is whole: ${outcome.message}` : undefined;
      }
      counts.answers++;
      if (!reference) return `is a false success: ${JSON.stringify(outcome.content)}`;
      if (fuzzed.intact) {
        counts.intact++;
        const { text = "", reasoning = "", toolCalls = [] } = fuzzed.intact;
        const calls = toolCalls.map(({ name, arguments: input }) => ({ name, text: input }));
        expect(withoutEmptyObjects(reference)).toEqual(withoutEmptyObjects({ text, reasoning, calls }));
      }
      const [said, meant] = [JSON.stringify(saidOf(outcome.content)), JSON.stringify(withoutEmptyObjects(reference))];
      return said === meant ? undefined : `says ${said} where the stream says ${meant}`;
    };
    const waiting = cases[Symbol.iterator]();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const fuzzed of waiting) {
          const problem = judge(fuzzed, await askWithGuard(fuzzed));
          if (problem !== undefined) problems.push(`seed ${fuzzed.seed} (${fuzzed.protocol}; ${fuzzed.story}) ${problem}`);
        }
      }),
    );
    expect(problems).toEqual([]);
    // On a busy machine the short idle time may pass before a request has arrived.
    expect(server.requests.length).toBeGreaterThan(streams * 0.9);
    expect(counts.answers + counts.failures).toBe(streams);
    // The fuzzer reaches every kind of end often enough to mean something.
    expect(counts.answers).toBeGreaterThan(streams * 0.15);
    expect(counts.failures).toBeGreaterThan(streams * 0.3);
    expect(counts.intact).toBeGreaterThan(streams * 0.06);
    expect(counts.stalled).toBeGreaterThan(streams * 0.05);
  });
};

describe("a fuzzed stream, one of a hundred,", fuzz(100));

describe("a fuzzed stream", { tags: ["long"] }, fuzz(1000));
