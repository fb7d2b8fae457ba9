/** Freezes what a run may be and do, from the agent's definition and what its caller allows. */
import type { ApproveMode, LimitName, Limits, RunSpec } from "@retinue/protocol";
import { LIMIT_NAMES } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";

export type SpecOptions = {
  readonly agent: AgentDefinition;
  /** Used where the agent names none. */
  readonly model: string;
  readonly toolNames: readonly string[];
  /** Of the caller. Of each limit the stricter one holds. */
  readonly limits: Limits;
  readonly approve: ApproveMode;
  readonly workspace: string;
  readonly summaryModel?: string;
};

export const createSpec = ({ agent, model, toolNames, limits, approve, workspace, summaryModel }: SpecOptions): RunSpec => ({
  system: `${agent.prompt.trim()}\n\nYou work in the folder ${workspace}. Paths are relative to it.`,
  model: agent.model ?? model,
  fallbacks: agent.fallbacks,
  tools: toolNames.filter((name) => matchesAny(agent.tools, name) && !matchesAny(agent.deniedTools, name)),
  limits: stricter(agent.limits, limits),
  approve,
  workspace,
  ...(agent.temperature === undefined ? {} : { temperature: agent.temperature }),
  ...(agent.maxOutputTokens === undefined ? {} : { maxOutputTokens: agent.maxOutputTokens }),
  ...(summaryModel === undefined ? {} : { summaryModel }),
});

/** Of each limit the smaller one. */
export const stricter = (a: { readonly [K in LimitName]?: number | undefined }, b: Limits): Limits => {
  const both: { [K in LimitName]?: number } = {};
  for (const name of LIMIT_NAMES) {
    const max = Math.min(a[name] ?? Infinity, b[name] ?? Infinity);
    if (max < Infinity) both[name] = max;
  }
  return both;
};

const matchesAny = (globs: readonly string[], name: string): boolean => globs.some((glob) => toPattern(glob).test(name));

const toPattern = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`,
  );
