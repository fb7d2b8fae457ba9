/**
 * The agents as each of the five designs has them. Where two designs differ, the built-in agents have the stricter numbers; a preset
 * switches on those of one design.
 */
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { hasReachableCalls, withReachableCalls } from "@retinue/runtime";

export const PRESET_NAMES = ["s0", "s1", "s2", "s3", "s4"] as const;

export type PresetName = (typeof PRESET_NAMES)[number];

/** What a preset puts in place of an agent's own; of the limits those that it names. */
export type AgentOverride = Readonly<
  Partial<Pick<AgentDefinition, "limits" | "delegates" | "grant" | "tools" | "hiddenTools" | "temperature" | "maxOutputTokens">>
>;

export type Preset = Readonly<Record<string, AgentOverride>>;

/** The second design counts contexts in characters. */
const CHARS_PER_TOKEN = 4;
const fromChars = (characters: number): number => characters / CHARS_PER_TOKEN;

/** Every sub-agent of the second design. */
const S1_DURATION_MS = 300_000;

const s1Limits = (toolCalls: number, characters: number): AgentOverride["limits"] & object => ({
  toolCalls,
  contextTokens: fromChars(characters),
  durationMs: S1_DURATION_MS,
});

/** What a reviewer needs and an agent that starts one is not offered itself. */
const S1_FOR_REVIEWERS = ["grep", "git_diff"];

export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  s0: {
    "qa-orchestrator": {
      limits: { contextTokens: 32_000 },
      maxOutputTokens: 4_096,
      temperature: 0.1,
      tools: [],
      delegates: ["qa-step"],
      grant: "session",
    },
    "qa-step": {
      limits: { iterations: 15, durationMs: 180_000, contextTokens: 8_000 },
      maxOutputTokens: 2_048,
      temperature: 0.1,
      // Its own tools stay: those of the controller, the browser and the search. All tools there are would not fit into 8k.
      delegates: [],
    },
  },
  s1: {
    researcher: {
      limits: s1Limits(15, 50_000),
      tools: ["read", "ls", "grep", "code_search", "web_search", "web_fetch", "overview", "docs_coverage"],
      delegates: [],
    },
    planner: { limits: s1Limits(10, 30_000), tools: ["read", "ls", "grep", "plan_files", "overview"], delegates: [] },
    executor: {
      limits: s1Limits(30, 80_000),
      tools: ["read", "write", "edit", "ls", "grep", "shell", "test", "git", "git_commit", "git_diff"],
      hiddenTools: ["git_diff"],
      delegates: ["reviewer"],
    },
    reviewer: { limits: s1Limits(15, 50_000), tools: ["read", "grep", "test", "git_diff", "shell"], delegates: [] },
    tester: {
      limits: s1Limits(20, 50_000),
      tools: ["read", "write", "test", "shell", ...S1_FOR_REVIEWERS],
      hiddenTools: S1_FOR_REVIEWERS,
      delegates: ["reviewer"],
    },
  },
  s2: {
    main: {
      limits: { iterations: 50, durationMs: 600_000 },
      delegates: ["planner", "executor", "tester", "reviewer", "debugger"],
    },
    executor: { limits: { iterations: 30, durationMs: 300_000 }, delegates: ["tester"] },
    tester: { limits: { iterations: 20, durationMs: 180_000 }, delegates: [] },
    reviewer: { limits: { iterations: 10, durationMs: 120_000 }, delegates: [] },
    // It only reads, but those it starts may change files.
    planner: { limits: { iterations: 15, durationMs: 180_000 }, delegates: ["executor", "tester", "reviewer"], grant: "session" },
    debugger: { limits: { iterations: 25, durationMs: 240_000 }, delegates: [] },
  },
  s3: {
    "code-search": { limits: { iterations: 8 }, tools: ["read", "glob", "grep", "ls"], delegates: [] },
    "code-review": { limits: { iterations: 6 }, tools: ["read", "glob", "grep"], delegates: [] },
    planner: { limits: { iterations: 6 }, tools: ["read", "glob", "grep", "ls"], delegates: [] },
  },
  s4: {
    "project-manager": { temperature: 0.3, tools: [], delegates: ["general-assistant", "summarize-document"], grant: "session" },
  },
};

export const isPresetName = (name: string): name is PresetName => (PRESET_NAMES as readonly string[]).includes(name);

/** The agents with what the preset puts in place; agents that it does not name stay as they are. */
export const applyPreset = (
  agents: ReadonlyMap<string, AgentDefinition>,
  name: PresetName,
): ReadonlyMap<string, AgentDefinition> => {
  const preset = new Map(Object.entries(PRESETS[name]));
  return new Map(
    [...agents].map(([agent, definition]) => {
      const override = preset.get(agent) ?? {};
      return [agent, { ...definition, ...override, limits: mergeLimits(definition.limits, override.limits ?? {}) }];
    }),
  );
};

/** A tool budget that the preset does not name and its iterations cannot reach is another design's, and is left out. */
const mergeLimits = (limits: AgentDefinition["limits"], preset: AgentDefinition["limits"]): AgentDefinition["limits"] => {
  const merged = withReachableCalls({ ...limits, ...preset }, preset);
  if (hasReachableCalls(merged)) return merged;
  const { toolCalls: _unreachable, ...rest } = merged;
  return rest;
};
