/**
 * What `permission` of opencode's own settings (`opencode.json`, `opencode.jsonc`, and the user's) denies or has asked, as rules for every agent. What it allows
 * is no right here and spares no question: in opencode all is allowed that nobody speaks of.
 */
import path from "node:path";
import type { Rule } from "@retinue/protocol";
import { placesOf } from "@retinue/runtime";
import type { ClaudeSettings, ClaudeSettingsOptions, ForeignSettingsFile } from "./claude-settings.ts";
import { toOpencodeRights } from "./dialects/opencode-rights.ts";
import { readOpencodeRules } from "./dialects/opencode-rules.ts";
import type { JsonFields } from "./jsonc.ts";
import { lineOfWord, parseJsonc } from "./jsonc.ts";
import type { Note } from "./problem.ts";
import { readSettingsFiles } from "./read-settings-files.ts";
import type { YamlFields } from "./yaml-fields.ts";

export const OPENCODE_SETTINGS_FILES: readonly string[] = placesOf("settings").flatMap(({ dialect, at }) =>
  dialect === "opencode" ? at : [],
);

export const loadOpencodeSettings = ({ projectDir, homeDir }: ClaudeSettingsOptions): Promise<ClaudeSettings> => {
  const config = homeDir && path.join(homeDir, ".config", "opencode");
  const places = OPENCODE_SETTINGS_FILES.flatMap((name) => [
    ...(config === undefined ? [] : [{ file: path.join(config, name), origin: "user" as const }]),
    ...(projectDir === undefined || projectDir === homeDir
      ? []
      : [{ file: path.join(projectDir, name), origin: "project" as const, inside: projectDir }]),
  ]);
  return readSettingsFiles(places, readSettings);
};

/** What people would miss, and where it is read from. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  command: "commands are read from .opencode/command/NAME.md",
  mcp: `servers of tools are read from .mcp.json and "mcpServers" of retinue.yaml`,
  instructions: "instructions are read from AGENTS.md, which imports others by @path",
  plugin: "plugins of opencode are not run",
};

/** Undefined where it says nothing of permissions. */
const readSettings = (text: string, note: Note): Omit<ForeignSettingsFile, "file" | "origin"> | undefined => {
  const fields = toFields(parseJsonc(text), text);
  for (const [name, instead] of Object.entries(ELSEWHERE))
    if (fields.has(name)) note("notice", fields.lineOf(name), `"${name}" has no effect here: ${instead}`);
  if (!["permission", "permissions", "tools"].some((name) => fields.has(name))) return undefined;
  const rights = toOpencodeRights(readOpencodeRules(fields, note), note, true);
  const { tools, deniedTools, delegates, rules = [] } = rights;
  const held: readonly Rule[] = [
    ...(tools.includes("*")
      ? []
      : [
          { tools: ["*"], effect: "deny" as const },
          { tools: [...tools], effect: "allow" as const },
        ]),
    ...rules,
    ...(deniedTools.length === 0 ? [] : [{ tools: [...deniedTools], effect: "deny" as const }]),
  ];
  const deniedAgents = delegates.includes("*")
    ? delegates.flatMap((name) => (name.startsWith("!") ? [name.slice(1)] : []))
    : ["*"];
  return held.some(({ effect }) => effect !== "allow") || deniedAgents.length > 0
    ? { held, deniedAgents, allowed: [], allowedAsWritten: [], hooks: [], disablesHooks: false }
    : undefined;
};

/** With the lines that words first stand at. */
const toFields = (settings: JsonFields, text: string): YamlFields => ({
  names: Object.keys(settings),
  get: (name) => settings[name],
  has: (name) => Object.hasOwn(settings, name),
  lineOf: (name, ...below) => lineOfWord(text, below.findLast((step) => typeof step === "string") ?? name),
});
