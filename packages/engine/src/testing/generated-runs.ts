/**
 * Runs that a seed generates: what an agent does in a turn follows from the seed, its name, its task and the turn, so that every process sees the same
 * model. What is done lies on a disk in memory, of which there is a copy for every event, as a process that was killed then has left it.
 */
import { hash } from "node:crypto";
import type { ScriptedModel, ScriptedToolCall, ScriptedTurn } from "@retinue/model/testing";
import { createScriptedModel } from "@retinue/model/testing";
import type { Limits, RunSpec } from "@retinue/protocol";
import type { AnyTool, Model, ModelRequest } from "@retinue/runtime";
import { createManualClock, createSpec, defineTool } from "@retinue/runtime";
import type { MemoryLog } from "@retinue/store";
import { z } from "zod";
import type { Engine } from "../contract.ts";
import { createEmbeddedEngine } from "../embedded-engine.ts";
import { createMemoryWorktrees, filesOf, type MemoryDisk } from "./memory-worktrees.ts";
import { askedOf, delegateTo, testAgent } from "./test-engine.ts";

export type Family = {
  readonly name: string;
  readonly limits: Limits;
  /** The model of some conversations is away, and the next one answers. */
  readonly fallbacks: boolean;
  readonly background: boolean;
  readonly worktrees: boolean;
};

const MOST_TURNS = 4;
/** What was done, as files; a worktree's own are merged into it. */
export const WORKSPACE = "/work";

const AGENTS = [
  testAgent("main", { tools: ["look", "act"], delegates: ["middle", "worker", "builder"] }),
  testAgent("middle", { tools: ["look", "act"], delegates: ["worker", "builder"] }),
  testAgent("worker", { tools: ["look", "act"] }),
  testAgent("builder", { tools: ["look", "act"], isolation: "worktree" }),
];

/** A number from 0 up to but not including `most`, the same for the same words. */
const pick = (most: number, ...words: readonly (string | number)[]): number =>
  Number.parseInt(hash("sha256", words.join("\0"), "hex").slice(0, 8), 16) % most;

type Asked = { readonly agent: string; readonly task: string; readonly turn: number };

const toTurn = (seed: number, { background, worktrees }: Family, { agent, task, turn }: Asked): ScriptedTurn => {
  const is = (most: number, ...words: readonly (string | number)[]): number => pick(most, seed, agent, task, turn, ...words);
  if (turn >= MOST_TURNS || is(4, "end") === 0) return { text: `${agent} ends ${task} at ${turn}.` };
  const isLeaf = agent === "worker" || agent === "builder";
  const calls: ScriptedToolCall[] = [];
  for (let at = 0; at <= is(3, "calls"); at += 1) {
    const kind = is(isLeaf ? 3 : 5, "kind", at);
    const callId = `${agent}-${task}-${turn}-${at}`.replaceAll(" ", "-");
    const what = `${task} ${turn} ${is(2, "same", at)}`;
    if (kind === 0) calls.push({ tool: "look", input: { what }, callId });
    else if (kind < 3) calls.push({ tool: "act", input: { what }, callId });
    else {
      const leaf = worktrees && is(2, "isolated", at) === 0 ? "builder" : "worker";
      const below = agent === "main" && is(2, "to", at) === 0 ? "middle" : leaf;
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

const createTools = (disk: MemoryDisk): ReadonlyMap<string, AnyTool> => {
  const create = (name: string, effect: "read" | "execute"): AnyTool =>
    defineTool({
      name,
      description: `Does ${name}.`,
      input: z.object({ what: z.string() }),
      effect,
      // What is made twice has the effect of one: else a cut inside it could not end equal.
      repeatable: true,
      execute: ({ what }, { workspace }) => {
        if (effect === "execute") filesOf(disk, workspace).set(what, "done");
        return `${name}: ${what}`;
      },
    });
  return new Map([create("look", "read"), create("act", "execute")].map((one) => [one.name, one]));
};

export type Generated = { readonly seed: number; readonly family: Family };

export const createGeneratedEngine = ({ seed, family }: Generated, log: MemoryLog, disk: MemoryDisk): Engine => {
  const models = createModels(seed, family);
  const tools = createTools(disk);
  return createEmbeddedEngine({
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
      worktrees: createMemoryWorktrees(disk),
    },
  });
};

export const toGeneratedSpec = ({ limits, fallbacks }: Family): RunSpec =>
  createSpec({
    agent: { ...(AGENTS[0] ?? testAgent("main")), ...(fallbacks ? { fallbacks: ["scripted/second"] } : {}) },
    agents: new Map(AGENTS.map((agent) => [agent.name, agent])),
    grant: { tools: ["look", "act"], writes: [], hosts: [], approve: "ask", maxDepth: 3 },
    model: "scripted/first",
    workspace: WORKSPACE,
    depth: 0,
    request: { limits },
  });
