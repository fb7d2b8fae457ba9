/**
 * Freezes what a run may be and do. Every way to start a run, from outside or by delegation, from the record or by a tool, comes through
 * here, and here its rights are narrowed.
 */
import path from "node:path";
import type { ApproveMode, Grant, LimitName, Limits, RunSpec, Worktree } from "@retinue/protocol";
import { LIMIT_NAMES } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { grantIn, narrow } from "../policy/grant.ts";
import { hasPlaceholders } from "../context/fill-role-prompt.ts";
import type { Assignment } from "../context/prompt-options.ts";
import { createPrompt } from "../context/prompt.ts";

export type SpecOptions = {
  readonly agent: AgentDefinition;
  /** The agents of the session, frozen when it began. */
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  /** Of whoever starts the run. */
  readonly grant: Grant;
  /** Used where the agent names none. */
  readonly model: string;
  readonly workspace: string;
  /** The part of the workspace that the run works in, with forward slashes; real. All of it by default. */
  readonly directory?: string | undefined;
  /** The copy that the workspace lies in, where the run has one of its own. */
  readonly worktree?: Worktree | undefined;
  readonly depth: number;
  readonly request?: {
    readonly tools?: readonly string[] | undefined;
    readonly approve?: ApproveMode | undefined;
    /** For the run and everything below it together. */
    readonly limits?: Limits | undefined;
    /** Working time that whoever starts it has left. The run is held to it, and is not told: a prompt holds nothing that differs from run to run. */
    readonly timeLeftMs?: number | undefined;
  };
  /** What the run was told by its parent; the main agent has none. */
  readonly assignment?: Assignment;
  /** What of its parent's context it is given; the main agent has none. */
  readonly contextMode?: RunSpec["contextMode"] | undefined;
  /** The model that a person chose for the tree; it stands above `model`, and below what the agent names. */
  readonly treeModel?: string | undefined;
  readonly summaryModel?: string | undefined;
  /** How the sub-agents did so far, for the prompt of a run that may start them. */
  readonly figures?: string | undefined;
  /** How its last message must end. */
  readonly ending?: RunSpec["ending"] | undefined;
};

export const createSpec = (options: SpecOptions): RunSpec => {
  const { agent, agents, directory, depth, request = {} } = options;
  const workspace = directory === undefined ? options.workspace : path.join(options.workspace, directory);
  const { tools, grant } = narrow(grantIn(options.grant, directory), agent, request);
  const asked = request.limits ?? {};
  const treeLimits = stricter(asked, toDuration(request.timeLeftMs));
  const limits = stricter(agent.limits, treeLimits);
  const known = agent.delegates.flatMap((name) => agents.get(name) ?? []);
  const isDeepest = depth >= grant.maxDepth;
  const delegates = isDeepest ? [] : known.map(({ name }) => name);
  const { system, sharedChars } = createPrompt({
    agent,
    agents,
    delegates,
    tools,
    workspace,
    hasOwnCopy: options.worktree !== undefined,
    depth,
    maxDepth: grant.maxDepth,
    limits: stricter(agent.limits, asked),
    assignment: options.assignment,
    figures: options.figures,
  });
  return {
    system,
    ...(sharedChars < system.length ? { sharedChars } : {}),
    // A prompt that is filled anew for each run has no part that is the same in all of them.
    ...(hasPlaceholders(agent.prompt) ? {} : { roleChars: roleCharsOf(agent) }),
    ...(options.contextMode === undefined ? {} : { contextMode: options.contextMode }),
    model: agent.model ?? options.treeModel ?? options.model,
    fallbacks: agent.fallbacks,
    tools,
    ...(request.tools === undefined ? {} : { askedTools: request.tools }),
    limits,
    treeLimits,
    grant,
    delegates,
    ...(isDeepest && known.length > 0 ? { tooDeepFor: known.flatMap(({ name, aliases }) => [name, ...aliases]) } : {}),
    workspace,
    ...(directory === undefined ? {} : { directory }),
    ...(options.worktree === undefined ? {} : { worktree: options.worktree }),
    ...(agent.output === undefined ? {} : { output: agent.output }),
    ...(options.ending === undefined ? {} : { ending: options.ending }),
    ...(agent.accept === undefined ? {} : { accept: agent.accept }),
    ...(agent.temperature === undefined ? {} : { temperature: agent.temperature }),
    ...(agent.maxOutputTokens === undefined ? {} : { maxOutputTokens: agent.maxOutputTokens }),
    ...(agent.thinking === undefined ? {} : { thinking: agent.thinking }),
    ...(options.treeModel === undefined ? {} : { treeModel: options.treeModel }),
    ...(options.summaryModel === undefined ? {} : { summaryModel: options.summaryModel }),
  };
};

const roleChars = new WeakMap<AgentDefinition, number>();

/** Characters as people count them; counted once an agent. */
const roleCharsOf = (agent: AgentDefinition): number => {
  let chars = roleChars.get(agent);
  if (chars === undefined) roleChars.set(agent, (chars = Array.from(agent.prompt.trim()).length));
  return chars;
};

const toDuration = (timeLeftMs = Infinity): Limits =>
  timeLeftMs === Infinity ? {} : { durationMs: Math.max(1, Math.floor(timeLeftMs)) };

/** Of each limit the smaller one. */
export const stricter = (
  a: { readonly [K in LimitName]?: number | undefined },
  b: { readonly [K in LimitName]?: number | undefined },
): Limits => {
  const both: { [K in LimitName]?: number } = {};
  for (const name of LIMIT_NAMES) {
    const max = Math.min(a[name] ?? Infinity, b[name] ?? Infinity);
    if (max < Infinity) both[name] = max;
  }
  return both;
};
