/**
 * What a record says of rights is data: a run that goes on holds at most what settings, flags and files of agents grant now. Of a session that came
 * from an export nothing is believed that would let it act: not its folder, not its approvals, not what it says it has used.
 */
import path from "node:path";
import type { Acceptance, Grant, Limits, RecordedEvent, RunId, RunSpec, Usage } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { grantIn, narrow, stricterMode, withAll, withAllRules } from "../policy/grant.ts";
import { isInside } from "../policy/judge.ts";
import { stricter } from "./spec.ts";

/** What a run that is started now would get. */
export type GrantedNow = {
  readonly grant: Grant;
  /** Of the main run, and of everything below it. */
  readonly limits: Limits;
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly workspace: string;
  /** The session was recorded elsewhere, or by nobody. */
  readonly isImported: boolean;
};

/** The events of a session with what they grant narrowed, for runs that have not settled. Throws `session_imported`. */
export const narrowRecorded = (events: readonly RecordedEvent[], now: GrantedNow): readonly RecordedEvent[] => {
  const settled = new Set(events.flatMap(({ type, runId }) => (type === "run.settled" ? [runId] : [])));
  const grants = new Map<RunId, Grant>();
  const folders = new Map<RunId, string>();
  return events.flatMap((event): readonly RecordedEvent[] => {
    // Some approvals hold for a whole session, also after the run in which they were given.
    if (now.isImported && event.type === "approval.answered" && event.allowed) return [];
    if (settled.has(event.runId)) return [event];
    if (event.type === "run.requested") {
      const { directory } = event.spec;
      const given = event.parentRunId === null ? now.grant : (grants.get(event.parentRunId) ?? now.grant);
      const above = grantIn(given, directory);
      const from = event.parentRunId === null ? now.workspace : (folders.get(event.parentRunId) ?? now.workspace);
      const folder = directory === undefined ? from : path.join(from, directory);
      if (now.isImported) refuseOtherFolder(event.spec, { folder, within: now.workspace });
      folders.set(event.runId, folder);
      const spec = narrowSpec(event, above, now);
      grants.set(event.runId, spec.grant);
      return [{ ...event, spec }];
    }
    if (!now.isImported) return [event];
    return event.type === "model.answered"
      ? [{ ...event, usage: notNegative(event.usage), costUsd: atLeastZero(event.costUsd) }]
      : [event];
  });
};

const refuseOtherFolder = (
  { workspace, worktree }: RunSpec,
  { folder, within }: { readonly folder: string; readonly within: string },
): void => {
  if (worktree === undefined && workspace === folder && isInside(within, folder)) return;
  throw new RetinueError(
    "session_imported",
    worktree === undefined
      ? `This session was imported and says that it works in ${workspace}, not in ${folder}.`
      : "This session was imported and says that it works in a worktree, which is not here.",
  );
};

type Requested = RecordedEvent & { readonly type: "run.requested" };

const narrowSpec = ({ spec, agent: name, depth }: Requested, above: Grant, now: GrantedNow): RunSpec => {
  const definition = now.agents.get(name);
  const rights = definition ? narrow(above, definition) : { tools: above.tools, grant: above };
  const [mayUse, mayPassOn] = [new Set(rights.tools), new Set(rights.grant.tools)];
  const mode = stricterMode(spec.grant.approve, rights.grant.approve);
  const own = depth === 0 ? now.limits : {};
  const { accept: _recorded, ...rest } = spec;
  const accept: Acceptance | undefined = definition?.accept;
  return {
    ...rest,
    tools: spec.tools.filter((tool) => mayUse.has(tool)),
    limits: stricter(spec.limits, stricter(definition?.limits ?? {}, own)),
    treeLimits: stricter(spec.treeLimits, own),
    grant: {
      tools: spec.grant.tools.filter((tool) => mayPassOn.has(tool)),
      writes: withAll(spec.grant.writes, rights.grant.writes),
      hosts: withAll(spec.grant.hosts, rights.grant.hosts),
      ...withAllRules(spec.grant.rules, rights.grant.rules),
      ...(rights.grant.base === undefined ? {} : { base: rights.grant.base }),
      ...(rights.grant.directory === undefined ? {} : { directory: rights.grant.directory }),
      // What an imported record has in hand is asked about, whatever passes otherwise.
      approve: now.isImported ? stricterMode(mode, "ask") : mode,
      maxDepth: Math.min(spec.grant.maxDepth, rights.grant.maxDepth),
    },
    delegates: definition ? spec.delegates.filter((other) => definition.delegates.includes(other)) : [],
    ...(accept === undefined ? {} : { accept }),
  };
};

const notNegative = ({ input, output, cached, reasoning }: Usage): Usage => ({
  input: Math.max(0, input),
  output: Math.max(0, output),
  cached: Math.max(0, cached),
  reasoning: Math.max(0, reasoning),
});

const atLeastZero = (costUsd: number | null): number | null => (costUsd === null ? null : Math.max(0, costUsd));
