/** What a turn may write and what is reserved for it, worked out by hand. */
import type { Model } from "@retinue/model/contract";
import { createScriptedModel } from "@retinue/model/testing";
import type { Limits, Usage } from "@retinue/protocol";
import { describe, expect, test } from "vitest";
import { createState } from "../record/fold.ts";
import type { RunState } from "../record/run-state.ts";
import { allowedCalls, allowTurn, createRunPurse, spentBy } from "./allowance.ts";
import { createPurse, reserve } from "./purse.ts";

const REQUEST_TOKENS = 1_000;

const stateWith = (limits: Limits, treeLimits: Limits = {}): RunState =>
  createState({
    sessionId: "ses_test",
    runId: "run_test",
    parentRunId: null,
    depth: 0,
    agent: "main",
    at: "2026-01-01T00:00:00.000Z",
    type: "run.requested",
    task: [{ type: "text", text: "Do it." }],
    spec: {
      system: "You are a test.",
      model: "scripted/model",
      fallbacks: [],
      tools: [],
      limits,
      treeLimits,
      delegates: [],
      workspace: "/work",
      grant: { tools: [], writes: [], hosts: [], approve: "all", maxDepth: 3 },
    },
  });

/** A thousandth of a dollar a token read, two for one written. */
const PRICED = ({ input, output }: Usage): number => (input + 2 * output) / 1000;

const modelWith = (price: (usage: Usage) => number | null): Model => createScriptedModel([], { price });

const allow = (limits: Limits, { handIn = false } = {}) => {
  const state = stateWith(limits);
  const purse = createRunPurse(state.spec, null, spentBy(state));
  return allowTurn({ state, purse, model: modelWith(PRICED), requestTokens: REQUEST_TOKENS, activeMs: 0, handIn });
};

test("a turn reserves what it reads and the most that it may write", () => {
  expect(allow({})).toEqual({ type: "allowed", maxOutputTokens: undefined, most: { iterations: 1, tokens: 1_000 + 4_096 } });
});

test("under a token limit a turn leaves enough for one more of its size and for the hand-in", () => {
  // Of 10,000: two requests of 1,000, 1,000 to hand in; half of what is left to write.
  expect(allow({ tokens: 10_000 })).toEqual({
    type: "allowed",
    maxOutputTokens: 3_500,
    cappedBy: "tokens",
    most: { iterations: 1, tokens: 1_000 + 3_500 },
  });
  // The least that is worth a call is 64: 2 * (1,000 + 64) + 236 to hand in.
  expect(allow({ tokens: 2_364 })).toMatchObject({ type: "allowed", maxOutputTokens: 64 });
  expect(allow({ tokens: 2_363 })).toEqual({ type: "breach", breach: { limit: "tokens", used: 0, max: 2_363 } });
});

test("the hand-in is one turn that need not leave anything", () => {
  expect(allow({ tokens: 1_100 }, { handIn: true })).toEqual({
    type: "allowed",
    maxOutputTokens: 100,
    cappedBy: "tokens",
    most: { iterations: 0, tokens: 1_100 },
  });
  expect(allow({ tokens: 1_063 }, { handIn: true })).toMatchObject({ type: "breach", breach: { limit: "tokens" } });
});

test("under a cost limit a turn leaves enough for the hand-in, and reserves what it may cost", () => {
  // 1 for the request and 8.192 for the answer; the hand-in costs 1 + 4.096 + 2.048 more.
  expect(allow({ costUsd: 16.336 })).toEqual({
    type: "allowed",
    maxOutputTokens: 4_096,
    most: { iterations: 1, tokens: 1_000 + 4_096, costUsd: 9.192 },
  });
  expect(allow({ costUsd: 16.335 })).toMatchObject({ maxOutputTokens: 2_048, most: { costUsd: 5.096 } });
  expect(allow({ costUsd: 1.128 }, { handIn: true })).toMatchObject({ maxOutputTokens: 64, most: { costUsd: 1.128 } });
  expect(allow({ costUsd: 1.127 }, { handIn: true })).toMatchObject({ type: "breach", breach: { limit: "costUsd" } });
});

test("a model without a price is not asked where a run above has a cost limit", () => {
  const state = stateWith({});
  const purse = createRunPurse(state.spec, createPurse({ costUsd: 100 }), spentBy(state));
  const asked = { state, purse, model: modelWith(() => null), requestTokens: REQUEST_TOKENS, activeMs: 0, handIn: false };
  expect(allowTurn(asked)).toEqual({ type: "breach", breach: { limit: "costUsd", used: 0, max: 100 } });
});

test("turns of the tree are counted with those that are under way", () => {
  const root = createPurse({ iterations: 2 });
  const state = stateWith({});
  const purse = createRunPurse(state.spec, root, spentBy(state));
  const asked = { state, purse, model: modelWith(PRICED), requestTokens: REQUEST_TOKENS, activeMs: 0, handIn: false };
  reserve(createPurse({}, root), { iterations: 1 });
  expect(allowTurn(asked)).toMatchObject({ type: "allowed" });
  reserve(createPurse({}, root), { iterations: 1 });
  expect(allowTurn(asked)).toEqual({ type: "breach", breach: { limit: "iterations", used: 0, max: 2 } });
  expect(allowTurn({ ...asked, handIn: true })).toMatchObject({ type: "allowed" });
});

test("work stops while there is time left to hand in", () => {
  const state = stateWith({ durationMs: 10_000 });
  const purse = createRunPurse(state.spec, null, spentBy(state));
  const at = (activeMs: number, handIn: boolean) =>
    allowTurn({ state, purse, model: modelWith(PRICED), requestTokens: REQUEST_TOKENS, activeMs, handIn }).type;
  expect([at(7_999, false), at(8_000, false), at(8_000, true), at(9_999, true), at(10_000, true)]).toEqual([
    "allowed",
    "breach",
    "allowed",
    "allowed",
    "breach",
  ]);
});

test("the tighter of the run's own calls and those of the tree holds", () => {
  const state = stateWith({ toolCalls: 5 });
  state.used.toolCalls = 3;
  expect(allowedCalls(state, createPurse({ toolCalls: 1 }))).toEqual({ left: 1, used: 0, max: 1 });
  expect(allowedCalls(state, createPurse({ toolCalls: 9 }))).toEqual({ left: 2, used: 3, max: 5 });
  expect(allowedCalls(state, createPurse({}))).toEqual({ left: 2, used: 3, max: 5 });
});

describe("a model whose output limit is known", () => {
  /** Two dollars for a million tokens read, ten for one written. */
  const real: Model = {
    ...modelWith(({ input, output }) => (2 * input + 10 * output) / 1_000_000),
    outputTokens: 128_000,
    contextWindow: 200_000,
  };
  /** A file of 48 KB in one call, at three characters a token. */
  const FILE_TOKENS = 16_384;

  const allowReal = (limits: Limits, { model = real, requestTokens = 10_000, spec = {} } = {}) => {
    const state = stateWith(limits);
    const purse = createRunPurse(state.spec, null, spentBy(state));
    const asked = {
      state: { ...state, spec: { ...state.spec, ...spec } },
      purse,
      model,
      requestTokens,
      activeMs: 0,
      handIn: false,
    };
    const allowed = allowTurn(asked);
    if (allowed.type !== "allowed") throw new Error("a limit was reached");
    return allowed;
  };

  test("writes a 48 KB file in one call, with and without limits of tokens and money", () => {
    expect(allowReal({}).maxOutputTokens).toBeUndefined();
    for (const limits of [{ costUsd: 1 }, { tokens: 200_000 }, { costUsd: 1, tokens: 200_000 }]) {
      const { maxOutputTokens, most } = allowReal(limits);
      expect(maxOutputTokens).toBeGreaterThanOrEqual(FILE_TOKENS);
      expect(maxOutputTokens).toBeLessThanOrEqual(128_000);
      expect(most.tokens).toBe(10_000 + (maxOutputTokens ?? 0));
    }
  });

  test("leaves the usual to ten that run beside it", () => {
    const root = createPurse({ costUsd: 1 });
    const state = stateWith({});
    for (let sibling = 0; sibling < 10; sibling++) {
      const purse = createRunPurse(state.spec, root, spentBy(state));
      const allowed = allowTurn({ state, purse, model: real, requestTokens: 1_000, activeMs: 0, handIn: false });
      if (allowed.type !== "allowed") throw new Error(`sibling ${sibling} was refused`);
      expect(allowed.maxOutputTokens).toBeGreaterThanOrEqual(4_096);
      reserve(purse, allowed.most);
    }
  });

  test("is not asked for more than its window has room for", () => {
    expect(allowReal({}, { requestTokens: 150_000 }).maxOutputTokens).toBe(40_000);
  });

  test("has room to think beyond what an agent lets it write", () => {
    const spec = { maxOutputTokens: 2_000 };
    expect(allowReal({}, { spec }).maxOutputTokens).toBe(2_000);
    expect(allowReal({}, { spec, model: { ...real, thinks: true } }).maxOutputTokens).toBe(2_000 + 8_192);
    expect(allowReal({}, { spec: { ...spec, thinking: 5_000 } }).maxOutputTokens).toBe(7_000);
    expect(allowReal({}, { spec: { ...spec, thinking: "off" }, model: { ...real, thinks: true } }).maxOutputTokens).toBe(2_000);
  });
});
