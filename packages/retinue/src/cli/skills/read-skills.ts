/** The skills of a folder, of its project and of the user, and what is wrong with their files, read as a session reads them. */
import type { Problem, SkillEntry } from "@retinue/agents";
import path from "node:path";
import { loadFolderAgents } from "../inventory.ts";
import type { SessionOptions } from "../session-options.ts";
import { loadSessionSettings } from "../session-options.ts";
import type { Surroundings } from "../surroundings.ts";

export type SkillsOptions = Pick<SessionOptions, "workspace"> & { readonly json?: boolean };

export type SkillFile = {
  readonly file: string;
  /** Absent where it is left out. */
  readonly skill?: SkillEntry;
  readonly problems: readonly Omit<Problem, "file">[];
};

export type FoundSkills = {
  /** The real path of the folder. */
  readonly folder: string;
  /** By name. */
  readonly skills: readonly SkillEntry[];
  /** By path: those of skills, and those that are left out. */
  readonly files: readonly SkillFile[];
  readonly counts: Readonly<Record<Problem["severity"], number>>;
  /** Names of the skills whose `allowed-tools` is in force. */
  readonly preapproving: ReadonlySet<string>;
};

const SKILL_FILE = "SKILL.md";

export const readSkills = async (
  options: Pick<SessionOptions, "workspace">,
  surroundings: Surroundings,
): Promise<FoundSkills> => {
  const { settings, workspace } = await loadSessionSettings(options, surroundings);
  const { agents, folder } = await loadFolderAgents({ settings, workspace, env: surroundings.env });
  const { skills, problems: all } = agents.loaded;
  const problems = all.filter(({ file }) => path.basename(file) === SKILL_FILE);
  const byFile = Map.groupBy(problems, ({ file }) => file);
  const ofFile = new Map([...skills.values()].map((skill) => [skill.file, skill]));
  const countOf = (wanted: Problem["severity"]): number => problems.filter(({ severity }) => severity === wanted).length;
  return {
    folder,
    preapproving: new Set(agents.skillRules.keys()),
    skills: [...skills.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    files: [...new Set([...ofFile.keys(), ...byFile.keys()])].toSorted().map((file) => {
      const skill = ofFile.get(file);
      return {
        file,
        ...(skill && { skill }),
        problems: (byFile.get(file) ?? [])
          .map(({ line, severity, message }) => ({ line, severity, message }))
          .toSorted((one, other) => one.line - other.line),
      };
    }),
    counts: { error: countOf("error"), warning: countOf("warning"), notice: countOf("notice") },
  };
};

/** Below the folder: relative to it. */
export const toShownFile = (file: string, folder: string): string => {
  const relative = path.relative(folder, file);
  return relative.startsWith("..") || path.isAbsolute(relative) ? file : relative;
};
