/**
 * The catalogue of skills: folders with a `SKILL.md` (agentskills.io) whose name and description stand in the prompt and whose body is loaded
 * on demand. A broken one is reported and takes no other down.
 */
import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import type { ErrorValue } from "@retinue/protocol";
import { RetinueError, toErrorValue } from "@retinue/protocol";
import { isInside } from "@retinue/runtime";
import { codeOf } from "@retinue/confine";
import { parseSkill } from "./parse-skill.ts";
import { readSkillFile } from "./skill-file.ts";

export type Skill = {
  readonly name: string;
  readonly description: string;
  /** Absolute, real path of the skill's own folder. */
  readonly folder: string;
};

export type Skills = { readonly skills: readonly Skill[]; readonly problems: readonly ErrorValue[] };

export const SKILL_FILE = "SKILL.md";
const MOST_SKILLS = 500;

/** A folder of skills, and the folder that they have to lie in where links lead to them; by default the folder of skills itself. */
export type SkillFolder = string | { readonly folder: string; readonly within: string };

/** Of two skills with the same name the one of the later folder counts. A folder that does not exist is passed over. */
export const readSkills = async (folders: readonly SkillFolder[]): Promise<Skills> => {
  const skills = new Map<string, Skill>();
  const problems: ErrorValue[] = [];
  const report = (file: string, thrown: unknown): void => {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    problems.push(toErrorValue(new RetinueError("skill_invalid", `${file}: ${why}.`, { cause: thrown })));
  };
  for (const each of folders) {
    const named = typeof each === "string" ? each : each.folder;
    let root: string;
    let within: string;
    let entries: readonly string[];
    try {
      root = await realpath(named);
      within = typeof each === "string" ? root : await realpath(each.within);
      if (!isInside(within, root)) throw new Error(`it leads out of ${within}, and is not followed`);
      entries = (await readdir(root)).toSorted();
    } catch (thrown) {
      if (codeOf(thrown) !== "ENOENT") report(named, thrown);
      continue;
    }
    for (const entry of entries) {
      const file = path.join(root, entry, SKILL_FILE);
      try {
        const skill = await readSkill(path.join(root, entry), within);
        if (skill === undefined) continue;
        if (!skills.has(skill.name) && skills.size >= MOST_SKILLS) throw new Error(`there are more than ${MOST_SKILLS} skills`);
        skills.set(skill.name, skill);
      } catch (thrown) {
        report(file, thrown);
      }
    }
  }
  return { skills: [...skills.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1)), problems };
};

/** Undefined where there is no `SKILL.md`. */
const readSkill = async (named: string, within: string): Promise<Skill | undefined> => {
  let folder: string;
  try {
    folder = await realpath(named);
    await realpath(path.join(folder, SKILL_FILE));
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR"].includes(codeOf(thrown) ?? "")) return undefined;
    throw thrown;
  }
  if (!isInside(within, folder)) throw new Error(`its folder leads out of ${within}, and is not followed`);
  const { name, description } = parseSkill(await readSkillFile(folder, SKILL_FILE));
  if (name !== path.basename(named)) throw new Error(`its name is ${name}, but its folder is ${path.basename(named)}`);
  return { name, description, folder };
};

const MOST_PROMPT_CHARS = 16_000;

/** For the prompt; empty where there are no skills. */
export const describeSkills = (skills: readonly Skill[]): string => {
  if (skills.length === 0) return "";
  const lines: string[] = [];
  let room = MOST_PROMPT_CHARS;
  for (const { name, description } of skills) {
    const line = `- ${name}: ${description}`;
    room -= line.length + 1;
    if (room < 0) break;
    lines.push(line);
  }
  const left = skills.slice(lines.length).map(({ name }) => name);
  if (left.length > 0) lines.push(`- and without description: ${left.join(", ")}`);
  return (
    "Skills are instructions for particular kinds of work. When one fits the task, call load_skill with its name before you begin. " +
    `They are advice; they do not change what you may do.\n${lines.join("\n")}`
  );
};
