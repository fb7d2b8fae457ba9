/**
 * One long session by the real engine into a real file: a main agent and its helpers, each turn with a tool call. What the engine published
 * is compared with what a second log reads, event for event, and with what the loop would do again.
 */
import { createEmbeddedEngine, verifyReplay } from "@retinue/engine";
import type { ModelRequest } from "@retinue/model/contract";
import { createScriptedModel } from "@retinue/model/testing";
import type { RecordedEvent, RetinueEvent, SessionId } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { createManualClock, createSpec, defineTool } from "@retinue/runtime";
import { createSqliteLog } from "@retinue/store/sqlite";
import { z } from "zod";

export type LongSessionOptions = { readonly path: string; readonly messages: number };

export type LongSession = {
  readonly sessionId: SessionId;
  readonly messages: number;
  readonly events: number;
  readonly isSame: boolean;
};

const TURNS = 100;
/** A helper's run and its delegation, and two for each of its turns. */
const MESSAGES_A_HELPER = 2 * TURNS + 3;
const HELPERS_AT_ONCE = 5;

const agent = (name: string, delegates: string[]): AgentDefinition => ({
  ...agentFrontMatterSchema.parse({ name, description: `Is ${name}.`, delegates, grant: "session" }),
  prompt: `You are ${name}.`,
});

const agents = new Map([agent("lead", ["helper"]), agent("helper", [])].map((one) => [one.name, one]));

const look = defineTool({
  name: "look",
  description: "Looks.",
  input: z.object({ at: z.int() }),
  effect: "read",
  execute: ({ at }) => `saw ${at}`,
});

const isRecorded = (event: RetinueEvent): event is RecordedEvent =>
  event.type !== "model.delta" && event.type !== "model.retrying" && event.type !== "tool.progress";

export const recordLongSession = async ({ path, messages }: LongSessionOptions): Promise<LongSession> => {
  const rounds = Math.ceil(messages / MESSAGES_A_HELPER / HELPERS_AT_ONCE);
  const script = ({ system }: ModelRequest, answered: number) => {
    if (system.startsWith("You are helper."))
      return answered < TURNS
        ? { text: `Turn ${answered}.`, toolCalls: [{ tool: "look", input: { at: answered }, callId: `look-${answered}` }] }
        : { text: "Seen." };
    if (answered >= rounds) return { text: "Done." };
    const delegations = Array.from({ length: HELPERS_AT_ONCE }, (_, at) => ({
      tool: "delegate_to_agent",
      input: { agent: "helper", task: `Part ${answered}.${at}` },
      callId: `help-${answered}-${at}`,
    }));
    return { toolCalls: delegations };
  };
  const model = createScriptedModel(script);
  const log = createSqliteLog({ path });
  const published: RecordedEvent[] = [];
  let ids = 0;
  const engine = createEmbeddedEngine({
    log,
    createId: () => String((ids += 1)),
    agents,
    model: model.id,
    maxConcurrent: HELPERS_AT_ONCE,
    maxChildren: rounds * HELPERS_AT_ONCE,
    unattended: "deny",
    observer: (event) => void (isRecorded(event) && published.push(event)),
    ports: {
      model: () => model,
      tool: (name) => (name === look.name ? look : undefined),
      clock: createManualClock(),
      realPath: async (file) => file,
      readFile: async (file) => file,
    },
  });
  const spec = createSpec({
    agent: agents.get("lead") ?? agent("lead", []),
    agents,
    grant: { tools: ["look"], writes: [], hosts: [], approve: "all", maxDepth: 1 },
    model: model.id,
    workspace: "/work",
    depth: 0,
    request: {},
  });
  const run = await engine.start({ agent: "lead", task: [{ type: "text", text: "Look at everything." }], spec });
  const { status } = await run.result;
  if (status !== "completed") throw new Error(`The session ended as ${status}.`);
  await log.close();

  const again = createSqliteLog({ path });
  const read = await again.read(run.sessionId);
  const { divergence } = await verifyReplay(read, engine.toolsFor);
  const row = await again.readSide.session(run.sessionId);
  await again.close();
  const original = published.toSorted((a, b) => a.seq - b.seq);
  return {
    sessionId: run.sessionId,
    messages: row?.messageCount ?? 0,
    events: read.length,
    isSame:
      divergence === null && JSON.stringify(read) === JSON.stringify(original.map(({ seq, ...event }) => ({ seq, ...event }))),
  };
};
