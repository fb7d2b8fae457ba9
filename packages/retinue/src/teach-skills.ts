/** Puts the skills that an agent's file lists into its prompt, so that it knows them from the start. All others are loaded on demand. */
import type { SkillEntry } from "@retinue/agents";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { findAgentNamed } from "@retinue/runtime";
import { readSkillBody } from "@retinue/tools";

/** Of one agent together, about 10,000 tokens. */
const MOST_CHARS = 40_000;

export type TaughtAgents = {
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  /** The skills that stand in an agent's prompt, by the agent's name. */
  readonly taught: ReadonlyMap<string, readonly string[]>;
  /** Skills that are listed and cannot be had. */
  readonly problems: readonly string[];
};

export const teachSkills = async (
  agents: ReadonlyMap<string, AgentDefinition>,
  skills: ReadonlyMap<string, SkillEntry>,
  workspace?: string,
): Promise<TaughtAgents> => {
  const problems: string[] = [];
  const changed = new Map(agents);
  const taught = new Map<string, readonly string[]>();
  for (const [name, agent] of agents) {
    if (agent.skills.length === 0) continue;
    const parts: string[] = [];
    const names: string[] = [];
    let room = MOST_CHARS;
    for (const wanted of agent.skills) {
      const skill = skills.get(wanted) ?? findSkill(wanted, skills);
      if (!skill) {
        problems.push(`The agent ${name} lists the skill "${wanted}", which there is not.`);
        continue;
      }
      try {
        const body = await readSkillBody(skill, workspace);
        room -= body.length;
        if (room >= 0) names.push(skill.name);
        parts.push(room < 0 ? `[skill ${skill.name}: too long for this prompt; read it with load_skill before you begin]` : body);
      } catch (thrown) {
        problems.push(
          `The skill "${wanted}" of the agent ${name}: ${thrown instanceof Error ? thrown.message : String(thrown)}.`,
        );
      }
    }
    taught.set(name, names);
    if (parts.length > 0) changed.set(name, { ...agent, prompt: [agent.prompt.trim(), ...parts].join("\n\n") });
  }
  return { agents: changed, taught, problems };
};

/** Other worlds write names in other ways, and put the name of a plugin before them. */
const findSkill = (wanted: string, skills: ReadonlyMap<string, SkillEntry>): SkillEntry | undefined => {
  const named = [...skills.values()].map((skill) => ({ ...skill, aliases: [] }));
  return findAgentNamed(wanted, named) ?? findAgentNamed(wanted.replace(/^[^:]+:/, ""), named);
};
