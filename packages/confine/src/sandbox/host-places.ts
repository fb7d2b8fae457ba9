/**
 * What of the machine a sandboxed command sees: the system by name, tool chains and caches of the user's home, and the folders of PATH. Everything else of a
 * home, of other disks and of other applications is not there, so that a secret in a place nobody thought of is hidden too.
 */
import { lstat, readdir, readlink, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { isInside } from "@retinue/runtime";
import type { HiddenPath } from "./sandbox.ts";
import type { SeenLink, SeenPlace } from "./system-places.ts";
import { findRootOnly, findSystemPlaces } from "./system-places.ts";

export type HostPlaces = {
  readonly home: string | undefined;
  /** Programs, libraries and settings of the machine. */
  readonly system: readonly SeenPlace[];
  readonly links: readonly SeenLink[];
  /** Never seen as they are, also where they lie in what is seen. */
  readonly emptied: readonly string[];
  /** Tool chains, which lie elsewhere. */
  readonly tools: readonly SeenPlace[];
  /** Downloaded packages; seen where new ones cannot be had. */
  readonly caches: readonly SeenPlace[];
  readonly hidden: readonly HiddenPath[];
};

export type HostOptions = {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether the command will run as root, to whom every file of root is open. */
  readonly isRoot: boolean;
  /** What else shall be emptied. */
  readonly emptied: readonly string[];
  /** Emptied also where they lie in a project that is shown. */
  readonly closed: readonly string[];
  /** A folder of PATH that lies in it is the project's own, and opens nothing. */
  readonly project?: string | undefined;
};

const EMPTIED = ["/home", "/root", "/run", "/var/run", "/tmp", "/var/tmp"];

/** Below a home. Of those that also hold keys, only the programs. */
const TOOLS = [
  ".nvm",
  ".fnm",
  ".nodenv",
  ".volta",
  ".asdf",
  ".proto",
  ".local/bin",
  ".local/lib",
  ".local/share/fnm",
  ".local/share/mise",
  ".local/share/rtx",
  ".local/share/uv",
  ".local/share/pipx",
  ".local/pipx",
  ".local/share/pnpm",
  ".cargo/bin",
  ".rustup",
  ".pyenv",
  ".rye/shims",
  ".rye/py",
  ".rye/self",
  ".pixi/bin",
  ".pixi/envs",
  "miniconda3",
  "miniforge3",
  "anaconda3",
  ".rbenv",
  ".rvm",
  ".gem/ruby",
  ".local/share/gem",
  ".sdkman",
  ".goenv",
  ".deno/bin",
  ".bun/bin",
  ".yarn/bin",
  ".config/yarn/global",
  ".config/composer/vendor",
  ".dotnet",
  ".jenv",
  ".ghcup",
  ".cabal/bin",
  ".opam",
  ".elan",
  ".juliaup",
  ".swiftly",
  ".npm-global",
  "bin",
  "go/bin",
  "sdk",
];

const CACHES = [
  ".cargo/registry",
  ".cargo/git",
  "go/pkg/mod",
  ".m2/repository",
  ".npm/_cacache",
  ".cache/pip",
  ".cache/ms-playwright",
];

/** Variables that name the folder of a tool chain, with the parts of it that hold programs and no keys. */
const NAMED_TOOLS: readonly (readonly [variable: string, parts: readonly string[]])[] = [
  ["NVM_DIR", [""]],
  ["FNM_DIR", [""]],
  ["VOLTA_HOME", [""]],
  ["PNPM_HOME", [""]],
  ["PYENV_ROOT", [""]],
  ["ASDF_DIR", [""]],
  ["ASDF_DATA_DIR", [""]],
  ["MISE_DATA_DIR", [""]],
  ["UV_PYTHON_INSTALL_DIR", [""]],
  ["UV_TOOL_DIR", [""]],
  ["RBENV_ROOT", [""]],
  ["SDKMAN_DIR", [""]],
  ["RUSTUP_HOME", [""]],
  ["CARGO_HOME", ["bin"]],
  ["DENO_INSTALL_ROOT", ["bin"]],
  ["BUN_INSTALL", ["bin"]],
  ["GOROOT", [""]],
  ["GOPATH", ["bin"]],
  ["JAVA_HOME", [""]],
  ["DOTNET_ROOT", [""]],
];

/** What host places depend on of the environment. */
export const HOST_VARIABLES: readonly string[] = [
  "HOME",
  "PATH",
  "TMPDIR",
  "XDG_RUNTIME_DIR",
  "RETINUE_HOME",
  ...NAMED_TOOLS.map(([variable]) => variable),
];

export const findHostPlaces = async (options: HostOptions): Promise<HostPlaces> => {
  const { environment, isRoot, emptied: more, closed, project } = options;
  const given = await realFolder(environment["HOME"]);
  // A home at the root of everything is none.
  const home = given === "/" ? undefined : given;
  const system = await findSystemPlaces();
  const emptied: string[] = [];
  for (const folder of [
    ...EMPTIED,
    home,
    environment["TMPDIR"],
    environment["XDG_RUNTIME_DIR"],
    environment["RETINUE_HOME"],
    ...more,
  ]) {
    const real = await realFolder(folder);
    if (real !== undefined && real !== "/" && !emptied.some((other) => isInside(other, real))) emptied.push(real);
  }
  for (const folder of closed) {
    const real = await realFolder(folder);
    if (real !== undefined && !emptied.includes(real)) emptied.push(real);
  }
  const search: PathSearch = { project, home, tooMuch: [...emptied, ...(home === undefined ? [] : [home])], system: system.seen };
  const tools = [
    ...(await below(home, TOOLS)),
    ...(await findNamedTools(environment, search)),
    ...(await findPathFolders(environment["PATH"], search)),
  ];
  const linked = await findLinkedPrograms([...FOLDERS_OF_PROGRAMS, ...toBinFolders(tools, home)], {
    ...search,
    system: [...system.seen, ...tools],
  });
  const chosen = withoutNested([...tools, ...linked]);
  return {
    home,
    system: system.seen,
    links: [...system.links, ...(await linksTo(environment["HOME"]))],
    emptied,
    tools: chosen,
    caches: await below(home, CACHES),
    hidden: isRoot ? await findRootOnly([...system.seen, ...chosen]) : [],
  };
};

const below = async (home: string | undefined, names: readonly string[]): Promise<readonly SeenPlace[]> => {
  if (home === undefined) return [];
  const found = await Promise.all(names.map((name) => realFolder(path.join(home, name))));
  return found.flatMap((folder) => (folder !== undefined && isInside(home, folder) ? { from: folder, at: folder } : []));
};

const withoutNested = (places: readonly SeenPlace[]): readonly SeenPlace[] =>
  places.filter(({ at }, index) => !places.some((other, place) => (other.at === at ? place < index : isInside(other.at, at))));

const realFolder = async (folder: string | undefined): Promise<string | undefined> => {
  if (folder === undefined || !path.isAbsolute(folder)) return undefined;
  const real = await realpath(folder).catch(() => undefined);
  return real !== undefined && (await stat(real)).isDirectory() ? real : undefined;
};

/** The links on the way to a path that is not real. */
const linksTo = async (named: string | undefined): Promise<readonly SeenLink[]> => {
  if (named === undefined || !path.isAbsolute(named)) return [];
  const names = path.normalize(named).split(path.sep).slice(1);
  for (let depth = 2; depth <= names.length; depth += 1) {
    const at = path.join("/", ...names.slice(0, depth));
    if (!((await lstat(at).catch(() => undefined))?.isSymbolicLink() ?? false)) continue;
    const rest = path.join(await realpath(path.dirname(at)), await readlink(at).catch(() => ""));
    return [{ at: path.join(await realpath(path.dirname(at)), path.basename(at)), to: await realpath(at).catch(() => rest) }];
  }
  return [];
};

type PathSearch = {
  readonly project: string | undefined;
  readonly home: string | undefined;
  /** What no tool chain is, and what none holds. */
  readonly tooMuch: readonly string[];
  readonly system: readonly SeenPlace[];
};

const isSeenIn = (file: string, places: readonly SeenPlace[]): boolean => places.some(({ at }) => isInside(at, file));

/** All of a home, of what is emptied or of a disk is no folder of programs. */
const isTooMuch = (folder: string, { tooMuch }: PathSearch): boolean =>
  path.dirname(folder) === "/" || tooMuch.some((other) => isInside(folder, other));

const findNamedTools = async (environment: HostOptions["environment"], search: PathSearch): Promise<readonly SeenPlace[]> => {
  const found: SeenPlace[] = [];
  for (const [variable, parts] of NAMED_TOOLS)
    for (const part of parts) {
      const value = environment[variable];
      const folder = await realFolder(value === undefined ? undefined : path.join(value, part));
      if (folder === undefined || isSeenIn(folder, search.system) || isTooMuch(folder, search)) continue;
      if (search.project === undefined || !isInside(search.project, folder)) found.push({ from: folder, at: folder });
    }
  return found;
};

/** Folders of PATH that are not the system's; with `…/bin` comes the folder it belongs to, where that is the folder of one program. */
const findPathFolders = async (value: string | undefined, search: PathSearch): Promise<readonly SeenPlace[]> => {
  const found: SeenPlace[] = [];
  for (const folder of (value ?? "").split(path.delimiter)) {
    const from = await realFolder(folder);
    if (from === undefined || (search.project !== undefined && isInside(search.project, path.normalize(folder)))) continue;
    const at = await withoutTopLink(path.normalize(folder).replace(/(?<=.)\/+$/, ""));
    if (isSeenIn(from, search.system) && isSeenIn(at, search.system)) continue;
    if (isTooMuch(from, search) || isTooMuch(at, search)) continue;
    const isWhole = path.basename(from) === "bin" && path.basename(at) === "bin" && (await isProgram(path.dirname(from)));
    found.push(isWhole ? { from: path.dirname(from), at: path.dirname(at) } : { from, at });
  }
  return found;
};

/** A link at the top of the machine is made again inside, so that nothing can be mounted below its name. */
const withoutTopLink = async (named: string): Promise<string> => {
  const [, top = "", ...rest] = named.split(path.sep);
  return path.join(await realpath(`/${top}`).catch(() => `/${top}`), ...rest);
};

/** A folder of one program has a `lib` beside its `bin`, and nothing that is hidden from a listing. */
const isProgram = async (folder: string): Promise<boolean> => {
  const names = await readdir(folder).catch((): string[] => []);
  return names.includes("lib") && !names.some((name) => name.startsWith("."));
};

const FOLDERS_OF_PROGRAMS = ["/usr/bin", "/usr/local/bin", "/snap/bin"];

/** Only of a home: who writes there is the user. */
const toBinFolders = (tools: readonly SeenPlace[], home: string | undefined): readonly string[] =>
  home === undefined ? [] : tools.map(({ from }) => from).filter((from) => from.endsWith("bin") && isInside(home, from));

/** Programs that the system or the user has linked from elsewhere, such as `/usr/bin/chrome` from `/opt`. */
const findLinkedPrograms = async (folders: readonly string[], search: PathSearch): Promise<readonly SeenPlace[]> => {
  const found = new Map<string, SeenPlace>();
  for (const folder of folders) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const targets = await Promise.all(
      entries
        .filter((entry) => entry.isSymbolicLink())
        .map((entry) => realpath(path.join(folder, entry.name)).catch(() => undefined)),
    );
    for (const target of targets) {
      if (target === undefined || isSeenIn(target, search.system) || [...found.keys()].some((place) => isInside(place, target)))
        continue;
      const place = await toProgramPlace(target, search);
      if (place !== undefined) found.set(place, { from: place, at: place });
    }
  }
  return [...found.values()];
};

/** The folder of the program where that holds nothing else, otherwise the file alone. */
const toProgramPlace = async (target: string, search: PathSearch): Promise<string | undefined> => {
  if (!(await stat(target)).isFile()) return undefined;
  const folder = path.dirname(target);
  const above = path.dirname(folder);
  if (path.basename(folder) === "bin" && !isTooMuch(above, search) && (await isProgram(above))) return above;
  const names = await readdir(folder).catch((): string[] => []);
  const isOwn = isInside("/opt", above) && !isTooMuch(folder, search) && !names.some((name) => name.startsWith("."));
  return isOwn ? folder : target;
};
