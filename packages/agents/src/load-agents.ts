/**
 * Finds every agent there is: those that come with Retinue, the user's, the project's, in our own files and in those of other worlds as they
 * are. A broken file never takes the others down, and nothing found here gives anybody a right: a definition says what an agent is, the
 * grant decides what it may do.
 */
import { realpath } from "node:fs/promises";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { toAliases } from "./aliases.ts";
import { readBuiltinFiles } from "./builtin-agents.ts";
import type { Catalogue, TrustWish, LoadedAgents } from "./catalogue.ts";
import { createCatalogue, IN_CODE } from "./catalogue.ts";
import { readAgentRoles } from "./dialects/agent-roles.ts";
import { readClaudeCodeAgent } from "./dialects/claude-code-agent.ts";
import type { ReadAgent, ReadContext } from "./dialects/dialect.ts";
import { readSafely } from "./dialects/dialect.ts";
import { readOpencodeAgent } from "./dialects/opencode-agent.ts";
import { readOpencodeConfig } from "./dialects/opencode-config.ts";
import { readRetinueAgent } from "./dialects/retinue-agent.ts";
import { isSkillYaml, readSkillYamlAgent } from "./dialects/skill-yaml-agent.ts";
import type { Place, PlaceOptions } from "./places.ts";
import { toPlaces } from "./places.ts";
import type { PresetName } from "./presets.ts";
import { applyPreset } from "./presets.ts";
import type { Note } from "./problem.ts";
import { createNotes } from "./problem.ts";
import type { SkillEntry } from "./skill-file.ts";
import { readSkillFile } from "./skill-file.ts";
import type { FoundFile, Source } from "./source-files.ts";
import { createSourceReader, findFiles, findInFolders, readSource } from "./source-files.ts";

export type LoadOptions = PlaceOptions & {
  /** Whether agents of the project may have commands run (`accept`) and take the place of others, or which; one that may not is not loaded. None by default. */
  readonly trusted?: boolean | ((wish: TrustWish) => boolean);
  /** Applied to the agents that come with Retinue, before any others are found. */
  readonly presets?: readonly PresetName[];
  /** Agents that code gives; they stand above all others. */
  readonly given?: readonly AgentDefinition[];
  /** Skills that code gives; they stand above all others. */
  readonly givenSkills?: readonly SkillEntry[];
  /** Short names of models that are set, so that an agent may name them. */
  readonly modelNames?: Iterable<string>;
  /** Models that can be reached by names that other worlds have for them, such as `sonnet`. */
  readonly shortModels?: ReadonlyMap<string, string>;
};

type Loading = {
  readonly catalogue: Catalogue;
  readonly builtins: ReadonlyMap<string, AgentDefinition>;
  readonly modelNames: ReadonlySet<string>;
  readonly shortModels: ReadonlyMap<string, string>;
  /** Files that were read, since a home may be the project too. */
  readonly seen: Set<string>;
};

export const loadAgents = async (options: LoadOptions): Promise<LoadedAgents> => {
  const { trusted = false } = options;
  const catalogue = createCatalogue(typeof trusted === "function" ? trusted : () => trusted);
  const files = await readBuiltinFiles();
  const asBuilt: ReadonlyMap<string, AgentDefinition> = new Map([...files].map(([name, { definition }]) => [name, definition]));
  const builtins = (options.presets ?? []).reduce(applyPreset, asBuilt);
  for (const [name, definition] of builtins) {
    const { note } = createNotes("");
    const file = files.get(name)?.file ?? "";
    catalogue.add(
      { type: "agent", draft: { definition, lines: new Map() } },
      { origin: "built-in", dialect: "retinue", file, note },
    );
  }
  const loading: Loading = {
    catalogue,
    builtins,
    modelNames: new Set(options.modelNames),
    shortModels: options.shortModels ?? new Map(),
    seen: new Set(),
  };
  for (const place of toPlaces(options)) await loadPlace(loading, place);
  for (const definition of options.given ?? [])
    catalogue.add(
      { type: "agent", draft: { definition: copyOf(definition), lines: new Map() } },
      { origin: "user", dialect: "retinue", file: IN_CODE, note: createNotes(IN_CODE).note },
    );
  for (const skill of options.givenSkills ?? []) catalogue.addSkill(skill, createNotes(IN_CODE).note);
  return catalogue.finish();
};

/** Definitions are frozen; the lists of whoever gave one are not. */
const copyOf = (definition: AgentDefinition): AgentDefinition => ({
  ...definition,
  aliases: [...definition.aliases],
  fallbacks: [...definition.fallbacks],
  tools: [...definition.tools],
  deniedTools: [...definition.deniedTools],
  ...(definition.hiddenTools === undefined ? {} : { hiddenTools: [...definition.hiddenTools] }),
  delegates: [...definition.delegates],
  skills: [...definition.skills],
  mcpServers: [...definition.mcpServers],
  limits: { ...definition.limits },
});

const loadPlace = async (loading: Loading, place: Place): Promise<void> => {
  switch (place.type) {
    case "markdown":
      return loadMarkdown(loading, place);
    case "skill-yaml":
      return loadSkillYaml(loading, place);
    case "agent-roles":
      return loadAgentRoles(loading, place);
    case "opencode-config":
      return loadOpencodeConfig(loading, place);
    case "skills":
      return loadSkills(loading, place);
    default:
      return place satisfies never;
  }
};

const SKILL_FILE = "SKILL.md";

type PlaceOf<Type extends Place["type"]> = Extract<Place, { readonly type: Type }>;

const READERS: Readonly<Record<PlaceOf<"markdown">["dialect"], (text: string, context: ReadContext) => ReadAgent>> = {
  retinue: readRetinueAgent,
  "claude-code": readClaudeCodeAgent,
  opencode: readOpencodeAgent,
};

const loadMarkdown = async (loading: Loading, place: PlaceOf<"markdown">): Promise<void> => {
  const { origin, dialect, folder } = place;
  const files = await findFiles({
    folder,
    accepts: (relative) => relative.toLowerCase().endsWith(".md"),
    recursively: dialect !== "retinue",
    onProblem: warnOf(loading),
  });
  const texts = await readAll(files, place);
  for (const { file, relative } of files)
    await withFound(loading, file, place, texts, (text, note) => {
      const context = {
        fallbackName: relative.replace(/\.md$/i, "").replaceAll("/", " "),
        note,
        modelNames: loading.modelNames,
        shortModels: loading.shortModels,
      };
      const read = readSafely(context, (counting) => READERS[dialect](text, counting));
      loading.catalogue.add(read, { origin, dialect, file, note });
    });
};

const loadSkillYaml = async (loading: Loading, place: PlaceOf<"skill-yaml">): Promise<void> => {
  const files = await findFiles({
    folder: place.folder,
    accepts: (relative) => /^[^_].*\.ya?ml$/i.test(relative),
    onProblem: warnOf(loading),
  });
  const texts = await readAll(files, place);
  for (const { file, relative } of files)
    await withFound(loading, file, place, texts, (text, note) => {
      if (!isSkillYaml(text)) return note("notice", 1, `it has neither "system_prompt" nor "sub_agents", so that it is no agent`);
      const context = { fallbackName: relative.replace(/\.ya?ml$/i, ""), note, modelNames: loading.modelNames };
      const read = readSafely(context, (counting) => readSkillYamlAgent(text, counting));
      loading.catalogue.add(read, { origin: place.origin, dialect: "skill-yaml", file, note });
    });
};

const loadAgentRoles = async (loading: Loading, place: PlaceOf<"agent-roles">): Promise<void> => {
  const { catalogue, builtins, modelNames } = loading;
  const { file, origin, inside, isNamed } = place;
  const { aliases } = toAliases(builtins);
  const isThere = await withSource(loading, file, place, async (text, note) => {
    const roles = await readAgentRoles(text, {
      note,
      modelNames,
      findBuiltin: (name) => builtins.get(aliases.get(name) ?? name),
      readPromptFile: async (prompt) => {
        const at = path.resolve(path.dirname(file), prompt);
        const content = await readSource(at, inside);
        if (content === undefined) throw new Error("it does not exist");
        catalogue.addPromptFile(at);
        return content;
      },
    });
    if (!roles && isNamed) note("error", 1, `it has no "AgentRoles"`);
    if (roles?.maxDepth !== undefined) catalogue.limitDepth(roles.maxDepth);
    for (const draft of roles?.drafts ?? [])
      catalogue.add({ type: "agent", draft }, { origin, dialect: "agent-roles", file, note });
  });
  if (!isThere && isNamed) catalogue.addProblems([{ file, line: 1, severity: "error", message: "it does not exist" }]);
};

const loadOpencodeConfig = async (loading: Loading, place: PlaceOf<"opencode-config">): Promise<void> => {
  const { catalogue, modelNames, shortModels } = loading;
  const { file, origin, inside } = place;
  const readPromptFile = async (named: string): Promise<string> => {
    const at = path.resolve(path.dirname(file), named);
    const content = await readSource(at, inside ?? path.dirname(file));
    if (content === undefined) throw new Error("it does not exist");
    catalogue.addPromptFile(at);
    return content;
  };
  await withSource(loading, file, place, async (text, note) => {
    for (const read of await readOpencodeConfig(text, { note, modelNames, shortModels, readPromptFile }))
      catalogue.add(read, { origin, dialect: "opencode", file, note });
  });
};

const loadSkills = async (loading: Loading, place: PlaceOf<"skills">): Promise<void> => {
  const files = await findInFolders(place.folder, SKILL_FILE, warnOf(loading));
  const texts = await readAll(files, place);
  for (const { file, relative: folderName } of files)
    await withSource(
      loading,
      file,
      place,
      async (text, note, real) => {
        // Where neither folder nor file is a link, the folder is where it seems to be.
        const folder = real === file ? path.dirname(file) : await realpath(path.dirname(file));
        const skill = readSkillFile({ text, file, folder, folderName, origin: place.origin, note });
        if (skill) loading.catalogue.addSkill(skill, note);
      },
      texts.get(file),
    );
};

const warnOf =
  ({ catalogue }: Loading) =>
  (file: string, message: string): void =>
    catalogue.addProblems([{ file, line: 1, severity: "warning", message }]);

type Texts = ReadonlyMap<string, () => Promise<Source | undefined>>;

/** How many files are read before others get their turn. */
const AT_ONCE = 32;

/** The files of a folder; what is wrong with one of them is told when it is its turn. */
const readAll = async (files: readonly FoundFile[], { inside }: Pick<Place, "inside">): Promise<Texts> => {
  const readOne = createSourceReader(inside);
  const texts = new Map<string, () => Promise<Source | undefined>>();
  for (const [index, found] of files.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await setImmediate();
    const read = await readOne(found).then(
      (source) => () => Promise.resolve(source),
      (thrown: Error) => () => Promise.reject(thrown),
    );
    texts.set(found.file, read);
  }
  return texts;
};

type Use = (text: string, note: Note, real: string | undefined) => void | Promise<void>;

/** The same for a file that was just seen. */
const withFound = async (loading: Loading, file: string, place: Pick<Place, "inside">, texts: Texts, use: Use): Promise<void> => {
  if (!(await withSource(loading, file, place, use, texts.get(file)))) warnOf(loading)(file, "it is a link that leads nowhere");
};

/** Reads a file and hands it on; whatever goes wrong is a problem of that file. False where there is none. */
const withSource = async (
  { catalogue, seen }: Loading,
  file: string,
  { inside }: Pick<Place, "inside">,
  use: Use,
  read: () => Promise<Source | undefined> = () => createSourceReader(inside)({ file }),
): Promise<boolean> => {
  if (seen.has(file)) return true;
  seen.add(file);
  const { note, problems } = createNotes(file);
  let isThere = true;
  try {
    const source = await read();
    if (source === undefined) isThere = false;
    else await use(source.text, note, source.real);
  } catch (thrown) {
    note("error", 1, thrown instanceof Error ? thrown.message : "it cannot be read");
  }
  catalogue.addProblems(problems);
  return isThere;
};
