/** The real engine, loop and SQLite log around a scenario: what a victim runs, and what a thief of its leases runs. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createEmbeddedEngine, type Engine, type ResumeOptions, type RunHandle } from "@retinue/engine";
import { createScriptedModel } from "@retinue/model/testing";
import { type EventDraft, type Message, NO_USAGE, type RecordedEvent } from "@retinue/protocol";
import { agentFrontMatterSchema, type AgentDefinition } from "@retinue/protocol/agent-file";
import { type AnyTool, type Clock, createSpec, defineTool, type Model } from "@retinue/runtime";
import type { EventLog } from "@retinue/store";
import { z } from "zod";
import { makeEffect, makeTwoStepEffect } from "./effects.ts";
import { type Scenario, toScript } from "./scenario.ts";
import { SCENARIOS } from "./scenarios.ts";
import { openTrialLog } from "./trial-record.ts";
import { toPairedParts, type VictimLine } from "./victim-line.ts";
import { ROOT_RUN, SESSION } from "./victim-names.ts";
import type { Plant, VictimOrder } from "./victim-order.ts";
import { createVictimWorktrees, workspaceIn } from "./victim-worktrees.ts";

export type VictimHost = {
  readonly engine: Engine;
  /** Goes on with the main run, or starts it where there is none. */
  readonly run: (how?: ResumeOptions) => Promise<RunHandle>;
  /** How many runs have not settled. */
  readonly openRuns: () => Promise<number>;
  readonly close: () => Promise<void>;
};

export type VictimHostOptions = {
  readonly order: VictimOrder;
  readonly say: (line: VictimLine) => void;
  /** Called before and after each step of an effect, and after each write of the log. */
  readonly point: () => void;
  /** Called before each write of the log. */
  readonly beforeWrite: () => void;
};

export const createVictimHost = async (options: VictimHostOptions): Promise<VictimHost> => {
  const { order, say, point } = options;
  const { folder } = order;
  const scenario = SCENARIOS[order.scenario];
  const log = await openTrialLog(order);
  const tools = createTools(order, point);
  const agents = new Map(scenario.agents.map((agent) => [agent.name, toDefinition(agent)]));
  const model = createModel(scenario, order.latencyMs, say);
  const engine = createEmbeddedEngine({
    log: toAcknowledging(log, options),
    createId: () => "victim",
    agents,
    model: model.id,
    maxConcurrent: 3,
    // Otherwise the cap would hide what is planted.
    maxChildren: order.plant === "renamed-delegations" ? 6 : 4,
    unattended: "park",
    // Where the victim answers itself, questions wait in memory: parking is a resume, and a planted fault would show before anything is killed.
    approver: scenario.inputs === undefined ? () => new Promise(() => undefined) : undefined,
    ports: {
      model: () => model,
      tool: (name) => tools.find((tool) => tool.name === name),
      clock,
      realPath: async (file) => file,
      readFile: async (file) => `text of ${file}`,
      ...(scenario.files === undefined ? {} : { worktrees: createVictimWorktrees(folder, point) }),
    },
  });
  const start = (): Promise<RunHandle> => {
    const [main] = [...agents.values()];
    if (!main) throw new Error("A scenario has a main agent.");
    const spec = createSpec({
      agent: main,
      agents,
      grant: {
        tools: tools.map(({ name }) => name),
        writes: [],
        hosts: [],
        approve: scenario.approve,
        maxDepth: scenario.maxDepth ?? 1,
      },
      model: model.id,
      workspace: scenario.files === undefined ? folder : workspaceIn(folder),
      depth: 0,
      request: { limits: scenario.limits },
    });
    return engine.start({ agent: main.name, task: [{ type: "text", text: "Do all of it." }], spec });
  };
  return {
    engine,
    run: async (how) => ((await log.sessionOf(ROOT_RUN)) === undefined ? start() : engine.resume(ROOT_RUN, how)),
    openRuns: async () => {
      const types = (await log.read(SESSION)).map(({ type }) => type);
      return types.filter((type) => type === "run.requested").length - types.filter((type) => type === "run.settled").length;
    },
    close: async () => log.close(),
  };
};

const clock: Clock = {
  now: () => performance.now(),
  date: () => new Date().toISOString(),
  after: (ms, callback, options) => {
    const timer = setTimeout(callback, ms);
    if (options?.idle) timer.unref();
    return () => clearTimeout(timer);
  },
};

const toDefinition = ({ name, delegates, isolation }: Scenario["agents"][number]): AgentDefinition => ({
  ...agentFrontMatterSchema.parse({ name, description: `Is ${name}.`, grant: "session" }),
  ...(isolation === undefined ? {} : { isolation }),
  delegates: [...delegates],
  prompt: `You are ${name}.`,
});

/** Tells what it is asked, then answers as the scenario says. */
const createModel = (scenario: Scenario, latencyMs = 0, say: VictimHostOptions["say"]): Model => {
  const scripted = createScriptedModel(toScript(scenario), {
    usage: { input: 100, output: 10 },
    price: ({ input, output }) => (input + output) / 1_000_000,
  });
  return {
    ...scripted,
    stream: async function* (request, signal) {
      say({
        type: "requested",
        agent: scenario.agents.find(({ name }) => request.system.startsWith(`You are ${name}.`))?.name ?? "",
        answered: request.messages.filter(({ role }) => role === "assistant").length,
        parts: toPairedParts(request.messages),
        told: scenario.inputs === undefined ? 0 : countSaid(request.messages, scenario.inputs.message),
      });
      if (latencyMs > 0) await delay(latencyMs);
      yield* scripted.stream(request, signal);
    },
  };
};

/** How often a text stands in what a model is sent. */
const countSaid = (messages: readonly Message[], text: string): number => JSON.stringify(messages).split(text).length - 1;

const createTools = ({ folder, plant }: VictimOrder, point: () => void): readonly AnyTool[] => [
  defineTool({
    name: "look",
    description: "Looks.",
    input: z.object({ token: z.string(), chars: z.int() }),
    effect: "read",
    execute: ({ token, chars }) => {
      makeEffect(folder, token, point);
      return "x".repeat(chars);
    },
  }),
  defineTool({
    name: "put",
    description: "Puts a line.",
    input: z.object({ token: z.string() }),
    effect: "write",
    repeatable: plant === "repeated-writes",
    execute: ({ token }) => {
      makeEffect(folder, token, point);
      return `${token} is there`;
    },
  }),
  defineTool({
    name: "act",
    description: "Acts.",
    input: z.object({ token: z.string() }),
    effect: "execute",
    execute: ({ token }) => {
      makeTwoStepEffect(folder, token, point);
      return `${token} is done`;
    },
  }),
  defineTool({
    name: "save",
    description: "Saves a file of the workspace.",
    input: z.object({ token: z.string(), path: z.string(), text: z.string() }),
    effect: "write",
    // What is saved again is the same.
    repeatable: true,
    execute: ({ token, path: file, text }, { workspace }) => {
      point();
      const target = path.join(workspace, file);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, text);
      point();
      return { content: [{ type: "text", text: `${token} is there` }], files: { created: [file], modified: [] } };
    },
  }),
];

/** The same log, which tells each event after it was appended. */
const toAcknowledging = (log: EventLog, { order, say, point, beforeWrite }: VictimHostOptions): EventLog => {
  const around = async <T>(act: () => T | Promise<T>): Promise<T> => {
    beforeWrite();
    const value = await act();
    point();
    return value;
  };
  const acknowledge = (events: readonly RecordedEvent[]): void => {
    for (const event of events) say({ type: "acknowledged", event });
  };
  /** Counted here, since appends may overlap and the log does not know yet of those under way. */
  let last: number | undefined;
  const foresee = async (drafts: readonly EventDraft[]): Promise<readonly RecordedEvent[]> => {
    const known = (await log.read(SESSION)).at(-1)?.seq ?? 0;
    const from = Math.max(known, last ?? 0);
    last = from + drafts.length;
    return drafts.map((draft, at) => ({ ...draft, seq: from + at + 1 }));
  };
  return {
    ...log,
    append: (drafts, lease) =>
      around(async () => {
        if (order.plant === "early-acknowledgement") {
          acknowledge(await foresee(drafts));
          point();
        }
        return log.append(drafts, lease);
      }).then((events) => {
        if (order.plant !== "early-acknowledgement") acknowledge(events);
        return events;
      }),
    read: async (sessionId, afterSeq) => forget(await log.read(sessionId, afterSeq), order.plant),
    lease: (runId, options) => around(() => log.lease(runId, options)),
    writeArtifact: (sessionId, text) => around(() => log.writeArtifact(sessionId, text)),
  };
};

/** What a process reads that forgets as it is told to; everything where it is told nothing. */
const forget = (events: readonly RecordedEvent[], plant: Plant | undefined): readonly RecordedEvent[] => {
  switch (plant) {
    case "renamed-delegations":
      return JSON.parse(JSON.stringify(events).replaceAll('"to-', '"renamed-')) as readonly RecordedEvent[];
    case "forgotten-questions":
      return events.filter(({ type }) => type !== "approval.requested" && type !== "approval.answered");
    case "forgotten-work":
      return events.filter(({ depth, type }) => depth === 0 || type === "run.requested");
    case "forgotten-spending":
      return events.map((event) => (event.type === "model.answered" ? { ...event, usage: NO_USAGE, costUsd: 0 } : event));
    case "repeated-writes":
    case "early-acknowledgement":
    case undefined:
      return events;
    default:
      return plant satisfies never;
  }
};
