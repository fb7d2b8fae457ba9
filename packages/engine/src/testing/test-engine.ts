/** The real engine and loop around a scripted model and a log in memory, with one tool that only reads and one that acts. */
import type { Script, ScriptedModel, ScriptedToolCall } from "@retinue/model/testing";
import { createScriptedModel } from "@retinue/model/testing";
import type { Grant, Json, Limits, RecordedEvent, RunSpec, SessionId } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { isInput } from "@retinue/protocol";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import type { AnyTool, ModelRequest } from "@retinue/runtime";
import { createManualClock, createSpec, defineTool } from "@retinue/runtime";
import type { MemoryLog } from "@retinue/store";
import { createMemoryLog } from "@retinue/store";
import { z } from "zod";
import type { Engine, EngineOptions, RunHandle } from "../contract.ts";
import { createEmbeddedEngine } from "../embedded-engine.ts";

export const testAgent = (name: string, more: Partial<AgentDefinition> = {}): AgentDefinition => ({
  ...agentFrontMatterSchema.parse({ name, description: `Is ${name}.` }),
  prompt: `You are ${name}.`,
  ...more,
});

/** Who is asked: the agent's name, and what it was asked first. */
export const askedOf = ({ system, messages }: ModelRequest): { readonly agent: string; readonly task: string } => {
  const [first] = messages[0]?.content ?? [];
  const task = first?.type === "text" ? (first.text.split("\n")[0] ?? "") : "";
  return { agent: /You are ([\w-]+)\./.exec(system)?.[1] ?? "?", task };
};

export const delegateTo = (agent: string, task: string, more: Record<string, Json> = {}): ScriptedToolCall => ({
  tool: "delegate_to_agent",
  input: { agent, task, ...more },
  callId: `to-${agent}-${task.replaceAll(" ", "-")}`,
});

export type TestEngineOptions = {
  /** The first is the main agent. */
  readonly agents: readonly AgentDefinition[];
  readonly script: Script;
  readonly limits?: Limits;
  readonly grant?: Partial<Grant>;
  readonly engine?: Partial<EngineOptions>;
  readonly ports?: Partial<EngineOptions["ports"]>;
  readonly tools?: readonly AnyTool[];
  readonly log?: MemoryLog;
};

export type TestEngine = {
  readonly engine: Engine;
  readonly model: ScriptedModel;
  readonly log: MemoryLog;
  /** What the acting tool has done. */
  readonly effects: readonly string[];
  readonly specOf: (agent: AgentDefinition) => RunSpec;
  readonly start: (task: string, more?: Partial<Parameters<Engine["start"]>[0]>) => Promise<RunHandle>;
};

export const createTestEngine = (options: TestEngineOptions): TestEngine => {
  const { agents, script, limits = {}, grant = {}, tools: more = [], log = createMemoryLog() } = options;
  const effects: string[] = [];
  const tools: readonly AnyTool[] = [
    defineTool({
      name: "echo",
      description: "Echoes.",
      input: z.object({ text: z.string() }),
      effect: "read",
      execute: ({ text }) => text,
    }),
    defineTool({
      name: "act",
      description: "Acts.",
      input: z.object({ what: z.string(), description: z.string().optional() }),
      effect: "execute",
      execute: ({ what }) => {
        effects.push(what);
        return `did ${what}`;
      },
    }),
    ...more,
  ];
  const model = createScriptedModel(script, { usage: { input: 100, output: 10 } });
  const byName = new Map(agents.map((one) => [one.name, one]));
  let ids = 0;
  const engine = createEmbeddedEngine({
    log,
    createId: () => String(++ids),
    agents: byName,
    model: model.id,
    maxConcurrent: 3,
    maxChildren: 20,
    unattended: "deny",
    ports: {
      model: () => model,
      tool: (name) => tools.find((tool) => tool.name === name),
      clock: createManualClock(),
      realPath: async (file) => file,
      readFile: async (file) => `text of ${file}`,
      ...options.ports,
    },
    ...options.engine,
  });
  const specOf = (agent: AgentDefinition): RunSpec =>
    createSpec({
      agent,
      agents: byName,
      grant: { tools: tools.map(({ name }) => name), writes: [], hosts: [], approve: "all", maxDepth: 3, ...grant },
      model: model.id,
      workspace: "/work",
      depth: 0,
      request: { limits },
    });
  return {
    engine,
    model,
    log,
    effects,
    specOf,
    start: (task, given = {}) => {
      const [main] = agents;
      if (!main) throw new Error("There is no main agent.");
      return engine.start({ agent: main.name, task: [{ type: "text", text: task }], spec: specOf(main), ...given });
    },
  };
};

/** A log that holds the events of another up to one, as a process that was killed there has left it. */
export const cutLog = (log: MemoryLog, sessionId: SessionId, where: (event: RecordedEvent) => boolean): MemoryLog => {
  const events = log.read(sessionId);
  const at = events.findIndex(where);
  if (at < 0) throw new Error("There is no such event.");
  const cut = createMemoryLog();
  for (const { seq: _, ...event } of events.slice(0, at + 1)) {
    if (event.type === "run.requested" || isInput(event)) cut.append([event]);
    else cut.append([event], cut.lease(event.runId));
  }
  return cut;
};
