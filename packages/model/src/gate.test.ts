import { describe, expect, it } from "vitest";
import { createGate, gateFor } from "./gate.ts";
import type { Gate, Pass } from "./gate.ts";
import { createManualTiming } from "./transport/manual-timing.ts";

const signal = new AbortController().signal;

/** Asks for a pass and shows whether it was given. */
const ask = (gate: Gate): { pass?: Pass } => {
  const asked: { pass?: Pass } = {};
  const entered = gate.enter(signal);
  if (entered instanceof Promise) void entered.then((pass) => (asked.pass = pass));
  else asked.pass = entered;
  return asked;
};

const settle = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

const given = (asked: readonly { pass?: Pass }[]): number[] => asked.flatMap(({ pass }, at) => (pass ? [at] : []));

const refused = { type: "refused", retryAfterMs: undefined, maxWaitMs: 60_000 } as const;

describe("a gate", () => {
  it("lets in at once while there is room and then in the order of arrival", async () => {
    const gate = createGate({ maxConcurrent: 2, timing: createManualTiming() });
    const asked = Array.from({ length: 5 }, () => ask(gate));
    expect(given(asked)).toEqual([0, 1]);
    gate.leave(asked[1]!.pass!, { type: "ok" });
    await settle();
    expect(given(asked)).toEqual([0, 1, 2]);
    gate.leave(asked[0]!.pass!, { type: "failed" });
    gate.leave(asked[2]!.pass!, { type: "ok" });
    await settle();
    expect(given(asked)).toEqual([0, 1, 2, 3, 4]);
  });

  it("lets those give up who wait, without losing the place of the others", async () => {
    const gate = createGate({ maxConcurrent: 1, timing: createManualTiming() });
    const first = ask(gate);
    const abort = new AbortController();
    const quitter = Promise.resolve(gate.enter(abort.signal));
    const second = ask(gate);
    abort.abort(new Error("enough"));
    await expect(quitter).rejects.toThrow("enough");
    gate.leave(first.pass!, { type: "ok" });
    await settle();
    expect(second.pass).toBeDefined();
    expect(() => gate.enter(abort.signal)).toThrow("enough");
  });

  it("closes for everybody after a refusal, for as long as the server asks", async () => {
    const timing = createManualTiming();
    const gate = createGate({ maxConcurrent: 4, timing });
    const first = ask(gate);
    gate.leave(first.pass!, { ...refused, retryAfterMs: 7000 });
    expect(gate.pausedMs()).toBe(7000);
    const asked = Array.from({ length: 3 }, () => ask(gate));
    timing.advance(6999);
    await settle();
    expect(given(asked)).toEqual([]);
    timing.advance(1);
    await settle();
    expect(given(asked)).toEqual([0]);
  });

  it("pauses by itself where the server does not say, longer each time in a row", async () => {
    const timing = createManualTiming({ random: 0 });
    const gate = createGate({ timing });
    const pauses: number[] = [];
    for (let n = 0; n < 4; n++) {
      const asked = ask(gate);
      gate.leave(asked.pass!, { ...refused, maxWaitMs: 1500 });
      pauses.push(gate.pausedMs());
      timing.advance(gate.pausedMs());
      await settle();
    }
    expect(pauses).toEqual([250, 500, 750, 750]);
    const success = ask(gate);
    gate.leave(success.pass!, { type: "ok" });
    const again = ask(gate);
    gate.leave(again.pass!, refused);
    expect(gate.pausedMs()).toBe(250);
  });

  it("starts again with one and lets one more in for each success", async () => {
    const timing = createManualTiming();
    const gate = createGate({ maxConcurrent: 5, timing });
    const first = ask(gate);
    gate.leave(first.pass!, { ...refused, retryAfterMs: 1000 });
    const asked = Array.from({ length: 20 }, () => ask(gate));
    timing.advance(1000);
    const inFlight: number[] = [];
    let left = 0;
    while (left < 20) {
      await settle();
      const open = given(asked).length - left;
      inFlight.push(open);
      for (let n = 0; n < open; n++) gate.leave(asked[left++]!.pass!, { type: "ok" });
    }
    expect(inFlight).toEqual([1, 2, 4, 5, 5, 3]);
  });

  it("takes refusals of requests that were under way together as one", async () => {
    const timing = createManualTiming({ random: 0 });
    const gate = createGate({ maxConcurrent: 3, timing });
    const asked = Array.from({ length: 3 }, () => ask(gate));
    for (const { pass } of asked) gate.leave(pass!, refused);
    expect(gate.pausedMs()).toBe(250);
    timing.advance(250);
    const probe = ask(gate);
    gate.leave(probe.pass!, refused);
    expect(gate.pausedMs()).toBe(500);
  });

  it("lets a longer wait extend the pause", () => {
    const timing = createManualTiming();
    const gate = createGate({ timing });
    const asked = [ask(gate), ask(gate)];
    gate.leave(asked[0]!.pass!, { ...refused, retryAfterMs: 1000 });
    gate.leave(asked[1]!.pass!, { ...refused, retryAfterMs: 5000 });
    expect(gate.pausedMs()).toBe(5000);
    const waiting = ask(gate);
    timing.advance(4999);
    expect(waiting.pass).toBeUndefined();
  });

  it("does not let the success of one who entered before the pause open it", async () => {
    const timing = createManualTiming();
    const gate = createGate({ maxConcurrent: 8, timing });
    const [old, unlucky] = [ask(gate), ask(gate)];
    gate.leave(unlucky.pass!, { ...refused, retryAfterMs: 1000 });
    timing.advance(1000);
    gate.leave(old.pass!, { type: "ok" });
    const asked = Array.from({ length: 3 }, () => ask(gate));
    await settle();
    expect(given(asked)).toEqual([0]);
  });

  it("probes although an old stream is still running", () => {
    const timing = createManualTiming();
    const gate = createGate({ maxConcurrent: 2, timing });
    const [, unlucky] = [ask(gate), ask(gate)];
    gate.leave(unlucky.pass!, { ...refused, retryAfterMs: 1000 });
    timing.advance(1000);
    expect(ask(gate).pass).toBeDefined();
    expect(ask(gate).pass).toBeUndefined();
  });

  it("counts who entered before a pause among those that are in flight after it", async () => {
    const timing = createManualTiming();
    const gate = createGate({ maxConcurrent: 2, timing });
    const [, unlucky] = [ask(gate), ask(gate)];
    gate.leave(unlucky.pass!, { ...refused, retryAfterMs: 1000 });
    timing.advance(1000);
    const probe = ask(gate);
    gate.leave(probe.pass!, { type: "ok" });
    const asked = [ask(gate), ask(gate)];
    await settle();
    expect(given(asked)).toEqual([0]);
  });

  it("does not let who entered before the pause make room beside the probe when it leaves", async () => {
    const timing = createManualTiming();
    const gate = createGate({ maxConcurrent: 8, timing });
    const [old, unlucky] = [ask(gate), ask(gate)];
    gate.leave(unlucky.pass!, { ...refused, retryAfterMs: 1000 });
    timing.advance(1000);
    const asked = Array.from({ length: 3 }, () => ask(gate));
    gate.leave(old.pass!, { type: "failed" });
    await settle();
    expect(given(asked)).toEqual([0]);
  });

  it("keeps to the longest wait that was asked for, whichever word came last", () => {
    const gate = createGate({ timing: createManualTiming() });
    const asked = [ask(gate), ask(gate)];
    gate.leave(asked[0]!.pass!, { ...refused, retryAfterMs: 5000 });
    gate.leave(asked[1]!.pass!, { ...refused, retryAfterMs: 1000 });
    expect(gate.pausedMs()).toBe(5000);
  });

  it("lets nobody overtake who comes when the pause is over and those that wait were not woken yet", async () => {
    const manual = createManualTiming();
    let late = 0;
    const gate = createGate({ maxConcurrent: 1, timing: { ...manual, now: () => manual.now() + late } });
    gate.leave(ask(gate).pass!, { ...refused, retryAfterMs: 1000 });
    const waiting = ask(gate);
    late = 1000;
    const comer = ask(gate);
    manual.advance(1000);
    await settle();
    expect([waiting.pass !== undefined, comer.pass !== undefined]).toEqual([true, false]);
  });

  it("stays as narrow as it is when its size changes after a refusal", async () => {
    const timing = createManualTiming();
    const gate = createGate({ maxConcurrent: 4, timing });
    gate.leave(ask(gate).pass!, { ...refused, retryAfterMs: 1000 });
    gate.resize(8);
    timing.advance(1000);
    const asked = Array.from({ length: 3 }, () => ask(gate));
    await settle();
    expect(given(asked)).toEqual([0]);
  });

  it("leaves no timer behind but the one of its pause", () => {
    const timing = createManualTiming();
    const gate = createGate({ timing });
    const asked = [ask(gate), ask(gate), ask(gate)];
    for (const { pass } of asked) gate.leave(pass!, { ...refused, retryAfterMs: 10 });
    expect(timing.pending()).toBe(1);
    timing.advance(10);
    expect(timing.pending()).toBe(0);
  });
});

describe("gateFor", () => {
  it("gives one gate a name and takes the last word on its size", async () => {
    const gate = gateFor("test-provider", { maxConcurrent: 1 });
    expect(gateFor("test-provider")).toBe(gate);
    expect(gateFor("other-provider")).not.toBe(gate);
    const asked = [ask(gate), ask(gate)];
    expect(given(asked)).toEqual([0]);
    gateFor("test-provider", { maxConcurrent: 2 });
    await settle();
    expect(given(asked)).toEqual([0, 1]);
  });
});
