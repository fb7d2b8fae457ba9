/**
 * The settings in force and where each came from: defaults, under the user's file, under the project's file, under
 * variables, under flags. Everything that is wrong anywhere is told at once. Only these sources are read; a `.env` of
 * the project is not one of them.
 */
import type { TrustClaim } from "@retinue/confine/trust";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { checkLayer } from "./check-layer.ts";
import { readEnvLayer } from "./env-layer.ts";
import { readFileLayer } from "./file-layer.ts";
import { findProjectFile } from "./find-project-file.ts";
import type { FlagSetting } from "./flag-layer.ts";
import { readFlagLayer } from "./flag-layer.ts";
import type { Layer, Origin, Raw, RawMap } from "./layer.ts";
import { isRawMap, rawAt } from "./layer.ts";
import { merge, withoutNamed } from "./merge.ts";
import type { Problem } from "./problem.ts";
import { toSettingsError } from "./problem.ts";
import type { ProjectTrust } from "./project-trust.ts";
import { followProject } from "./project-trust.ts";
import { retinueHome, SETTINGS_FILE } from "./retinue-home.ts";
import type { SettingsPath } from "./schema-walk.ts";
import { readSkillSettings, SKILL_SETTINGS_FILE, withSkillSettings } from "./skill-settings.ts";
import type { Settings } from "./settings.ts";
import { DEFAULT_SETTINGS, PROVIDER_TYPES } from "./settings.ts";

export type LoadSettingsOptions = {
  /** The current folder by default. */
  readonly workspace?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly flags?: readonly FlagSetting[];
  /** The folder of the user's state; by default what `env` says. */
  readonly home?: string;
};

export type LoadedSettings = {
  readonly settings: Settings;
  /** By dotted key, every value that is set or has a default. */
  readonly origins: ReadonlyMap<string, Origin>;
  readonly files: { readonly user?: string; readonly project?: string };
  readonly home: string;
  /** What was read and deliberately not followed. */
  readonly warnings: readonly string[];
  /** What the project's settings ask for beyond that, where they are not trusted. */
  readonly untrusted?: TrustClaim;
};

const defaultLayer: Layer = {
  tree: DEFAULT_SETTINGS,
  origin: () => ({ type: "default" }),
  where: () => "default",
  problems: [],
};

const leafPaths = (value: Raw, path: SettingsPath): readonly SettingsPath[] =>
  isRawMap(value) ? Object.entries(value).flatMap(([key, child]) => leafPaths(child, [...path, key])) : [path];

type Completed = { readonly tree: RawMap; readonly problems: readonly Problem[]; readonly typed: readonly string[] };

/**
 * A provider without a type is of the type of its name, else one that speaks the common protocol, which needs an address. One that a project
 * defined is sent no key but the one whose variable is named for it where the project is trusted.
 */
const completeProviders = (settings: RawMap, layers: readonly Layer[], project: ProjectTrust | undefined): Completed => {
  const problems: Problem[] = [];
  const typed: string[] = [];
  const complete = (name: string, provider: Raw): Raw => {
    const path = ["providers", name];
    if (!isRawMap(provider)) return provider;
    const type = provider["type"] ?? (PROVIDER_TYPES.some((known) => known === name) ? name : "openai-compatible");
    if (provider["type"] === undefined) typed.push(name);
    if (type === "openai-compatible" && provider["baseUrl"] === undefined) {
      const where = layers.findLast((layer) => rawAt(layer.tree, path) !== undefined)?.where(path, "key") ?? "";
      const what = "is of type openai-compatible and needs a baseUrl, like http://127.0.0.1:8080/v1";
      problems.push({ code: "settings_invalid", where, key: path.join("."), what });
    }
    const isOfProject = project !== undefined && rawAt(project.layer.tree, path) !== undefined;
    const isKeyless = isOfProject && (!project.isTrusted || provider["apiKeyEnv"] === undefined);
    // A command or a file of the user's is named by the user alone.
    const { apiKeyCommand: _command, apiKeyFile: _file, ...rest } = provider;
    return { ...(isOfProject ? rest : provider), type, ...(isKeyless && { isKeyless }) };
  };
  const providers = rawAt(settings, ["providers"]);
  if (!isRawMap(providers)) return { tree: settings, problems, typed };
  const completed = Object.fromEntries(Object.entries(providers).map(([name, provider]) => [name, complete(name, provider)]));
  return { tree: { ...settings, providers: completed }, problems, typed };
};

/** Sections whose entries are one thing each: what a project puts into them takes nothing over from an entry of the user's. */
const WHOLE_ENTRIES = ["providers", "mcpServers"];

const withoutEntriesOf = (project: RawMap, tree: RawMap): RawMap => {
  let cleared = tree;
  for (const section of WHOLE_ENTRIES) cleared = withoutNamed(cleared, section, namesBelow(project, section));
  return rawAt(project, ["web", "search"]) === undefined ? cleared : withoutNamed(cleared, "web", ["search"]);
};

const namesBelow = (tree: RawMap, section: string): readonly string[] => {
  const entries = rawAt(tree, [section]);
  return isRawMap(entries) ? Object.keys(entries) : [];
};

const sameFile = async (one: string, other: string): Promise<boolean> =>
  (await realpath(one).catch(() => one)) === (await realpath(other).catch(() => other));

export const loadSettings = async (options: LoadSettingsOptions = {}): Promise<LoadedSettings> => {
  const env = options.env ?? process.env;
  const home = options.home ?? retinueHome(env);
  const userFile = join(home, SETTINGS_FILE);
  const found = await findProjectFile(options.workspace ?? process.cwd());
  const projectFile = found !== undefined && !(await sameFile(found, userFile)) ? found : undefined;

  const user = await readFileLayer(userFile, "user");
  const skillFile = await findProjectFile(options.workspace ?? process.cwd(), SKILL_SETTINGS_FILE);
  const project = withSkillSettings(
    projectFile === undefined ? undefined : await readFileLayer(projectFile, "project"),
    skillFile === undefined ? undefined : await readSkillSettings(skillFile),
  );
  const flags = readFlagLayer(options.flags ?? []);
  const ownTrees = user ? [user.tree] : [];
  const own = readEnvLayer(env, ownTrees);

  const read = [user, project, own, flags].flatMap((layer) => (layer ? [layer] : []));
  const problems: Problem[] = read.flatMap((layer) => [...layer.problems, ...checkLayer(layer)]);
  if (problems.length > 0) throw toSettingsError(problems);

  const followed = project
    ? await followProject({
        project,
        file: projectFile ?? skillFile ?? "",
        home,
        below: user ? merge(defaultLayer.tree, user.tree) : defaultLayer.tree,
        context: { isKnownProvider: knownProviders([...ownTrees, own.tree, flags.tree]) },
      })
    : undefined;
  // Of a project only what is followed: a variable that speaks of a provider of the user's own means that one.
  const environment = followed ? readEnvLayer(env, [followed.layer.tree, ...ownTrees]) : own;
  const layers = [defaultLayer, user, followed?.layer, environment, flags].flatMap((layer) => (layer ? [layer] : []));

  let tree: RawMap = {};
  const origins = new Map<string, Origin>();
  for (const layer of layers) {
    const below = layer === followed?.layer ? withoutEntriesOf(layer.tree, tree) : tree;
    tree = merge(below, layer.tree);
    for (const path of leafPaths(layer.tree, [])) origins.set(path.join("."), layer.origin(path));
  }
  const completed = completeProviders(tree, layers, followed);
  if (completed.problems.length > 0) throw toSettingsError(completed.problems);
  for (const name of completed.typed) origins.set(`providers.${name}.type`, { type: "default" });
  return {
    // Every layer was checked against the schema and the defaults fill what may not be missing.
    settings: {
      ...(completed.tree as unknown as Settings),
      ...ceilingsOf(followed),
      ...(origins.get("approve")?.type === "default" && { isApproveDefault: true }),
    },
    origins,
    files: { ...(user && { user: userFile }), ...(projectFile !== undefined && { project: projectFile }) },
    home,
    warnings: followed?.warnings ?? [],
    ...(followed?.untrusted && { untrusted: followed.untrusted }),
  };
};

const ceilingsOf = (followed: ProjectTrust | undefined): Pick<Settings, "ceilings"> =>
  followed && Object.keys(followed.ceilings).length > 0 ? { ceilings: followed.ceilings } : {};

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z\d]/g, "");

/** Whatever the letters: a name that differs from a known one in case and dashes only is taken for it. */
const knownProviders = (trees: readonly RawMap[]): ((name: string) => boolean) => {
  const known = new Set([...PROVIDER_TYPES, ...trees.flatMap((tree) => namesBelow(tree, "providers"))].map(plain));
  return (name) => known.has(plain(name));
};
