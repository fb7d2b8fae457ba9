/** Who: the agents that come with Retinue, the reading of agent files of every dialect, and what is wrong with them. */
export { readBuiltinAgents } from "./builtin-agents.ts";
export { parseAgent } from "./parse-agent.ts";
export { loadAgents } from "./load-agents.ts";
export type { LoadOptions } from "./load-agents.ts";
export type { AgentSource, LoadedAgents } from "./catalogue.ts";
export type { Origin } from "./places.ts";
export type { Dialect } from "./dialects/dialect.ts";
export type { SkillEntry } from "./skill-file.ts";
export { applyPreset, isPresetName, PRESET_NAMES, PRESETS } from "./presets.ts";
export type { AgentOverride, Preset, PresetName } from "./presets.ts";
export { resolveToolName } from "./tool-names.ts";
export type { Problem, Severity } from "./problem.ts";
