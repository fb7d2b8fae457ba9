/** The real engine over a record with queued turns: each turn makes one effect that can be counted, and answers. */
import { randomUUID } from "node:crypto";
import { createEmbeddedEngine, type Engine } from "@retinue/engine";
import { createScriptedModel } from "@retinue/model/testing";
import type { RunSpec, UserPart } from "@retinue/protocol";
import { agentFrontMatterSchema, type AgentDefinition } from "@retinue/protocol/agent-file";
import { createSpec, defineTool } from "@retinue/runtime";
import type { EventLog } from "@retinue/store";
import { z } from "zod";
import { makeEffect } from "../effects.ts";

const AGENT: AgentDefinition = {
  ...agentFrontMatterSchema.parse({ name: "main", description: "Is main.", grant: "session" }),
  prompt: "You are main.",
};
const AGENTS = new Map([[AGENT.name, AGENT]]);
const MODEL = "scripted/model";

export const toTask = (text: string): readonly UserPart[] => [{ type: "text", text }];

export const specIn = (folder: string): RunSpec =>
  createSpec({
    agent: AGENT,
    agents: AGENTS,
    grant: { tools: ["put"], writes: [], hosts: [], approve: "all", maxDepth: 1 },
    model: MODEL,
    workspace: folder,
    depth: 0,
    request: { limits: {} },
  });

/** `point` is called before and after each step of an effect. */
export const createQueueEngine = (log: EventLog, folder: string, point: () => void): Engine => {
  const put = defineTool({
    name: "put",
    description: "Puts a line.",
    input: z.object({ token: z.string() }),
    effect: "write",
    execute: ({ token }) => {
      makeEffect(folder, token, point);
      return `${token} is there`;
    },
  });
  const model = createScriptedModel(
    ({ messages }) => {
      const at = messages.findLastIndex(({ role }) => role === "user");
      const [said] = messages[at]?.content ?? [];
      const token = said?.type === "text" ? said.text : "";
      const isPut = messages.slice(at).some(({ role }) => role === "tool");
      return isPut ? { text: `${token} is done.` } : { toolCalls: [{ tool: "put", input: { token }, callId: `put-${token}` }] };
    },
    { id: MODEL },
  );
  return createEmbeddedEngine({
    log,
    createId: () => randomUUID().replaceAll("-", ""),
    agents: AGENTS,
    model: MODEL,
    maxConcurrent: 1,
    maxChildren: 0,
    unattended: "park",
    ports: {
      model: () => model,
      tool: (name) => (name === "put" ? put : undefined),
      clock: {
        now: () => performance.now(),
        date: () => new Date().toISOString(),
        after: (ms, callback) => {
          const timer = setTimeout(callback, ms);
          return () => clearTimeout(timer);
        },
      },
      realPath: async (file) => file,
      readFile: async () => "",
    },
  });
};
