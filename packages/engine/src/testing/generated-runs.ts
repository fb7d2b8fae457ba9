/**
 * Runs that a seed generates, in families that each bring something into play. What is done lies on a disk in memory, of which there is a copy for every
 * event, as a process that was killed then has left it.
 */
import type { ScriptedModel } from "@retinue/model/testing";
import { createScriptedModel } from "@retinue/model/testing";
import type {
  ApprovalId,
  EventOf,
  InputEvent,
  ProposedAct,
  RecordedEvent,
  RunId,
  RunIdentity,
  RunSpec,
  SessionId,
} from "@retinue/protocol";
import { isInput } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import type { AnyTool, ApprovalAnswer, Model } from "@retinue/runtime";
import { createManualClock, createSpec, defineTool } from "@retinue/runtime";
import type { MemoryLog } from "@retinue/store";
import { createMemoryLog } from "@retinue/store";
import { z } from "zod";
import type { Engine, EngineOptions, RunHandle } from "../contract.ts";
import { createEmbeddedEngine } from "../embedded-engine.ts";
import type { Behaviour, Family, Generated } from "./generated-turns.ts";
import { has, isAway, pick, toGeneratedTurn } from "./generated-turns.ts";
import { createMemoryWorktrees, filesOf, type MemoryDisk } from "./memory-worktrees.ts";
import { testAgent } from "./test-engine.ts";

/** What was done, as files; a worktree's own are merged into it. */
export const WORKSPACE = "/work";

const PLAIN = { limits: {}, fallbacks: false, background: false, worktrees: false } as const;

const alone = (name: string, ...also: readonly Behaviour[]): Family => ({ ...PLAIN, name, also });

export const FAMILIES = {
  sideBySide: { ...PLAIN, name: "side by side, with questions and fallbacks", fallbacks: true },
  limited: { ...PLAIN, name: "at the limits of the tree", limits: { tokens: 6_000, toolCalls: 9, iterations: 12 } },
  worktrees: { ...PLAIN, name: "in worktrees, with fallbacks", fallbacks: true, worktrees: true },
  background: { ...PLAIN, name: "in the background", background: true },
  mixed: {
    ...PLAIN,
    name: "in the background, in worktrees, with fallbacks",
    fallbacks: true,
    background: true,
    worktrees: true,
  },
  words: alone("spoken to, and told to finish", "words"),
  answers: alone("asking people, who answer for longer than once", "answers"),
  guards: alone("behind guardrails, spoken to", "guards", "words"),
  forms: alone("with results of a form that guardrails look at", "forms", "guards"),
  checks: alone("with results that must be accepted", "checks", "forms"),
  transfers: alone("handed over, in two turns of which the first is summarised", "transfers", "turns", "words"),
  plans: alone("by plans", "plans"),
  fits: { ...alone("outgrowing their context, in two turns", "fits", "turns"), limits: { contextTokens: 1_700 } },
  summaries: alone("told summaries, and parked on questions", "summaries", "parks"),
  parks: alone("parked on questions", "parks", "answers"),
  parkedPlans: alone("parked in plans and checks", "parks", "plans", "checks"),
} as const satisfies Record<string, Family>;

const FORM = { type: "object", properties: { done: { type: "string" } }, required: ["done"], additionalProperties: false };

/** Everybody in a family of runs. */
const agentsOf = ({ seed, family }: Generated): ReadonlyMap<string, AgentDefinition> => {
  const tools = ["look", "act", ...(has(family, "words") ? ["hear"] : []), ...(has(family, "answers") ? ["ask_user"] : [])];
  const guard =
    (on: string) =>
    ({ text }: { readonly text: string }) =>
      pick(9, seed, on, text) === 0 ? { refuse: `${on} ${text.length}` } : undefined;
  const guarded = has(family, "guards") ? { guardrails: { input: [guard("in")], output: [guard("out")] } } : {};
  const formed = has(family, "forms")
    ? {
        output: FORM,
        parseOutput: async (value: unknown) =>
          pick(4, seed, JSON.stringify(value)) === 0
            ? { type: "misfit" as const, reason: "It is too short." }
            : { type: "fits" as const, value },
      }
    : {};
  const isChecked = has(family, "checks");
  const agents = [
    testAgent("main", {
      tools,
      // Whoever may start a planner has the tools for plans.
      delegates: ["middle", "worker", "builder", ...(has(family, "plans") ? ["planner"] : [])],
      ...guarded,
      fallbacks: family.fallbacks ? ["scripted/second"] : [],
    }),
    testAgent("middle", {
      tools,
      delegates: ["worker", "builder"],
      ...guarded,
      ...formed,
      ...(isChecked ? { accept: { agent: "checker" } } : {}),
    }),
    testAgent("worker", { tools, ...guarded, ...formed, ...(isChecked ? { accept: { command: "check" } } : {}) }),
    testAgent("builder", { tools, isolation: "worktree" }),
    ...(isChecked ? [testAgent("checker", { tools: ["look"], expose: "none" })] : []),
    ...(has(family, "plans")
      ? [testAgent("planner", { tools: [] }), testAgent("orchestrator", { tools: [], expose: "none" })]
      : []),
  ];
  return new Map(agents.map((agent) => [agent.name, agent]));
};

const createModels = (generated: Generated): ReadonlyMap<string, Model> => {
  const create = (id: string, isFirst: boolean): ScriptedModel =>
    createScriptedModel(
      (request) => (isFirst && isAway(generated, request) ? { error: "model_overloaded" } : toGeneratedTurn(generated, request)),
      { id, usage: { input: 100, output: 10 }, price: ({ input, output }) => (input + output) / 1e6 },
    );
  return new Map([
    ["scripted/first", create("scripted/first", true)],
    ["scripted/second", create("scripted/second", false)],
  ]);
};

/** What people do while a run works. */
type People = { readonly speak: (run: RunIdentity, what: string, how: string) => Promise<void> };

const createTools = (disk: MemoryDisk, { speak }: People): ReadonlyMap<string, AnyTool> => {
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
  const hear = defineTool({
    name: "hear",
    description: "Takes so long that somebody says something meanwhile.",
    input: z.object({ what: z.string(), how: z.string() }),
    effect: "read",
    execute: async ({ what, how }, { run, callId }) => {
      await speak(run, callId, how);
      return `heard ${what}`;
    },
  });
  const ask = defineTool({
    name: "ask_user",
    description: "Asks the user.",
    input: z.object({ question: z.string() }),
    effect: "read",
    touches: ({ question }) => ({ question: { text: question, options: [] } }),
    execute: (_, { answer }) => `The user answered: ${answer ?? "nothing"}.`,
  });
  const shell = defineTool({
    name: "shell",
    description: "Runs a command.",
    input: z.object({ command: z.string() }),
    effect: "execute",
    execute: () => "",
  });
  return new Map([create("look", "read"), create("act", "execute"), hear, ask, shell].map((one) => [one.name, one]));
};

const textOf = (event: InputEvent): string =>
  event.type === "message.received" ? event.content.map((part) => (part.type === "text" ? part.text : "")).join("") : "";

/** People say a thing once, whichever process hears it. */
const createPeople = (log: MemoryLog, engine: () => Engine): People => {
  const said = async (run: RunIdentity, what: string): Promise<InputEvent & EventOf<"message.received">> => {
    const find = () => log.inputs(run.runId, 0).find((event) => textOf(event) === what);
    if (!find()) await engine().send(run.runId, what);
    const found = find();
    if (found?.type !== "message.received") throw new Error("It was not recorded.");
    return found;
  };
  return {
    speak: async (run, what, how) => {
      const inputs = log.inputs(run.runId, 0);
      await said(run, `please ${what}`);
      if (how === "taken back") {
        const { messageId } = await said(run, `no, ${what}`);
        const isTaken = inputs.some((event) => event.type === "message.withdrawn" && event.messageId === messageId);
        if (messageId !== undefined && !isTaken) await engine().withdraw(run.runId, messageId);
      }
      if (how === "finish" && !inputs.some(({ type }) => type === "cancel.requested"))
        await engine().cancel(run.runId, { finish: true, reason: what });
    },
  };
};

const answerTo = ({ seed, family }: Generated, act: ProposedAct): ApprovalAnswer => {
  const told = JSON.stringify(act.input);
  if (told.includes('"steps"')) return { allowed: true };
  if (pick(3, seed, told, "asked") === 0) return { allowed: false };
  if (act.question) return { allowed: true, text: `as to ${act.question.text}, yes` };
  // What two runs at the same time are asked is no matter of which of them is quicker.
  return has(family, "answers") && pick(2, seed, told, "scope") === 0 ? { allowed: true, scope: "run" } : { allowed: true };
};

const TURNS = ["made", "next"] as const;
const TOOLS = ["look", "act", "hear", "ask_user"];

export type GeneratedEngine = Engine & {
  readonly definitions: { readonly agents: ReadonlyMap<string, AgentDefinition>; readonly tools: readonly string[] };
  /** Starts the session's first turn, or its next one where there is one; undefined where there is none. */
  readonly startTurn: (sessionId?: SessionId) => Promise<RunHandle | undefined>;
  /** Goes on with what is open, and starts the turns that are left. */
  readonly finish: (sessionId: SessionId) => Promise<void>;
};

let messages = 0;

export const createGeneratedEngine = (generated: Generated, log: MemoryLog, disk: MemoryDisk): GeneratedEngine => {
  const { seed, family } = generated;
  const models = createModels(generated);
  const tools = createTools(
    disk,
    createPeople(log, () => engine),
  );
  const agents = agentsOf(generated);
  let turn: string | null = null;
  const answer = (approvalId: ApprovalId, act: ProposedAct): void => {
    // It may have been answered before, or its run have ended.
    setImmediate(() => void engine.answer(approvalId, answerTo(generated, act)).catch(() => undefined));
  };
  const parked: Partial<EngineOptions> = {
    unattended: "park",
    observer: (event) => event.type === "approval.requested" && answer(event.approvalId, event.act),
  };
  const engine = createEmbeddedEngine({
    log,
    createId: () => turn ?? String((messages += 1)),
    agents,
    model: "scripted/first",
    maxConcurrent: 2,
    maxChildren: has(family, "plans") ? 40 : 4,
    unattended: "deny",
    ...(has(family, "parks") ? parked : { approver: async ({ act }) => answerTo(generated, act) }),
    ports: {
      model: (name) => models.get(name) ?? Promise.reject(new Error(`There is no ${name}.`)),
      tool: (name) => tools.get(name),
      clock: createManualClock(),
      realPath: async (file) => file,
      readFile: async () => "",
      worktrees: createMemoryWorktrees(disk),
      shell: async (command, spec) => {
        const ok = pick(3, seed, command, spec.system) > 0;
        return { ok, output: ok ? "it is well" : "it is not well" };
      },
    },
  });

  const startTurn: GeneratedEngine["startTurn"] = async (sessionId) => {
    const roots = sessionId === undefined ? [] : log.read(sessionId).filter(isMainRequest);
    const name = TURNS[roots.length];
    if (name === undefined || (roots.length > 0 && !has(family, "turns"))) return undefined;
    turn = name;
    const held = sessionId === undefined ? null : await engine.heldBy(sessionId);
    const agent = held?.agent ?? "main";
    try {
      return await engine.start({
        agent,
        task: [{ type: "text", text: sessionId === undefined ? "go" : "go on" }],
        spec: toGeneratedSpec(generated, agents, agent, sessionId !== undefined),
        ...(sessionId === undefined ? {} : { sessionId }),
      });
    } finally {
      turn = null;
    }
  };

  return {
    ...engine,
    definitions: { agents, tools: TOOLS },
    startTurn,
    finish: async (sessionId) => {
      const last = log.read(sessionId).findLast(isMainRequest);
      let handle: RunHandle | undefined = last && (await engine.resume(last.runId));
      for (const { approvalId, act } of await engine.approvals(sessionId)) answer(approvalId, act);
      for (; handle; handle = await startTurn(sessionId)) await handle.result;
    },
  };
};

const isMainRequest = (event: RecordedEvent): boolean => event.type === "run.requested" && event.depth === 0;

const toGeneratedSpec = (
  { family }: Generated,
  agents: ReadonlyMap<string, AgentDefinition>,
  name: string,
  isLater: boolean,
): RunSpec => {
  const agent = agents.get(name) ?? testAgent(name);
  const spec = createSpec({
    agent,
    agents,
    grant: { tools: TOOLS, writes: [], hosts: [], approve: "ask", maxDepth: 3 },
    model: "scripted/first",
    workspace: WORKSPACE,
    depth: 0,
    request: { limits: family.limits },
  });
  return isLater ? { ...spec, compact: true } : spec;
};

/** A log that holds these events, as a process that was killed after them has left it. */
export const logOf = (events: readonly RecordedEvent[]): MemoryLog => {
  const log = createMemoryLog();
  for (const { seq: _, ...event } of events)
    if (event.type === "run.requested" || isInput(event)) log.append([event]);
    else log.append([event], log.lease(event.runId));
  return log;
};

/** The main run of the last turn. */
export const lastTurnOf = (events: readonly RecordedEvent[]): RunId => {
  const last = events.findLast(isMainRequest);
  if (!last) throw new Error("There is no main run.");
  return last.runId;
};
