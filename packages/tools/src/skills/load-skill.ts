/**
 * `load_skill`: the body of a skill, and the files that come with it. What it gives is text for the model; whatever that text claims, tools,
 * grants and approvals stay as they are.
 */
import { readdir } from "node:fs/promises";
import path from "node:path";
import type { Tool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { RetinueError } from "@retinue/protocol";
import { z } from "zod";
import { toModelText } from "@retinue/confine";
import { parseSkill } from "./parse-skill.ts";
import type { Skill } from "./read-skills.ts";
import { SKILL_FILE } from "./read-skills.ts";
import { readSkillFile } from "./skill-file.ts";

const MOST_LISTED = 100;

const INPUT = z.object({
  name: z.string().min(1).describe("The name of a skill."),
  file: z.string().min(1).optional().describe("A file of the skill, relative to its folder; its instructions when absent."),
});

export type LoadSkillInput = z.infer<typeof INPUT>;

export type LoadSkillOptions = { readonly skills: readonly Skill[] };

export const createLoadSkillTool = ({ skills }: LoadSkillOptions): Tool<LoadSkillInput> => {
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  return defineTool({
    name: "load_skill",
    description: "Gives the instructions of a skill, or a file that they refer to.",
    input: INPUT,
    effect: "read",
    execute: async ({ name, file }) => {
      const skill = byName.get(name);
      if (skill === undefined)
        throw new RetinueError("tool_failed", `There is no skill "${name}".`, {
          hint: `There are: ${[...byName.keys()].join(", ") || "none"}.`,
        });
      try {
        if (file !== undefined) return toModelText(await readSkillFile(skill.folder, file));
        const { body } = parseSkill(await readSkillFile(skill.folder, SKILL_FILE));
        const files = await listFiles(skill.folder);
        const more = files.length === 0 ? "" : `\n\n[files of this skill, for load_skill with file: ${files.join(", ")}]`;
        return toModelText(`[skill ${name}]\n\n${body}${more}`);
      } catch (thrown) {
        const why = thrown instanceof Error ? thrown.message : String(thrown);
        throw new RetinueError("tool_failed", `${file ?? SKILL_FILE} of the skill ${name}: ${why}.`, { cause: thrown });
      }
    },
  });
};

const listFiles = async (folder: string): Promise<readonly string[]> => {
  const files: string[] = [];
  const folders = [folder];
  for (let current = folders.shift(); current !== undefined && files.length < MOST_LISTED; current = folders.shift())
    for (const entry of await readdir(current, { withFileTypes: true })) {
      const file = path.join(current, entry.name);
      if (entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith(".")) folders.push(file);
      else if (entry.isFile() && file !== path.join(folder, SKILL_FILE)) files.push(path.relative(folder, file));
    }
  return files.toSorted().slice(0, MOST_LISTED);
};
