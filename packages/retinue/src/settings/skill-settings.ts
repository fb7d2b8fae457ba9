/**
 * `config/settings.yaml` of a project of YAML skills: `agent.max_orchestration_depth` is `agent.maxDepth`. Many programs have a file of that name, so
 * nothing else in it is read, and a file that cannot be read says nothing.
 */
import { readFileLayer } from "./file-layer.ts";
import type { Layer } from "./layer.ts";
import { rawAt } from "./layer.ts";
import { merge } from "./merge.ts";
import type { SettingsPath } from "./schema-walk.ts";

export const SKILL_SETTINGS_FILE = "config/settings.yaml";

const THEIRS: SettingsPath = ["agent", "max_orchestration_depth"];

export const readSkillSettings = async (file: string): Promise<Layer | undefined> => {
  const layer = await readFileLayer(file, "project");
  const maxDepth = layer && rawAt(layer.tree, THEIRS);
  if (layer === undefined || maxDepth === undefined || layer.problems.length > 0) return undefined;
  return {
    tree: { agent: { maxDepth } },
    origin: () => layer.origin(THEIRS),
    where: (_path, part) => layer.where(THEIRS, part),
    problems: [],
  };
};

/** `project`, the file of ours, stands above. */
export const withSkillSettings = (project: Layer | undefined, skills: Layer | undefined): Layer | undefined => {
  if (!project || !skills) return project ?? skills;
  const layerOf = (path: SettingsPath): Layer =>
    rawAt(project.tree, path) === undefined && rawAt(skills.tree, path) !== undefined ? skills : project;
  return {
    tree: merge(skills.tree, project.tree),
    origin: (path) => layerOf(path).origin(path),
    where: (path, part) => layerOf(path).where(path, part),
    problems: project.problems,
  };
};
