/**
 * The settings in force and where each came from: defaults, under the user's file, under the project's file, under
 * variables, under flags. Everything that is wrong anywhere is told at once. Only these sources are read; a `.env` of
 * the project is not one of them.
 */
import type { ApproveMode } from "@retinue/protocol";
import { APPROVE_MODES } from "@retinue/protocol";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { checkLayer } from "./check-layer.ts";
import { readEnvLayer } from "./env-layer.ts";
import { readFileLayer } from "./file-layer.ts";
import { findProjectFile } from "./find-project-file.ts";
import type { FlagSetting } from "./flag-layer.ts";
import { readFlagLayer } from "./flag-layer.ts";
import type { Layer, Origin, Raw, RawMap } from "./layer.ts";
import { isRawMap, rawAt, withRaw } from "./layer.ts";
import type { Problem } from "./problem.ts";
import { toSettingsError } from "./problem.ts";
import { distrust } from "./project-trust.ts";
import { retinueHome, SETTINGS_FILE } from "./retinue-home.ts";
import type { SettingsPath } from "./schema-walk.ts";
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
};

const approveOf = (tree: RawMap): ApproveMode | undefined => APPROVE_MODES.find((mode) => mode === rawAt(tree, ["approve"]));

const defaultLayer: Layer = {
  tree: DEFAULT_SETTINGS,
  origin: () => ({ type: "default" }),
  where: () => "default",
  problems: [],
};

const merge = (lower: RawMap, upper: RawMap): RawMap => {
  let merged = lower;
  for (const [key, value] of Object.entries(upper)) {
    const below = Object.hasOwn(lower, key) ? lower[key] : undefined;
    merged = withRaw(merged, [key], isRawMap(below) && isRawMap(value) ? merge(below, value) : value);
  }
  return merged;
};

const leafPaths = (value: Raw, path: SettingsPath): readonly SettingsPath[] =>
  isRawMap(value) ? Object.entries(value).flatMap(([key, child]) => leafPaths(child, [...path, key])) : [path];

/** What a project says may only narrow what is allowed without asking: whoever wrote it is not whoever runs it. */
const narrowProject = (project: Layer, lower: RawMap): { readonly layer: Layer; readonly warnings: readonly string[] } => {
  const wanted = approveOf(project.tree);
  const held = approveOf(lower) ?? DEFAULT_SETTINGS.approve;
  if (wanted === undefined || APPROVE_MODES.indexOf(wanted) <= APPROVE_MODES.indexOf(held))
    return { layer: project, warnings: [] };
  const warning =
    `${project.where(["approve"], "value")}: approve: ${wanted} is not followed, ${held} stays: ` +
    "a project may only narrow it. Set it in your own file, as RETINUE_APPROVE or with --approve.";
  const tree = Object.fromEntries(Object.entries(project.tree).filter(([key]) => key !== "approve"));
  return { layer: { ...project, tree }, warnings: [warning] };
};

type Completed = { readonly tree: RawMap; readonly problems: readonly Problem[]; readonly typed: readonly string[] };

/** A provider without a type is of the type of its name, else one that speaks the common protocol, which needs an address. */
const completeProviders = (settings: RawMap, layers: readonly Layer[]): Completed => {
  let tree = settings;
  const problems: Problem[] = [];
  const typed: string[] = [];
  const providers = rawAt(settings, ["providers"]);
  for (const [name, provider] of Object.entries(isRawMap(providers) ? providers : {})) {
    const path = ["providers", name];
    if (!isRawMap(provider)) continue;
    const type = provider["type"] ?? (PROVIDER_TYPES.some((known) => known === name) ? name : "openai-compatible");
    if (provider["type"] === undefined) {
      tree = withRaw(tree, [...path, "type"], type);
      typed.push(name);
    }
    if (type !== "openai-compatible" || provider["baseUrl"] !== undefined) continue;
    const where = layers.findLast((layer) => rawAt(layer.tree, path) !== undefined)?.where(path, "key") ?? "";
    const what = "is of type openai-compatible and needs a baseUrl, like http://127.0.0.1:8080/v1";
    problems.push({ code: "settings_invalid", where, key: path.join("."), what });
  }
  return { tree, problems, typed };
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
  const project = projectFile === undefined ? undefined : await readFileLayer(projectFile, "project");
  const files = [project, user].flatMap((layer) => (layer ? [layer] : []));
  const environment = readEnvLayer(
    env,
    files.map((layer) => layer.tree),
  );
  const flags = readFlagLayer(options.flags ?? []);

  const read = [user, project, environment, flags].flatMap((layer) => (layer ? [layer] : []));
  const problems: Problem[] = read.flatMap((layer) => [...layer.problems, ...checkLayer(layer)]);
  if (problems.length > 0) throw toSettingsError(problems);

  const below = user ? merge(defaultLayer.tree, user.tree) : defaultLayer.tree;
  const trusted = project && projectFile !== undefined ? await distrust(project, projectFile, home) : undefined;
  const narrowed = trusted && narrowProject(trusted.layer, below);
  const layers = [defaultLayer, user, narrowed?.layer, environment, flags].flatMap((layer) => (layer ? [layer] : []));

  let tree: RawMap = {};
  const origins = new Map<string, Origin>();
  for (const layer of layers) {
    tree = merge(tree, layer.tree);
    for (const path of leafPaths(layer.tree, [])) origins.set(path.join("."), layer.origin(path));
  }
  const completed = completeProviders(tree, layers);
  if (completed.problems.length > 0) throw toSettingsError(completed.problems);
  for (const name of completed.typed) origins.set(`providers.${name}.type`, { type: "default" });
  return {
    // Every layer was checked against the schema and the defaults fill what may not be missing.
    settings: completed.tree as unknown as Settings,
    origins,
    files: { ...(user && { user: userFile }), ...(projectFile !== undefined && { project: projectFile }) },
    home,
    warnings: [...(trusted?.warnings ?? []), ...(narrowed?.warnings ?? [])],
  };
};
