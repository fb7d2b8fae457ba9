/**
 * What opencode's own settings deny or have asked, of every place that it reads them from (`rule-places.ts`), as rules for every agent. What they allow
 * is no right here and spares no question: in opencode all is allowed that nobody speaks of. Rules of its default agent, `build`, hold for the session.
 */
import type { Rule } from "@retinue/protocol";
import type { ClaudeSettings, ForeignSettingsFile } from "./claude-settings.ts";
import { toUnread } from "./claude-settings.ts";
import { toOpencodeRights } from "./dialects/opencode-rights.ts";
import { readOpencodeRules, RULE_FIELDS, toNamedRules } from "./dialects/opencode-rules.ts";
import { splitFrontMatter } from "./front-matter.ts";
import type { JsonFields } from "./jsonc.ts";
import { isJsonFields, lineOfWord, parseJsonc } from "./jsonc.ts";
import type { Note } from "./problem.ts";
import { readSettingsFiles } from "./read-settings-files.ts";
import type { RulePlace, RuleSurroundings } from "./rule-places.ts";
import { RULE_PLACES, toSettingsPlaces } from "./rule-places.ts";
import type { YamlFields } from "./yaml-fields.ts";
import { readYamlFields } from "./yaml-fields.ts";

export const loadOpencodeSettings = async (surroundings: RuleSurroundings): Promise<ClaudeSettings> => {
  const read = await Promise.all(
    RULE_PLACES.opencode.map(async (place) =>
      readSettingsFiles(await toSettingsPlaces(place, surroundings), (text, note) => toParts(READERS[place.form](text, note))),
    ),
  );
  return {
    // Each part is a set of rules of its own, so that none takes back what another denies.
    files: [
      ...read.flatMap(({ files }) => files).flatMap(({ parts, ...file }) => parts.map((part) => ({ ...file, ...part }))),
      ...read.flatMap(({ unread }) => unread).map(toUnread),
    ],
    problems: read.flatMap(({ problems }) => problems),
  };
};

type Read = Omit<ForeignSettingsFile, "file" | "origin">;

const toParts = (parts: readonly (Read | undefined)[]): { readonly parts: readonly Read[] } | undefined => {
  const said = parts.filter((part) => part !== undefined);
  return said.length === 0 ? undefined : { parts: said };
};

/** What people would miss, and where it is read from. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  command: "commands are read from .opencode/command/NAME.md",
  mcp: `servers of tools are read from .mcp.json and "mcpServers" of retinue.yaml`,
  instructions: "instructions are read from AGENTS.md, which imports others by @path",
  plugin: "plugins of opencode are not run",
};

/** The agent that opencode works with unless another is chosen. */
const DEFAULT_AGENT = "build";

const readSettings = (text: string, note: Note): readonly (Read | undefined)[] => {
  const settings = parseJsonc(text);
  const fields = toFields(settings, text);
  for (const [name, instead] of Object.entries(ELSEWHERE))
    if (fields.has(name)) note("notice", fields.lineOf(name), `"${name}" has no effect here: ${instead}`);
  const ofBuild = ["mode", "agents", "agent"].flatMap((name) => {
    const agents = settings[name];
    const build = isJsonFields(agents) ? agents[DEFAULT_AGENT] : undefined;
    return isJsonFields(build) ? [toFields(build, text)] : [];
  });
  return [fields, ...ofBuild].map((one) => toRead(one, note));
};

const readBuildAgent = (text: string, note: Note): readonly (Read | undefined)[] => {
  const matter = splitFrontMatter(text);
  if ("message" in matter) return [];
  const fields = readYamlFields({ text: matter.yaml, firstLine: matter.firstLine, note, leniently: RULE_FIELDS });
  return [fields && toRead(fields, note)];
};

const READERS: Readonly<Record<RulePlace["form"], (text: string, note: Note) => readonly (Read | undefined)[]>> = {
  settings: readSettings,
  permission: (text, note) => {
    const permission: unknown = /^\s*\w+\s*$/.test(text) ? text.trim() : JSON.parse(text);
    return [toRead(toFields({ permission }, text), note)];
  },
  build: readBuildAgent,
};

/** Undefined where it says nothing of permissions. */
const toRead = (fields: YamlFields, note: Note): Read | undefined => {
  if (!RULE_FIELDS.some((name) => fields.has(name))) return undefined;
  const read = readOpencodeRules(fields, note);
  const { tools, deniedTools, delegates, rules = [] } = toOpencodeRights(read, note, true);
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
    ? { held, named: toNamedRules(read), deniedAgents, allowed: [], allowedAsWritten: [], hooks: [], disablesHooks: false }
    : undefined;
};

/** With the lines that words first stand at. */
const toFields = (settings: JsonFields, text: string): YamlFields => ({
  names: Object.keys(settings),
  get: (name) => settings[name],
  has: (name) => Object.hasOwn(settings, name),
  lineOf: (name, ...below) => lineOfWord(text, below.findLast((step) => typeof step === "string") ?? name),
});
