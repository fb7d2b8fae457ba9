/**
 * Every place from which Claude Code and opencode read what agents may not do, one table for each, with where they document it.
 * A deny in any of these places holds here. A place that is read in one version of the other program is in the table.
 */
import { readdir } from "node:fs/promises";
import path from "node:path";
import type { SettingsPlace } from "./read-settings-files.ts";

export type RulePlace = {
  /**
   * `./…` is below each folder of the project, `~/…` below the home, `/…` below the root of the system, `$NAME` what a variable holds.
   * `*.json` at the end is every such file of the folder.
   */
  readonly at: string;
  /** `settings`: a settings file. `permission`: the value of "permission" alone. `build`: the file of opencode's default agent. */
  readonly form: "settings" | "permission" | "build";
  /** The variable holds the text itself, not the name of a file. */
  readonly isText?: boolean;
  /** The page or the file of the other program that names the place. */
  readonly source: string;
};

export type RuleDialect = "claude-code" | "opencode";

const CLAUDE_SETTINGS = "https://code.claude.com/docs/en/settings";
const OPENCODE_CONFIG = "https://opencode.ai/docs/config/";
const OPENCODE_AGENTS = "https://opencode.ai/docs/agents/";
const OPENCODE_CODE = "github.com/anomalyco/opencode: packages/opencode/src/config/";

const files = (source: string, ...all: readonly string[]): readonly RulePlace[] =>
  all.map((at) => ({ at, form: "settings", source }));

/** What opencode reads in each of its folders. */
const inFolder = (folder: string): readonly RulePlace[] => [
  ...files(OPENCODE_CONFIG, `${folder}/opencode.json`, `${folder}/opencode.jsonc`),
  ...["agent", "agents", "mode", "modes"].map((name): RulePlace => ({
    at: `${folder}/${name}/build.md`,
    form: "build",
    source: OPENCODE_AGENTS,
  })),
];

export const RULE_PLACES: Readonly<Record<RuleDialect, readonly RulePlace[]>> = {
  "claude-code": [
    ...files(
      CLAUDE_SETTINGS,
      "/etc/claude-code/managed-settings.json",
      "/etc/claude-code/managed-settings.d/*.json",
      "/Library/Application Support/ClaudeCode/managed-settings.json",
      "/Library/Application Support/ClaudeCode/managed-settings.d/*.json",
      "/Program Files/ClaudeCode/managed-settings.json",
      "/Program Files/ClaudeCode/managed-settings.d/*.json",
      "/ProgramData/ClaudeCode/managed-settings.json",
      "~/.claude/settings.json",
    ),
    ...files("https://code.claude.com/docs/en/env-vars", "$CLAUDE_CONFIG_DIR/settings.json"),
    ...files(CLAUDE_SETTINGS, "./.claude/settings.json", "./.claude/settings.local.json"),
  ],
  opencode: [
    ...files(
      OPENCODE_CONFIG,
      ...["/etc/opencode", "/Library/Application Support/opencode", "/ProgramData/opencode"].flatMap((folder) => [
        `${folder}/opencode.json`,
        `${folder}/opencode.jsonc`,
      ]),
    ),
    ...["~/.config/opencode", "$XDG_CONFIG_HOME/opencode"].flatMap((folder) => [
      ...files(`${OPENCODE_CODE}config.ts`, `${folder}/config.json`),
      ...inFolder(folder),
    ]),
    ...inFolder("~/.opencode"),
    ...inFolder("$OPENCODE_CONFIG_DIR"),
    ...files(OPENCODE_CONFIG, "$OPENCODE_CONFIG"),
    { at: "$OPENCODE_CONFIG_CONTENT", form: "settings", isText: true, source: OPENCODE_CONFIG },
    { at: "$OPENCODE_PERMISSION", form: "permission", isText: true, source: `${OPENCODE_CODE}config.ts` },
    ...files(OPENCODE_CONFIG, "./opencode.json", "./opencode.jsonc"),
    ...inFolder("./.opencode"),
  ],
};

export type RuleSurroundings = {
  readonly projectDir?: string;
  /** Folders of the project below it, down to the one that is worked in. */
  readonly innerDirs?: readonly string[];
  readonly homeDir?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
};

/** A second root of the system, for images of machines and for tests. It is read beside the first, so that it only narrows. */
const OTHER_ROOT = "RETINUE_MANAGED_ROOT";

/** The files and texts of a place, whether they are there or not. */
export const toSettingsPlaces = async (
  { at, isText = false }: RulePlace,
  { projectDir, innerDirs = [], homeDir, env = {} }: RuleSurroundings,
): Promise<readonly SettingsPlace[]> => {
  const [, root = "", name, below = ""] = /^(?:(\.|~|\$(\w+)|)(?:\/(.*))?)$/s.exec(at) ?? [];
  const value = name === undefined ? undefined : env[name];
  if (value !== undefined && value.trim() === "") return [];
  if (isText) return value === undefined ? [] : [{ file: at, origin: "user", text: value }];
  if (root === ".") {
    const folders = projectDir === undefined ? [] : [projectDir, ...innerDirs];
    return folders.map((folder) => ({ file: path.join(folder, below), origin: "project", inside: projectDir, folder }));
  }
  const starts = root === "" ? ["/", env[OTHER_ROOT]] : [root === "~" ? homeDir : value];
  const found = starts.flatMap((start) => (start === undefined || start === "" ? [] : [path.resolve(start, below)]));
  return (await Promise.all(found.map(filesAt))).flat().map((file) => ({ file, origin: "user" }));
};

const filesAt = async (file: string): Promise<readonly string[]> => {
  if (path.basename(file) !== "*.json") return [file];
  const folder = path.dirname(file);
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => name.endsWith(".json"))
    .toSorted()
    .map((name) => path.join(folder, name));
};
