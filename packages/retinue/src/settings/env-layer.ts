/**
 * Settings from variables: `RETINUE_STREAM_IDLE_MS` is `streamIdleMs`, `__` nests, so `RETINUE_AGENT__MAX_DEPTH` is
 * `agent.maxDepth`. An empty variable counts as not set. A name that means nothing is a mistake, not a wish.
 */
import { fromText } from "./from-text.ts";
import type { Layer, RawMap } from "./layer.ts";
import { isRawMap, rawAt, withRaw } from "./layer.ts";
import { closestWord } from "@retinue/protocol/names";
import type { Problem } from "./problem.ts";
import type { SettingsPath } from "./schema-walk.ts";
import { placeAt } from "./schema-walk.ts";

const PREFIX = "RETINUE_";

/** Variables that are not settings: what the tools mark their processes with is none. Whatever begins with RETINUE_TEST is left to tests. */
const RESERVED: ReadonlySet<string> = new Set([
  "RETINUE_HOME",
  "RETINUE_DEBUG",
  "RETINUE_SOURCES",
  "RETINUE_COMMAND",
  "RETINUE_MCP_SERVER",
]);

/** Names that people know from elsewhere. */
const ALIASES: ReadonlyMap<string, string> = new Map([["RETINUE_STORE_URL", "RETINUE_STORE__URL"]]);

const isReserved = (name: string): boolean => RESERVED.has(name) || /^RETINUE_TEST(?:_|$)/.test(name);

const toCamel = (segment: string): string =>
  segment.toLowerCase().replace(/_+(?<letter>[a-z\d])/g, (_all, letter: string) => letter.toUpperCase());

const toSnake = (key: string): string =>
  key
    .replace(/(?<=[a-z\d])(?=[A-Z])/g, "_")
    .replace(/[^A-Za-z\d]+/g, "_")
    .toUpperCase();

const toName = (path: SettingsPath): string => PREFIX + path.map(toSnake).join("__");

/** Every setting below a path by its full name; where names are the user's choice, the one that was used stands in. */
const leaves = (path: SettingsPath, chosen: string): readonly SettingsPath[] => {
  const place = placeAt(path);
  if (place?.type === "keys") return place.keys.flatMap((key) => leaves([...path, key], chosen));
  if (place?.type === "names") return path.includes("headers") ? [] : leaves([...path, chosen], chosen);
  return place ? [path] : [];
};

/** A name of the user's choice: the one a file uses, where it is the same but for case and dashes; else the variable's own. */
const toChosenName = (segment: string, path: SettingsPath, below: readonly RawMap[]): string => {
  const plain = segment.toLowerCase().replace(/[^a-z\d]/g, "");
  for (const tree of below) {
    const map = rawAt(tree, path);
    const same = isRawMap(map) ? Object.keys(map).find((key) => key.toLowerCase().replace(/[^a-z\d]/g, "") === plain) : undefined;
    if (same !== undefined) return same;
  }
  return path.at(-1) === "headers" ? segment.toLowerCase().replaceAll("_", "-") : toCamel(segment);
};

type Found = { readonly path: SettingsPath } | { readonly unknown: string };

const toPath = (name: string, below: readonly RawMap[]): Found => {
  const path: string[] = [];
  for (const segment of name.slice(PREFIX.length).split("__")) {
    const place = placeAt(path);
    if (place?.type === "names") path.push(toChosenName(segment, path, below));
    else {
      const key = toCamel(segment);
      if (place?.type !== "keys" || !place.keys.includes(key)) {
        const names = leaves([], path[0] === "providers" || path[0] === "models" ? (path[1] ?? "name") : "name").map(toName);
        return { unknown: `names no setting; did you mean ${closestWord(name, names) ?? "another"}?` };
      }
      path.push(key);
    }
  }
  return { path };
};

/** The variables of the designs, and the settings that they stand for. Of a setting that a variable of ours names, ours holds. */
const DESIGN_VARIABLES: Readonly<
  Record<string, { readonly paths: readonly SettingsPath[]; readonly read?: (text: string) => string }>
> = {
  ORCHESTRATOR_MODEL: { paths: ofOrchestrators("model"), read: toModelName },
  ORCHESTRATOR_MAX_TOKENS: { paths: ofOrchestrators("maxOutputTokens") },
  ORCHESTRATOR_TEMPERATURE: { paths: ofOrchestrators("temperature") },
  SUB_AGENT_MODEL: { paths: [["agents", "qa-step", "model"]], read: toModelName },
  SUB_AGENT_MAX_TOKENS: { paths: [["agents", "qa-step", "maxOutputTokens"]] },
  SUB_AGENT_TEMPERATURE: { paths: [["agents", "qa-step", "temperature"]] },
  SUB_AGENT_MAX_ITERATIONS: { paths: [["agents", "qa-step", "limits", "iterations"]] },
  SUB_AGENT_TIMEOUT_SECONDS: { paths: [["agents", "qa-step", "limits", "durationMs"]], read: toMilliseconds },
  ORCHESTRATOR_MAX_SUBTASKS: { paths: [["plan", "maxSteps"]] },
  ORCHESTRATOR_MAX_RECOVERY_ATTEMPTS: { paths: [["plan", "maxRecoveries"]] },
  AGENTGW_AGENT__MAX_ORCHESTRATION_DEPTH: { paths: [["agent", "maxDepth"]] },
};

function ofOrchestrators(key: string): readonly SettingsPath[] {
  return [
    ["agents", "orchestrator", key],
    ["agents", "qa-orchestrator", key],
  ];
}

/** The design names models as Docker Model Runner does. */
function toModelName(text: string): string {
  return text.startsWith("ai/") ? `docker-model-runner/${text}` : text;
}

function toMilliseconds(text: string): string {
  return /^\d+(?:\.\d+)?$/.test(text.trim()) ? String(Math.round(Number(text) * 1_000)) : text;
}

/** `below`: what the files say, since a variable may speak of a provider that a file has named. */
export const readEnvLayer = (env: NodeJS.ProcessEnv, below: readonly RawMap[]): Layer => {
  let tree: RawMap = {};
  const names = new Map<string, string>();
  const problems: Problem[] = [];
  for (const [name, { paths, read }] of Object.entries(DESIGN_VARIABLES)) {
    const text = env[name] ?? "";
    if (text.trim() === "") continue;
    for (const path of paths) {
      tree = withRaw(tree, path, fromText(read ? read(text) : text, path));
      names.set(path.join("\n"), name);
    }
  }
  // Shorter paths first, so that RETINUE_LIMITS as JSON does not undo RETINUE_LIMITS__TOKENS.
  const given = Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !isReserved(name) && (env[name] ?? "").trim() !== "")
    .toSorted((one, other) => one.split("__").length - other.split("__").length || (one < other ? -1 : 1));
  for (const name of given) {
    const found = toPath(ALIASES.get(name) ?? name, below);
    if ("unknown" in found) problems.push({ code: "settings_invalid", where: name, key: "", what: found.unknown });
    else {
      tree = withRaw(tree, found.path, fromText(env[name] ?? "", found.path));
      names.set(found.path.join("\n"), name);
    }
  }
  const nameOf = (path: SettingsPath): string => {
    for (let length = path.length; length > 0; length -= 1) {
      const name = names.get(path.slice(0, length).join("\n"));
      if (name !== undefined) return name;
    }
    return toName(path);
  };
  return { tree, origin: (path) => ({ type: "env", name: nameOf(path) }), where: nameOf, problems };
};
