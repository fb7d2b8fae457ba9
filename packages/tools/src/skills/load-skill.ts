/**
 * `load_skill`: which skills there are, the body of one, and the files that come with it. What it gives is text for the model; whatever that text
 * claims, tools, grants and approvals stay as they are.
 */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { toSkillName } from "@retinue/protocol/names";
import type { Tool } from "@retinue/runtime";
import { defineTool, findByWords, isInside, LOAD_SKILL, shortenDescription, toSkillHead } from "@retinue/runtime";
import { toModelText } from "@retinue/confine";
import { z } from "zod";
import { toShownText } from "../mcp/escape-hidden.ts";
import { describeSkills } from "./describe-skills.ts";
import { readSkillFile } from "./skill-file.ts";
import type { Skill } from "./skill.ts";

export const SKILL_FILE = "SKILL.md";

const MOST_LISTED = 100;
const MOST_FOUND = 10;
const FOUND_CHARS = 300;

const INPUT = z.object({
  name: z.string().optional().describe("The skill to load."),
  file: z.string().min(1).optional().describe("A file of its folder, instead of its instructions."),
  query: z.string().max(500).optional().describe("Instead: find skills by these words."),
});

export type LoadSkillInput = z.infer<typeof INPUT>;

export type LoadSkillOptions = {
  readonly skills: readonly Skill[];
  /** The folder that is worked in, real: files of skills that lie in it can be run from there. */
  readonly workspace?: string | undefined;
};

export const createLoadSkillTool = ({ skills, workspace }: LoadSkillOptions): Tool<LoadSkillInput> => {
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  return defineTool({
    name: LOAD_SKILL,
    description: describeSkills(skills),
    input: INPUT,
    effect: "read",
    touches: ({ name = "" }) => ({ about: toSkillName(name) ?? name }),
    execute: async ({ name = "", file, query }) => {
      if (query !== undefined) return search(query, skills);
      const skill = byName.get(toSkillName(name) ?? "");
      if (skill === undefined)
        throw new RetinueError("tool_failed", name === "" ? "No skill is named." : `There is no skill "${name}".`, {
          hint: whatThereIs(name, skills),
        });
      try {
        if (file !== undefined && skill.text !== undefined) throw new Error("it has no files");
        if (file !== undefined) return toModelText(await readSkillFile(skill.folder, file));
        return toModelText(await readSkillBody(skill, workspace));
      } catch (thrown) {
        const why = thrown instanceof Error ? thrown.message : String(thrown);
        throw new RetinueError("tool_failed", `${file ?? SKILL_FILE} of the skill ${skill.name}: ${why}.`, { cause: thrown });
      }
    },
  });
};

const FRONT_MATTER = /^\uFEFF?\s*---[ \t]*\r?\n[\s\S]*?\r?\n---[ \t]*(?:\r?\n|$)/;

/** The instructions of a skill, and which files it has besides. Throws an Error that says what is wrong. */
export const readSkillBody = async ({ name, folder, text: given }: Skill, workspace?: string): Promise<string> => {
  if (given !== undefined)
    return `${toSkillHead(name)}

${given.trim()}`;
  const text = await readSkillFile(folder, SKILL_FILE);
  const [head] = FRONT_MATTER.exec(text) ?? [];
  if (head === undefined) throw new Error("it does not begin with front matter between two lines of ---");
  const files = await listFiles(folder);
  // Its scripts are named from its folder on, and commands are run from that of the workspace.
  const at =
    workspace !== undefined && isInside(workspace, folder) ? ` or for commands in ${path.relative(workspace, folder)}` : "";
  const more = files.length === 0 ? "" : `\n\n[files of this skill, for load_skill with file${at}: ${files.join(", ")}]`;
  return `${toSkillHead(name)}\n\n${text.slice(head.length).trim()}${more}`;
};

const search = (query: string, skills: readonly Skill[]): string => {
  const found = findByWords(query, skills, MOST_FOUND);
  if (found.length === 0) return "No skill has any of these words in its name or description.";
  return found
    .map(({ name, description }) => `- ${name}: ${toShownText(shortenDescription(description, FOUND_CHARS), FOUND_CHARS)}`)
    .join("\n");
};

const whatThereIs = (name: string, skills: readonly Skill[]): string => {
  const names = skills.map((skill) => skill.name);
  if (names.length <= MOST_LISTED) return `There are: ${names.join(", ") || "none"}.`;
  const near = findByWords(name, skills, MOST_FOUND).map((skill) => skill.name);
  return `${near.length === 0 ? "" : `There are ${near.join(", ")}. `}Find others with query.`;
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
