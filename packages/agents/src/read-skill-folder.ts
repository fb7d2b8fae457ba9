/** Reads the skill of one folder, for whoever names the folder itself. */
import path from "node:path";
import { createNotes } from "./problem.ts";
import type { SkillEntry } from "./skill-file.ts";
import { readSkillFile } from "./skill-file.ts";
import { readSource } from "./source-files.ts";

/** `folder` is real. */
export const readSkillFolder = async (
  folder: string,
): Promise<{ readonly skill: SkillEntry | undefined; readonly problems: readonly string[] }> => {
  const file = path.join(folder, "SKILL.md");
  const { note, problems } = createNotes(file);
  const text = await readSource(file, folder);
  const skill =
    text === undefined
      ? undefined
      : readSkillFile({ text, file, folder, folderName: path.basename(folder), origin: "user", note });
  return { skill, problems: problems.filter(({ severity }) => severity === "error").map(({ message }) => message) };
};
