/**
 * Reads a folder of agents as people share them: a plugin (`agents/`, `skills/`, `commands/`, `.claude-plugin/plugin.json`), a folder of plugins
 * (`plugins/*`), a marketplace that is checked out, or a project with `.claude` or `.opencode`. Nothing of it is run or used.
 */
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { toSkillName, toSlug } from "@retinue/protocol/names";
import { readCommandFile } from "../commands/command-file.ts";
import { readClaudeCodeAgent } from "../dialects/claude-code-agent.ts";
import { readSafely } from "../dialects/dialect.ts";
import { readOpencodeAgent } from "../dialects/opencode-agent.ts";
import { readRetinueAgent } from "../dialects/retinue-agent.ts";
import { isJsonFields } from "../jsonc.ts";
import { createNotes } from "../problem.ts";
import { readSkillFile } from "../skill-file.ts";
import type { Collection, CollectionFile, CollectionItem, CollectionProgram, Plugin } from "./collection.ts";
import type { CollectionReader } from "./collection-files.ts";
import { createCollectionReader } from "./collection-files.ts";

export const readCollection = async (folder: string): Promise<Collection> => {
  const reader = await createCollectionReader(folder);
  const problems: string[] = [];
  const plugins: Plugin[] = [];
  for (const at of await findPlugins(reader, problems)) {
    const plugin = await readPlugin(reader, at);
    if (plugin.items.length + plugin.programs.length > 0) plugins.push(plugin);
  }
  return { folder: reader.root, plugins, problems };
};

const MARKETPLACE = ".claude-plugin/marketplace.json";
const PLUGIN = ".claude-plugin/plugin.json";

const decode = (content: Uint8Array): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(content);

const readJson = async (reader: CollectionReader, file: string): Promise<Readonly<Record<string, unknown>> | undefined> => {
  const content = await reader.read(file);
  if (content === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(decode(content));
    if (isJsonFields(value)) return value;
  } catch (thrown) {
    throw new RetinueError("usage", `Nothing was added: ${file} is not JSON.`, { cause: thrown });
  }
  throw new RetinueError("usage", `Nothing was added: ${file} is no object.`);
};

/** The folders of plugins, below the root. */
const findPlugins = async (reader: CollectionReader, problems: string[]): Promise<readonly string[]> => {
  const marketplace = await readJson(reader, MARKETPLACE);
  const listed = marketplace?.["plugins"];
  if (Array.isArray(listed))
    return [
      ...new Set(
        (listed as readonly unknown[]).flatMap((plugin) => {
          const source = isJsonFields(plugin) ? plugin["source"] : undefined;
          if (typeof source === "string" && !/^[a-z]+:|^\//i.test(source) && !source.split("/").includes(".."))
            return path.posix.normalize(source);
          problems.push(
            `A plugin that lies elsewhere is left out: ${JSON.stringify(isJsonFields(plugin) ? (source ?? plugin["name"]) : plugin)}`,
          );
          return [];
        }),
      ),
    ];
  const folders = await reader.names("plugins");
  return folders.length > 0 ? [".", ...folders.map((name) => `plugins/${name}`)] : ["."];
};

const readPlugin = async (reader: CollectionReader, at: string): Promise<Plugin> => {
  const manifest = (await readJson(reader, path.posix.join(at, PLUGIN))) ?? {};
  const given = manifest["name"];
  const folderName = at === "." ? path.basename(reader.root) : path.posix.basename(at);
  const name = toSlug(typeof given === "string" ? given : folderName).slice(0, 64) || "plugin";
  const description = manifest["description"];
  const context: Place = { reader, at, plugin: name };
  return {
    name,
    description: typeof description === "string" ? description : "",
    items: [...(await readAgents(context)), ...(await readSkills(context)), ...(await readCommands(context))],
    programs: [...(await readHooks(context, manifest)), ...(await readServers(context, manifest))],
  };
};

type Place = { readonly reader: CollectionReader; readonly at: string; readonly plugin: string };

const isMarkdown = (file: string): boolean => /\.md$/i.test(file);

const toFile = async ({ reader }: Place, from: string, to: string): Promise<CollectionFile> => {
  const content = await reader.read(from);
  if (content === undefined) throw new RetinueError("usage", `Nothing was added: ${from} cannot be read.`);
  return { from, to, content };
};

const AGENT_FOLDERS = [
  { folder: "agents", dialect: "claude-code", to: ".claude/agents" },
  { folder: ".claude/agents", dialect: "claude-code", to: ".claude/agents" },
  { folder: "agent", dialect: "opencode", to: ".opencode/agent" },
  { folder: ".opencode/agent", dialect: "opencode", to: ".opencode/agent" },
  { folder: ".opencode/agents", dialect: "opencode", to: ".opencode/agent" },
  { folder: ".retinue/agents", dialect: "retinue", to: ".retinue/agents" },
] as const;

const READERS = { "claude-code": readClaudeCodeAgent, opencode: readOpencodeAgent, retinue: readRetinueAgent };

const readAgents = async (place: Place): Promise<readonly CollectionItem[]> => {
  const items: CollectionItem[] = [];
  for (const { folder, dialect, to } of AGENT_FOLDERS) {
    const base = path.posix.join(place.at, folder);
    for (const from of (await place.reader.list(base)).filter(isMarkdown)) {
      const relative = path.posix.relative(base, from);
      // Our own agents stand beside each other.
      const target = dialect === "retinue" ? path.posix.basename(relative) : `${place.plugin}/${relative}`;
      const file = await toFile(place, from, `${to}/${target}`);
      const { note, problems } = createNotes(from);
      const fallbackName = relative.replace(/\.md$/i, "").replaceAll("/", " ");
      const read = readSafely({ fallbackName, note, modelNames: new Set() }, (reading) =>
        READERS[dialect](decode(file.content), reading),
      );
      if (read.type === "agent") {
        const { name, tools, deniedTools, rules = [] } = read.draft.definition;
        const denied = deniedTools.length === 0 ? "" : `, but ${deniedTools.join(", ")}`;
        const held = rules.length === 0 ? "" : `, held to ${rules.length} rules`;
        items.push({
          kind: "agent",
          name,
          about: `${tools.includes("*") ? "every tool" : tools.join(", ") || "no tool"}${denied}${held}`,
          files: [file],
        });
      } else items.push(toItem("agent", undefined, { name: path.posix.basename(from), problems, files: [file] }));
    }
  }
  return items;
};

type Tried = {
  /** Where it could not be read. */
  readonly name: string;
  readonly problems: ReturnType<typeof createNotes>["problems"];
  readonly files: readonly CollectionFile[];
};

const toItem = (
  kind: CollectionItem["kind"],
  read: { readonly name: string; readonly description: string } | undefined,
  { name, problems, files }: Tried,
): CollectionItem =>
  read
    ? { kind, name: read.name, about: read.description, files }
    : { kind, name, about: "", error: firstError(problems) ?? `it is no ${kind}`, files: [] };

const firstError = (problems: Tried["problems"]): string | undefined =>
  problems.find(({ severity }) => severity === "error")?.message;

const readSkills = async (place: Place): Promise<readonly CollectionItem[]> => {
  const items: CollectionItem[] = [];
  for (const folder of ["skills", ".claude/skills", ".agents/skills", ".opencode/skill", ".opencode/skills", ".retinue/skills"]) {
    const base = path.posix.join(place.at, folder);
    for (const name of await place.reader.names(base)) {
      const files = await place.reader.list(path.posix.join(base, name));
      const main = files.find((file) => file === path.posix.join(base, name, "SKILL.md"));
      const skillName = toSkillName(name);
      if (main === undefined || skillName === undefined) continue;
      const copied: CollectionFile[] = [];
      for (const from of files)
        copied.push(
          await toFile(place, from, `.claude/skills/${skillName}/${path.posix.relative(path.posix.join(base, name), from)}`),
        );
      const { note, problems } = createNotes(main);
      const content = copied.find(({ from }) => from === main)?.content ?? new Uint8Array();
      const skill = readSkillFile({ text: decode(content), file: main, folder: "", folderName: name, origin: "project", note });
      const spared =
        skill?.allowedTools === undefined ? "" : ` (while it is loaded, not asked about: ${skill.allowedTools.join(", ")})`;
      const shown = skill && { ...skill, description: `${skill.description}${spared}` };
      items.push(toItem("skill", shown, { name, problems, files: copied }));
    }
  }
  return items;
};

const readCommands = async (place: Place): Promise<readonly CollectionItem[]> => {
  const items: CollectionItem[] = [];
  for (const { folder, dialect, to } of [
    { folder: "commands", dialect: "claude-code", to: ".claude/commands" },
    { folder: ".claude/commands", dialect: "claude-code", to: ".claude/commands" },
    { folder: ".opencode/command", dialect: "opencode", to: ".opencode/command" },
    { folder: ".retinue/commands", dialect: "retinue", to: ".retinue/commands" },
  ] as const) {
    const base = path.posix.join(place.at, folder);
    for (const from of (await place.reader.list(base)).filter(isMarkdown)) {
      const relative = `${place.plugin}/${path.posix.relative(base, from)}`;
      const file = await toFile(place, from, `${to}/${relative}`);
      const { note, problems } = createNotes(from);
      const command = readCommandFile({ text: decode(file.content), relative, file: from, origin: "project", dialect, note });
      items.push(toItem("command", command, { name: relative, problems, files: [file] }));
    }
  }
  return items;
};

/** `{ PreToolUse: [{ matcher, hooks: [{ type: "command", command }] }] }`. */
const readHooks = async (
  { reader, at }: Place,
  manifest: Readonly<Record<string, unknown>>,
): Promise<readonly CollectionProgram[]> => {
  const file = (await readJson(reader, path.posix.join(at, "hooks/hooks.json"))) ?? {};
  const all = [file["hooks"], file, manifest["hooks"]].filter(isJsonFields);
  const programs = all.flatMap((events) =>
    Object.entries(events).flatMap(([event, matchers]) =>
      (Array.isArray(matchers) ? (matchers as readonly unknown[]) : []).flatMap((matcher) => {
        const hooks = isJsonFields(matcher) && Array.isArray(matcher["hooks"]) ? (matcher["hooks"] as readonly unknown[]) : [];
        return hooks.flatMap((hook): readonly CollectionProgram[] =>
          isJsonFields(hook) && typeof hook["command"] === "string" ? [{ kind: "hook", name: event, runs: hook["command"] }] : [],
        );
      }),
    ),
  );
  return [...new Map(programs.map((program) => [`${program.name} ${program.runs}`, program])).values()];
};

const readServers = async (
  { reader, at }: Place,
  manifest: Readonly<Record<string, unknown>>,
): Promise<readonly CollectionProgram[]> => {
  const file = (await readJson(reader, path.posix.join(at, ".mcp.json"))) ?? {};
  const servers = [file["mcpServers"] ?? file, manifest["mcpServers"]].filter(isJsonFields);
  return servers.flatMap((all) =>
    Object.entries(all).flatMap(([name, server]): readonly CollectionProgram[] => {
      if (!isJsonFields(server)) return [];
      const { command, args, url } = server;
      const words = [command, ...(Array.isArray(args) ? (args as readonly unknown[]) : [])].filter(
        (word) => typeof word === "string",
      );
      const runs = typeof url === "string" ? url : words.join(" ");
      return runs === "" ? [] : [{ kind: "server", name, runs }];
    }),
  );
};
