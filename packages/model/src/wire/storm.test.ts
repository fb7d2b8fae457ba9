/** Twenty siblings against a provider that refuses them all: one queue, not a storm. */
import { afterEach, describe, expect, it } from "vitest";
import type { ModelChunk, ModelRequest } from "../contract.ts";
import { createGate } from "../gate.ts";
import { startMockServer } from "../testing/mock-server.ts";
import type { MockReply, MockServer } from "../testing/mock-server.ts";
import { createManualTiming } from "../transport/manual-timing.ts";
import { createAnthropicModel } from "./anthropic-messages.ts";
import { createOpenAiChatModel } from "./openai-chat.ts";

const SIBLINGS = 20;
const REQUEST: ModelRequest = {
  system: "",
  messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
  tools: [],
  toolChoice: "auto",
};

let server: MockServer | undefined;
afterEach(() => server?.close());

/** Answers held back until the test lets them go, in order of arrival. */
const createHold = () => {
  const held: ((reply: MockReply) => void)[] = [];
  return {
    hold: () => new Promise<MockReply>((resolve) => void held.push(resolve)),
    letGo: (reply: MockReply) => held.shift()?.(reply),
    held: () => held.length,
  };
};

describe.each([
  ["openai", createOpenAiChatModel, { type: "status", status: 429 }],
  ["openai", createOpenAiChatModel, { type: "status", status: 529 }],
  ["anthropic", createAnthropicModel, { type: "status", status: 429, headers: { "retry-after": "3" } }],
  ["anthropic", createAnthropicModel, { type: "error-event", kind: "overloaded_error", message: "Overloaded" }],
] as const)("over %s, refused by %o", (_, create, fault) => {
  it("siblings wait as one and come back one by one, two by two, four by four", async () => {
    const timing = createManualTiming();
    const { hold, letGo, held } = createHold();
    const mock = (server = await startMockServer({ reply: (__, index) => (index < SIBLINGS ? { fault } : hold()) }));
    const model = create({
      id: "acme/m",
      model: "m",
      provider: "acme",
      baseUrl: mock.baseUrl,
      gate: createGate({ timing }),
      retry: { attempts: 4, maxWaitMs: 60_000 },
      streamIdleMs: 60_000,
      price: () => null,
      timing,
    });
    const seen: ModelChunk[][] = [];
    let refused = 0;
    let onRefused: (() => void) | undefined;
    const allRefused = new Promise<void>((resolve) => (onRefused = resolve));
    const siblings = Array.from({ length: SIBLINGS }, async () => {
      const chunks: ModelChunk[] = [];
      seen.push(chunks);
      for await (const chunk of model.stream(REQUEST, new AbortController().signal)) {
        chunks.push(chunk);
        if (chunk.type === "retry" && ++refused === SIBLINGS) onRefused?.();
      }
    });
    await allRefused;
    expect(mock.requests.length).toBe(SIBLINGS);

    const { waitMs } = seen.flat().find((chunk) => chunk.type === "retry") ?? {};
    expect(waitMs).toBe("headers" in fault ? 3000 : 375);
    timing.advance((waitMs ?? 0) - 1);
    expect(timing.pending()).toBe(1);
    timing.advance(1);

    const rounds: number[] = [];
    let answered = 0;
    while (answered < SIBLINGS) {
      const round = Math.min(2 ** rounds.length, SIBLINGS - answered);
      await mock.received(SIBLINGS + answered + round);
      // A request too many would have been sent with these, before the first of them is answered.
      await new Promise((resolve) => void setImmediate(resolve));
      expect(held()).toBe(round);
      rounds.push(round);
      for (let n = 0; n < round; n++) letGo({ text: "hi" });
      answered += round;
      await Promise.all(mock.requests.slice(SIBLINGS, SIBLINGS + answered).map(({ closed }) => closed));
    }
    await Promise.all(siblings);

    expect(rounds).toEqual([1, 2, 4, 8, 5]);
    expect(mock.requests.length).toBe(2 * SIBLINGS);
    const after = mock.requests.slice(SIBLINGS);
    after.forEach(({ inFlight }, at) => expect(inFlight).toBeLessThanOrEqual(at + 1));
    expect(Math.max(...after.map(({ inFlight }) => inFlight))).toBeLessThanOrEqual(8);
    for (const chunks of seen)
      expect(chunks.filter(({ type }) => type === "retry" || type === "answer").map(({ type }) => type)).toEqual([
        "retry",
        "answer",
      ]);
  });

  it("a provider that goes on refusing is asked by one sibling at a time, and each gives up after its attempts", async () => {
    const timing = createManualTiming({ jumps: true });
    const mock = (server = await startMockServer({ reply: () => ({ fault }) }));
    const model = create({
      id: "acme/m",
      model: "m",
      provider: "acme",
      baseUrl: mock.baseUrl,
      gate: createGate({ timing, maxConcurrent: 1 }),
      retry: { attempts: 3, maxWaitMs: 60_000 },
      streamIdleMs: 60_000,
      price: () => null,
      timing,
    });
    const outcomes = await Promise.allSettled(
      Array.from({ length: SIBLINGS }, async () => {
        for await (const chunk of model.stream(REQUEST, new AbortController().signal)) expect(chunk.type).not.toBe("answer");
      }),
    );
    const code = "status" in fault && fault.status === 429 ? "model_rate_limited" : "model_overloaded";
    expect(outcomes).toEqual(outcomes.map(() => ({ status: "rejected", reason: expect.objectContaining({ code }) })));
    expect(mock.requests.length).toBe(3 * SIBLINGS);
    expect(Math.max(...mock.requests.map(({ inFlight }) => inFlight))).toBe(1);
  });
});

it("the gate limits what is in flight over a real server", async () => {
  const mock = (server = await startMockServer({ reply: () => ({ text: "hi", latencyMs: 2 }) }));
  const model = createOpenAiChatModel({
    id: "acme/m",
    model: "m",
    provider: "acme",
    baseUrl: mock.baseUrl,
    gate: createGate({ maxConcurrent: 3 }),
    retry: { attempts: 1, maxWaitMs: 1 },
    streamIdleMs: 60_000,
    price: () => null,
  });
  await Promise.all(
    Array.from({ length: SIBLINGS }, async () => {
      for await (const chunk of model.stream(REQUEST, new AbortController().signal)) expect(chunk).toBeDefined();
    }),
  );
  expect(mock.requests.length).toBe(SIBLINGS);
  expect(Math.max(...mock.requests.map(({ inFlight }) => inFlight))).toBe(3);
});
