/** Skills that code gives to a workspace: written there, or a folder with a `SKILL.md`. They stand above those of files with the same name. */
import { realpath } from "node:fs/promises";
import path from "node:path";
import type { SkillEntry } from "@retinue/agents";
import { readSkillFolder } from "@retinue/agents";
import { RetinueError } from "@retinue/protocol";

export type GivenSkill = {
  readonly name: string;
  /** When to load it. */
  readonly description: string;
  readonly instructions: string;
};

/** Throws `skill_invalid`. */
export const readGivenSkills = (given: readonly (string | GivenSkill)[]): Promise<readonly SkillEntry[]> =>
  Promise.all(given.map(async (skill) => (typeof skill === "string" ? readFolder(skill) : toEntry(skill))));

const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

const toEntry = ({ name, description, instructions }: GivenSkill): SkillEntry => {
  if (!NAME.test(name))
    throw new RetinueError(
      "skill_invalid",
      `"${name}" is no name of a skill: lower case letters, digits and dashes, 64 at most.`,
    );
  if (description.trim() === "") throw new RetinueError("skill_invalid", `The skill "${name}" has no description.`);
  return { name, description: description.trim(), file: "", folder: "", origin: "user", text: instructions };
};

const readFolder = async (named: string): Promise<SkillEntry> => {
  const folder = await realpath(path.resolve(named)).catch((cause: unknown) => {
    throw new RetinueError("skill_invalid", `There is no folder ${named} to read a skill from.`, { cause });
  });
  const { skill, problems } = await readSkillFolder(folder);
  if (skill) return skill;
  throw new RetinueError(
    "skill_invalid",
    `${path.join(named, "SKILL.md")} is no skill: ${problems.join("; ") || "it is missing"}.`,
  );
};
