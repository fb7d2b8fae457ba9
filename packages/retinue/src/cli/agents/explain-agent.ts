/** What takes effect for an agent, value by value, and whose word it is: a flag's, a setting's, a preset's, its file's, or nobody's. */
import { PRESETS } from "@retinue/agents";
import { LIMIT_NAMES } from "@retinue/protocol";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { describeRule } from "@retinue/runtime";
import type { Inventory } from "../inventory.ts";
import type { Origin } from "../../settings/layer.ts";

export type Explained = { readonly key: string; readonly value: string; readonly from: string };

export type ExplainOptions = {
  readonly inventory: Pick<Inventory, "settings" | "loaded" | "applied">;
  readonly origins: ReadonlyMap<string, Origin>;
  /** The tools that it has here. */
  readonly tools: readonly string[];
};

const NOBODY = "default";

const toWords = (key: string, origin: Origin): string => {
  switch (origin.type) {
    case "default":
      return NOBODY;
    case "user":
    case "project":
      return `settings: ${key}, ${origin.file}:${origin.line}`;
    case "env":
      return `settings: ${origin.name}`;
    case "flag":
      return `flag: ${origin.name}`;
    default:
      return origin satisfies never;
  }
};

export const explainAgent = (agent: AgentDefinition, { inventory, origins, tools }: ExplainOptions): readonly Explained[] => {
  const { settings, loaded, applied } = inventory;
  const source = loaded.sources.get(agent.name);
  const setName = applied.get(agent.name)?.name;
  /** The first of these keys that somebody set. */
  const setting = (...keys: readonly string[]): string | undefined => {
    for (const key of keys) {
      const origin = [...origins].find(([one]) => one === key || one.startsWith(`${key}.`))?.[1];
      if (origin && origin.type !== "default") return toWords(key, origin);
    }
    return undefined;
  };
  const own = (key: string): string => `agents.${setName ?? agent.name}.${key}`;
  const fromFile = (field: string, isSet: boolean, presetKey = field): string => {
    if (!isSet) return NOBODY;
    const preset = source?.origin === "built-in" ? presetOf(agent.name, presetKey, settings.agent.presets) : undefined;
    if (preset !== undefined) return `preset: ${preset}`;
    const line = source?.lines.get(field) ?? source?.lines.get(field.split(":")[0] ?? "");
    return `agent file: ${source?.file ?? "given in code"}${line === undefined ? "" : `:${line}`}`;
  };
  const limits = LIMIT_NAMES.flatMap((name): Explained[] => {
    const mine = applied.get(agent.name)?.set.limits?.[name];
    const all = settings.limits[name];
    const value = mine !== undefined && all !== undefined ? Math.min(mine, all) : (mine ?? all ?? agent.limits[name]);
    const ceiling = all === undefined ? settings.ceilings?.[name] : undefined;
    if (ceiling !== undefined && ceiling < (value ?? Infinity))
      return [
        {
          key: `limits.${name}`,
          value: String(ceiling),
          from: "settings of the project, which may only narrow: it is not trusted",
        },
      ];
    if (value === undefined) return [];
    const isMine = mine !== undefined && value === mine;
    const from = setting(...(isMine ? [own(`limits.${name}`)] : []), ...(all === undefined ? [] : [`limits.${name}`]));
    return [{ key: `limits.${name}`, value: String(value), from: from ?? fromFile(`limits:${name}`, true, "limits") }];
  });
  const model = agent.model ?? settings.model;
  return [
    {
      key: "model",
      value: model ?? "what is reachable",
      from: setting(own("model")) ?? (agent.model === undefined ? (setting("model") ?? NOBODY) : fromFile("model", true)),
    },
    ...limits,
    { key: "tools", value: tools.join(", ") || "none", from: setting(own("tools")) ?? fromFile("tools", true) },
    ...(agent.rules === undefined
      ? []
      : [{ key: "rules", value: agent.rules.map(describeRule).join("; "), from: fromFile("rules", true, "tools") }]),
    {
      key: "delegates",
      value: agent.delegates.join(", ") || "nobody",
      from: setting(own("delegates")) ?? fromFile("delegates", agent.delegates.length > 0),
    },
    {
      key: "resultTokens",
      value: String(agent.resultTokens ?? DEFAULT_RESULT_TOKENS),
      from: setting(own("resultTokens"), "agent.resultTokens") ?? fromFile("resultTokens", agent.resultTokens !== undefined),
    },
    {
      key: "summarize",
      value: typeof agent.summarize === "function" ? "a function" : (agent.summarize ?? "none"),
      from: setting(own("summarize")) ?? fromFile("summarize", agent.summarize !== undefined),
    },
  ];
};

const DEFAULT_RESULT_TOKENS = 4_000;

/** The last of the presets that has a word on it. */
const presetOf = (agent: string, key: string, presets: Inventory["settings"]["agent"]["presets"]): string | undefined =>
  presets.findLast((name) => {
    const override = PRESETS[name][agent];
    return override !== undefined && key in override;
  });
