/**
 * A run cut after every single event and resumed ends equal: same results, effects, refusals, limits and costs as one that was never cut. The runs are
 * generated: what an agent does in a turn follows from the seed, its name, its task and the turn, so that every process sees the same model.
 */
import { hash } from "node:crypto";
import type { ModelRequest } from "@retinue/runtime";
import type { ScriptedModel, ScriptedToolCall, ScriptedTurn } from "@retinue/model/testing";
import { createScriptedModel } from "@retinue/model/testing";
import type { Limits, RecordedEvent, RunId } from "@retinue/protocol";
import { isInput } from "@retinue/protocol";
import type { AnyTool, Model } from "@retinue/runtime";
import { createManualClock, createSpec, defineTool } from "@retinue/runtime";
import type { MemoryLog } from "@retinue/store";
import { createMemoryLog } from "@retinue/store";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Engine } from "./contract.ts";
import { createEmbeddedEngine } from "./embedded-engine.ts";
import { askedOf, delegateTo, testAgent } from "./testing/test-engine.ts";

const SEEDS = Number(process.env["CUT_SEEDS"] ?? 3);
const MOST_TURNS = 4;

type Family = { readonly name: string; readonly limits: Limits; readonly fallbacks: boolean; readonly background: boolean };

const FAMILIES: readonly Family[] = [
  { name: "side by side, with questions and fallbacks", limits: {}, fallbacks: true, background: false },
  {
    name: "at the limits of the tree",
    limits: { tokens: 2_500, toolCalls: 9, iterations: 12 },
    fallbacks: false,
    background: false,
  },
  { name: "in the background", limits: {}, fallbacks: false, background: true },
];

const AGENTS = [
  testAgent("main", { tools: ["look", "act"], delegates: ["middle", "worker"] }),
  testAgent("middle", { tools: ["look", "act"], delegates: ["worker"] }),
  testAgent("worker", { tools: ["look", "act"] }),
];

/** A number from 0 up to but not including `most`, the same for the same words. */
const pick = (most: number, ...words: readonly (string | number)[]): number =>
  Number.parseInt(hash("sha256", words.join("\0"), "hex").slice(0, 8), 16) % most;

const toTurn = (
  seed: number,
  { background }: Family,
  { agent, task, turn }: { agent: string; task: string; turn: number },
): ScriptedTurn => {
  const is = (most: number, ...words: readonly (string | number)[]): number => pick(most, seed, agent, task, turn, ...words);
  if (turn >= MOST_TURNS || is(4, "end") === 0) return { text: `${agent} ends ${task} at ${turn}.` };
  const calls: ScriptedToolCall[] = [];
  for (let at = 0; at <= is(3, "calls"); at += 1) {
    const kind = is(agent === "worker" ? 3 : 5, "kind", at);
    const callId = `${agent}-${task}-${turn}-${at}`.replaceAll(" ", "-");
    const what = `${task} ${turn} ${is(2, "same", at)}`;
    if (kind === 0) calls.push({ tool: "look", input: { what }, callId });
    else if (kind < 3) calls.push({ tool: "act", input: { what }, callId });
    else {
      const below = agent === "main" && is(2, "to", at) === 0 ? "middle" : "worker";
      // One at a time: which of several is heard of first is decided by the clock.
      const inBackground = background && at === 0 && agent === "main" ? { background: true } : {};
      calls.push({
        ...delegateTo(below, `${task} ${is(3, "again", at) === 0 ? turn : "r"}${is(2, "task", at)}`, inBackground),
        callId,
      });
    }
  }
  return { toolCalls: calls };
};

const createModels = (seed: number, family: Family): ReadonlyMap<string, Model> => {
  const answer =
    (isFirst: boolean) =>
    (request: ModelRequest): ScriptedTurn => {
      const { agent, task } = askedOf(request);
      const turn = request.messages.filter(({ role }) => role === "assistant").length;
      if (isFirst && family.fallbacks && pick(5, seed, agent, task, "away") === 0) return { error: "model_overloaded" };
      return request.toolChoice === "none" ? { text: `${agent} hands in.` } : toTurn(seed, family, { agent, task, turn });
    };
  const create = (id: string, isFirst: boolean): ScriptedModel =>
    createScriptedModel(answer(isFirst), {
      id,
      usage: { input: 100, output: 10 },
      price: ({ input, output }) => (input + output) / 1e6,
    });
  return new Map([
    ["scripted/first", create("scripted/first", true)],
    ["scripted/second", create("scripted/second", false)],
  ]);
};

type World = { readonly engine: Engine; readonly effects: Set<string> };

const createWorld = (seed: number, family: Family, log: MemoryLog, effects: Set<string>): World => {
  const models = createModels(seed, family);
  const tool = (name: string, effect: "read" | "execute"): AnyTool =>
    defineTool({
      name,
      description: `Does ${name}.`,
      input: z.object({ what: z.string() }),
      effect,
      // What is made twice has the effect of one: else a cut inside it could not end equal.
      repeatable: true,
      execute: ({ what }) => {
        if (effect === "execute") effects.add(what);
        return `${name}: ${what}`;
      },
    });
  const tools = new Map([tool("look", "read"), tool("act", "execute")].map((one) => [one.name, one]));
  const engine = createEmbeddedEngine({
    log,
    createId: () => "made",
    agents: new Map(AGENTS.map((agent) => [agent.name, agent])),
    model: "scripted/first",
    maxConcurrent: 2,
    maxChildren: 4,
    unattended: "deny",
    approver: async ({ act }) =>
      pick(3, seed, JSON.stringify(act.input), "asked") === 0 ? { allowed: false } : { allowed: true },
    ports: {
      model: (name) => models.get(name) ?? Promise.reject(new Error(`There is no ${name}.`)),
      tool: (name) => tools.get(name),
      clock: createManualClock(),
      realPath: async (file) => file,
      readFile: async () => "",
    },
  });
  return { engine, effects };
};

const specOf = ({ limits, fallbacks }: Family) =>
  createSpec({
    agent: { ...(AGENTS[0] ?? testAgent("main")), ...(fallbacks ? { fallbacks: ["scripted/second"] } : {}) },
    agents: new Map(AGENTS.map((agent) => [agent.name, agent])),
    grant: { tools: ["look", "act"], writes: [], hosts: [], approve: "ask", maxDepth: 3 },
    model: "scripted/first",
    workspace: "/work",
    depth: 0,
    request: { limits },
  });

/** What became of every run: its result, its calls and their outcomes, the limits it met. Numbers of events and times are left out. */
const toEnd = (events: readonly RecordedEvent[], effects: ReadonlySet<string>) => {
  const runs = new Map<RunId, { calls: Record<string, string>; limits: string[]; result: unknown }>();
  const of = (runId: RunId) => {
    let run = runs.get(runId);
    if (!run) runs.set(runId, (run = { calls: {}, limits: [], result: null }));
    return run;
  };
  for (const event of events) {
    const run = of(event.runId);
    if (event.type === "tool.settled") run.calls[event.callId] = `${event.outcome} ${event.error?.code ?? ""}`;
    if (event.type === "limit.reached") run.limits.push(`${event.limit} ${event.max}`);
    if (event.type === "run.settled") {
      const { durationMs: _, ...result } = event.result;
      run.result = result;
    }
  }
  return { runs: Object.fromEntries([...runs].toSorted(([a], [b]) => (a < b ? -1 : 1))), effects: [...effects].toSorted() };
};

const copyUpTo = (events: readonly RecordedEvent[], count: number): MemoryLog => {
  const log = createMemoryLog();
  for (const { seq: _, ...event } of events.slice(0, count))
    if (event.type === "run.requested" || isInput(event)) log.append([event]);
    else log.append([event], log.lease(event.runId));
  return log;
};

describe.each(FAMILIES)("$name", (family) => {
  test.each(Array.from({ length: SEEDS }, (_, at) => 2_001 + at))(
    "seed %i: cut after every event it ends equal",
    async (seed) => {
      const log = createMemoryLog();
      const whole = createWorld(seed, family, log, new Set());
      const handle = await whole.engine.start({ agent: "main", task: [{ type: "text", text: "go" }], spec: specOf(family) });
      await handle.result;
      const events = log.read(handle.sessionId);
      const end = toEnd(events, whole.effects);
      expect(events.length).toBeGreaterThan(3);
      for (let count = 1; count < events.length; count += 1) {
        const cut = copyUpTo(events, count);
        // What was done before the cut is done; what was under way may be made again.
        const resumed = createWorld(seed, family, cut, effectsOf(events.slice(0, count)));
        await (
          await resumed.engine.resume(handle.runId)
        ).result;
        const again = toEnd(cut.read(handle.sessionId), resumed.effects);
        if (family.background) expect(again.effects, `cut after ${count}`).toEqual(end.effects);
        else expect(again, `cut after ${count} ${events[count - 1]?.type}`).toEqual(end);
      }
    },
  );
});

/** Of the calls that were made before the cut. */
const effectsOf = (events: readonly RecordedEvent[]): Set<string> =>
  new Set(
    events.flatMap((event) =>
      event.type === "tool.started" && event.tool === "act" ? [(event.input as { readonly what: string }).what] : [],
    ),
  );
