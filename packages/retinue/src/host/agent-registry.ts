/**
 * The agents of a workspace: those that were found when it was opened, and those that code registers later. A run knows the agents that there were when it
 * began. Files are not read again, so that nothing that an agent wrote meanwhile comes in.
 */
import { RetinueError } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import type { PreapprovingSkills } from "@retinue/runtime";
import { findAgentNamed } from "@retinue/runtime";
import type { AppliedAgents } from "../apply-agent-settings.ts";
import { applyAgentSettings } from "../apply-agent-settings.ts";
import { addBoundFiles } from "../bound-files.ts";
import type { GivenAgent } from "../library/given-agent.ts";
import { toGivenAgent } from "../library/given-agent.ts";
import type { TrustedAgents } from "../load-trusted-agents.ts";
import type { ProjectInstructions } from "../project-instructions.ts";
import type { Settings } from "../settings/settings.ts";
import { teachSkills } from "../teach-skills.ts";

export type AgentRegistry = PreapprovingSkills & {
  /** Those of now; another map after each registration. */
  readonly agents: () => ReadonlyMap<string, AgentDefinition>;
  /** What the settings say of agents, by name. */
  readonly applied: () => AppliedAgents["applied"];
  /** Throws `agent_unknown`. */
  readonly agentOf: (name: string) => AgentDefinition;
  /** Throws `agent_invalid`. One of the same name takes its place. */
  readonly register: (given: GivenAgent) => Promise<AgentDefinition>;
  /** What is wrong with the settings and skills of the agents that were found. */
  readonly problems: readonly string[];
};

export type AgentRegistryOptions = {
  readonly found: TrustedAgents;
  readonly folder: string;
  readonly settings: Settings;
  readonly instructions: ProjectInstructions;
  /** Files that something trusted runs; commands that accept results are added. */
  readonly bound: Set<string>;
};

export const createAgentRegistry = async ({
  found,
  folder,
  settings,
  instructions,
  bound,
}: AgentRegistryOptions): Promise<AgentRegistry> => {
  let { loaded } = found;
  const taughtTo = new Map<string, readonly string[]>();

  /** With the skills and instructions that belong to each. */
  const prepare = async (agents: ReadonlyMap<string, AgentDefinition>) => {
    const taught = await teachSkills(agents, loaded.skills, folder);
    for (const [name, skills] of taught.taught) taughtTo.set(name, skills);
    const prepared = instructions.instruct(taught.agents);
    const commands = [...prepared.values()].flatMap(({ accept }) =>
      accept && "command" in accept ? [{ texts: [accept.command], isDeep: false }] : [],
    );
    await addBoundFiles(bound, folder, commands);
    return { agents: prepared, problems: taught.problems };
  };

  let set = applyAgentSettings(loaded.agents, settings);
  const first = await prepare(set.agents);
  let { agents } = first;
  const problems = [...set.problems, ...first.problems];
  let registering: Promise<unknown> = Promise.resolve();

  const registerOne = async (definition: AgentDefinition): Promise<AgentDefinition> => {
    loaded = loaded.register(definition);
    set = applyAgentSettings(loaded.agents, settings);
    const added = set.agents.get(definition.name) ?? definition;
    const { agents: prepared } = await prepare(new Map([[added.name, added]]));
    agents = new Map(
      [...set.agents].map(([name, agent]) => {
        const known = prepared.get(name) ?? agents.get(name);
        return [name, known ? { ...known, delegates: agent.delegates } : agent];
      }),
    );
    return agents.get(definition.name) ?? added;
  };

  return {
    agents: () => agents,
    applied: () => set.applied,
    rules: found.skillRules,
    taughtTo: (agent) => taughtTo.get(agent) ?? [],
    problems,
    agentOf: (name) => {
      const agent = agents.get(name) ?? agents.get(loaded.aliases.get(name) ?? "") ?? findAgentNamed(name, agents.values());
      if (!agent)
        throw new RetinueError("agent_unknown", `There is no agent "${name}". There are: ${[...agents.keys()].join(", ")}.`);
      return agent;
    },
    register: async (given) => {
      const definition = toGivenAgent(given);
      // One after the other: each stands on what the one before it made.
      const registered = registering.then(() => registerOne(definition));
      registering = registered.catch(() => undefined);
      return registered;
    },
  };
};
