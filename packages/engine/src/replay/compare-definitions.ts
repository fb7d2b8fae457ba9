/**
 * Compares what the runs of a record were with what they would be by today's definitions: the prompt of each agent, its tools, whom it may start, and
 * what else its file says. A replay runs on what was recorded, and cannot see those.
 */
import type { EventOf, RecordedEvent, RunId, RunSpec } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { grantIn, narrow, stricter } from "@retinue/runtime";
import { showDifference } from "./difference.ts";

export type DefinitionDifference = {
  readonly agent: string;
  /** As the agent's file names it. `agent` where there is no such agent any more. */
  readonly field: string;
  /** The first run of the agent that shows it. */
  readonly runId: RunId;
  readonly message: string;
};

export type Definitions = {
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  /** What a main run may be given at most. */
  readonly tools: readonly string[];
};

/** Each field of an agent once, in the order of the record. */
export const compareDefinitions = (
  events: readonly RecordedEvent[],
  definitions: Definitions,
): readonly DefinitionDifference[] => {
  const specs = new Map<RunId, RunSpec>();
  const found = new Map<string, DefinitionDifference>();
  for (const event of events) {
    if (event.type !== "run.requested") continue;
    specs.set(event.runId, event.spec);
    const parent = event.parentRunId === null ? undefined : specs.get(event.parentRunId);
    for (const difference of differencesOf(event, parent, definitions)) {
      const key = `${difference.agent}\0${difference.field}`;
      if (!found.has(key)) found.set(key, difference);
    }
  }
  return [...found.values()];
};

type Requested = EventOf<"run.requested">;
type Field = { readonly field: string; readonly recorded: unknown; readonly now: unknown };

const differencesOf = (
  requested: Requested,
  parent: RunSpec | undefined,
  definitions: Definitions,
): readonly DefinitionDifference[] => {
  const { agent, runId } = requested;
  const definition = definitions.agents.get(agent);
  if (!definition)
    return [{ agent, runId, field: "agent", message: `There is no agent ${agent} any more, and ${runId} was one of it.` }];
  return fieldsOf(requested, parent, definition, definitions)
    .filter(({ recorded, now }) => JSON.stringify(recorded) !== JSON.stringify(now))
    .map(({ field, recorded, now }) => ({
      agent,
      runId,
      field,
      message: `${field} of ${agent} differs: ${showDifference(recorded, now)}`,
    }));
};

const fieldsOf = (
  { spec, depth, parentRunId, parentCallId = "", forkedFrom }: Requested,
  parent: RunSpec | undefined,
  definition: AgentDefinition,
  { agents, tools }: Definitions,
): readonly Field[] => {
  const above = parent?.grant ?? { ...spec.grant, tools };
  const rights = narrow(grantIn(above, spec.directory), definition, { tools: spec.askedTools });
  const isReply = PLAN_REPLY.test(parentCallId);
  const known = definition.delegates.filter((name) => agents.has(name));
  return [
    // Whoever forks a session may give it another prompt.
    ...(spec.roleChars === undefined || forkedFrom !== undefined
      ? []
      : [{ field: "prompt", recorded: roleOf(spec, spec.roleChars), now: definition.prompt.trim() }]),
    // An orchestrator that is asked for a reply holds nothing, whatever its file says.
    ...(isReply
      ? []
      : [
          { field: "tools", recorded: [...spec.tools], now: [...rights.tools] },
          { field: "delegates", recorded: [...spec.delegates], now: depth >= spec.grant.maxDepth ? [] : known },
        ]),
    // The rights of a main run are those of its settings and its command, too.
    ...(parentRunId === null || isReply ? [] : rightsOf(spec, rights.grant)),
    // Code that starts a run may say where it works.
    ...(parentRunId === null || parentCallId.startsWith("spawn_")
      ? []
      : [{ field: "isolation", recorded: spec.worktree === undefined ? "none" : "worktree", now: definition.isolation }]),
    // A person may name another model for a main run, and code for one that it starts.
    ...(definition.model === undefined || parentRunId === null || parentCallId.startsWith("spawn_")
      ? []
      : [{ field: "model", recorded: spec.model, now: definition.model }]),
    { field: "fallbacks", recorded: [...spec.fallbacks], now: [...definition.fallbacks] },
    { field: "temperature", recorded: spec.temperature, now: definition.temperature },
    { field: "maxOutputTokens", recorded: spec.maxOutputTokens, now: definition.maxOutputTokens },
    { field: "accept", recorded: spec.accept, now: definition.accept },
    // The limits of a main run are those of its settings and its command, too.
    ...(parentRunId === null
      ? []
      : [{ field: "limits", recorded: spec.limits, now: stricter(definition.limits, spec.treeLimits) }]),
    // Plans ask for replies of their own.
    ...(parentCallId.includes(".") ? [] : [{ field: "output", recorded: spec.output, now: definition.output }]),
  ];
};

/** Where a run may write, what it may reach, and what is asked about or denied. */
const rightsOf = ({ grant }: RunSpec, now: RunSpec["grant"]): readonly Field[] =>
  (["writes", "hosts", "rules"] as const).map((field) => ({ field, recorded: grant[field], now: now[field] }));

/** The parts of a plan that ask its orchestrator. */
const PLAN_REPLY = /\.(?:evaluate|verdict|state)$/;

const roleOf = ({ system }: RunSpec, roleChars: number): string => Array.from(system).slice(0, roleChars).join("");
