/** What may pass leaves a run open that has worked before: a long `Retry-After`, garbage in place of answers, a key that was refused in mid-run. */
import type { ScriptedTurn } from "@retinue/model/testing";
import type { ErrorValue } from "@retinue/protocol";
import type { ModelRequest } from "@retinue/runtime";
import { waitOutage } from "@retinue/runtime";
import { describe, expect, test } from "vitest";
import { askedOf, createTestEngine, delegateTo, testAgent } from "./testing/test-engine.ts";

const HOUR = 3_600_000;
const REFUSED_KEY: ErrorValue = { code: "model_auth", message: "answered 401." };
const FAILURES: readonly { readonly name: string; readonly error: ErrorValue }[] = [
  { name: "a Retry-After of an hour", error: { code: "model_rate_limited", message: "answered 429.", retryAfterMs: HOUR } },
  { name: "a refused key", error: REFUSED_KEY },
];
const agents = [testAgent("a", { tools: ["echo"], delegates: ["b"], grant: "session" }), testAgent("b", {})];
const ECHO = { toolCalls: [{ tool: "echo", input: { text: "x" }, callId: "e" }] };

describe.each(FAILURES)("$name", ({ error }) => {
  test("in mid-run leaves it open at once, tells why in the record, and a resume completes it", async () => {
    let isAway = true;
    const script = (_: ModelRequest, answered: number): ScriptedTurn => {
      if (answered === 0) return ECHO;
      return isAway ? { error } : { text: "Done." };
    };
    const made = createTestEngine({ agents, script, ports: { outage: waitOutage(300_000) } });
    const run = await made.start("go");
    await expect(run.result).rejects.toMatchObject({ code: "run_left_open" });
    const events = made.log.read(run.sessionId);
    expect(events.some(({ type }) => type === "run.settled")).toBe(false);
    expect(events.at(-1)).toMatchObject({ type: "model.failed", error: { code: error.code }, next: "scripted/model" });
    isAway = false;
    expect(await (await made.engine.resume(run.runId)).result).toMatchObject({ status: "completed" });
  });

  test("of a child whose parent was answered leaves both open", async () => {
    let isAway = true;
    const script = (request: ModelRequest, answered: number): ScriptedTurn => {
      if (askedOf(request).agent === "b") return isAway ? { error } : { text: "b is done." };
      return answered === 0 ? { toolCalls: [delegateTo("b", "look")] } : { text: "Done." };
    };
    const made = createTestEngine({ agents, script, ports: { outage: waitOutage(300_000) } });
    const run = await made.start("go");
    await expect(run.result).rejects.toMatchObject({ code: "run_left_open" });
    isAway = false;
    expect(await (await made.engine.resume(run.runId)).result).toMatchObject({ status: "completed" });
  });
});

test("a key that is refused at first contact fails the run: nobody waits for a wrong setting", async () => {
  const script = (): ScriptedTurn => ({ error: REFUSED_KEY });
  const made = createTestEngine({ agents, script, ports: { outage: waitOutage(300_000) } });
  expect(await (await made.start("go")).result).toMatchObject({ status: "failed", error: { code: "model_auth" } });
});

test("garbage in mid-run is waited out as an outage, and at first contact it fails the run", async () => {
  const garbage: ErrorValue = { code: "model_stream_garbage", message: "answered with a web page." };
  let tries = 0;
  const script = (_: ModelRequest, answered: number): ScriptedTurn =>
    answered === 0 ? ECHO : (tries += 1) <= 2 ? { error: garbage } : { text: "Done." };
  const again = () => ({ type: "wait", waitMs: 0, leftMs: 1000 }) as const;
  const made = createTestEngine({ agents, script, ports: { outage: again } });
  expect(await (await made.start("go")).result).toMatchObject({ status: "completed" });
  expect(tries).toBe(3);
  const first = createTestEngine({ agents, script: () => ({ error: garbage }), ports: { outage: again } });
  expect(await (await first.start("go")).result).toMatchObject({ status: "failed", error: { code: "model_stream_garbage" } });
});

test("a Retry-After that ends within the budget is waited for", () => {
  expect(waitOutage(300_000)({ tries: 1, lastedMs: 0, retryAfterMs: 90_000 })).toMatchObject({ type: "wait", waitMs: 90_000 });
  expect(waitOutage(300_000)({ tries: 1, lastedMs: 250_000, retryAfterMs: 90_000 })).toEqual({ type: "leave" });
});
