/**
 * What a person sets for agents stands above what their files say, for built-in agents too: `agents.<name>` of the settings. Nothing here
 * gives a right: the grant of the session still decides.
 */
import { resolveDelegates, resolveToolName } from "@retinue/agents";
import type { Thinking } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { findAgentNamed, ORCHESTRATOR, withReachableCalls } from "@retinue/runtime";
import type { AgentSettings, Settings } from "./settings/settings.ts";
import { closestWord } from "@retinue/protocol/names";

export type AppliedAgents = {
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  /** By the name of the agent: what was set for it, and by which name in the settings. */
  readonly applied: ReadonlyMap<string, { readonly name: string; readonly set: AgentSettings }>;
  readonly problems: readonly string[];
};

export const applyAgentSettings = (
  defined: ReadonlyMap<string, AgentDefinition>,
  { agents: wanted, agent: { resultTokens }, thinking }: Pick<Settings, "agents" | "agent" | "thinking">,
): AppliedAgents => {
  const applied = new Map<string, { readonly name: string; readonly set: AgentSettings }>();
  const problems: string[] = [];
  // The orchestrator of plans is there without a file, and is changed as if it had one.
  const agents =
    Object.hasOwn(wanted, ORCHESTRATOR.name) && !defined.has(ORCHESTRATOR.name)
      ? new Map([...defined, [ORCHESTRATOR.name, ORCHESTRATOR]])
      : defined;
  for (const [name, set] of Object.entries(wanted)) {
    const agent = findAgentNamed(name, agents.values());
    if (agent) applied.set(agent.name, { name, set });
    else
      problems.push(
        `agents.${name} of the settings: there is no such agent; did you mean ${closestWord(name, [...agents.keys()]) ?? "another"}?`,
      );
  }
  const withSettings = [...agents].map(([name, agent]) => {
    const { set = {} } = applied.get(name) ?? {};
    return [name, override(agent, set, agents, { resultTokens, thinking })] as const;
  });
  return { agents: new Map(withSettings), applied, problems };
};

const override = (
  agent: AgentDefinition,
  set: AgentSettings,
  agents: ReadonlyMap<string, AgentDefinition>,
  session: { readonly resultTokens: number | undefined; readonly thinking: Thinking | undefined },
): AgentDefinition => {
  const { model, limits, tools, delegates, summarize, maxOutputTokens, temperature } = set;
  const thinking = set.thinking ?? agent.thinking ?? session.thinking;
  const resultTokens = set.resultTokens ?? session.resultTokens;
  const called = (pattern: string): string => {
    const [mark, name] = pattern.startsWith("!") ? ["!", pattern.slice(1)] : ["", pattern];
    return `${mark}${findAgentNamed(name, agents.values())?.name ?? name}`;
  };
  return {
    ...agent,
    ...(model === undefined ? {} : { model }),
    ...(limits === undefined ? {} : { limits: withReachableCalls({ ...agent.limits, ...limits }, limits) }),
    // Whoever names its tools wants to see them offered.
    ...(tools === undefined ? {} : { tools: tools.map(resolveToolName), hiddenTools: [] }),
    ...(delegates === undefined
      ? {}
      : { delegates: [...resolveDelegates(agent.name, delegates.map(called), agents, new Map()).names] }),
    ...(resultTokens === undefined ? {} : { resultTokens }),
    ...(summarize === undefined ? {} : { summarize }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(thinking === undefined ? {} : { thinking }),
  };
};
