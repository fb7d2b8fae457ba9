/** Where a project begins, as its manifests and the usual names of files tell. */
import path from "node:path";
import { z } from "zod";
import type { TomlString } from "./toml-strings.ts";
import { readTomlStrings } from "./toml-strings.ts";

export type Manifest = {
  /** Relative to the folder that is looked at, with forward slashes. */
  readonly file: string;
  readonly text: string;
};

/** Names of manifests that are worth reading. */
export const isManifest = (file: string): boolean =>
  MANIFESTS.has(path.posix.basename(file)) || /\.(csproj|fsproj|sln|gemspec)$/.test(file);

const MANIFESTS: ReadonlySet<string> = new Set([
  "Cargo.toml",
  "Gemfile",
  "Makefile",
  "build.gradle",
  "build.gradle.kts",
  "composer.json",
  "deno.json",
  "go.mod",
  "package.json",
  "pom.xml",
  "pyproject.toml",
  "setup.py",
]);

/** One line for what a manifest says. */
export const describeManifest = ({ file, text }: Manifest): string => {
  const name = path.posix.basename(file);
  const said = READERS[name]?.(text) ?? [];
  return said.length === 0 ? file : `${file}: ${said.join("; ")}`;
};

/** Files that are an entry by their name alone. */
export const isEntryFile = (file: string): boolean =>
  /(^|\/)(cmd\/[^/]+\/main\.go|main\.(go|py|rs|c|cc|cpp|dart|swift)|__main__\.py|manage\.py|wsgi\.py|asgi\.py|src\/lib\.rs|src\/bin\/[^/]+\.rs)$/.test(
    file,
  ) ||
  /(^|\/)(Program\.cs|Main\.java|Application\.java|config\.ru|index\.php|index\.html|Dockerfile|docker-compose\.ya?ml)$/.test(
    file,
  ) ||
  /^(src\/)?(index|main|server|app|cli)\.[cm]?[jt]sx?$/.test(file);

const PACKAGE = z.object({
  name: z.string().optional().catch(undefined),
  main: z.string().optional().catch(undefined),
  module: z.string().optional().catch(undefined),
  bin: z
    .union([z.string(), z.record(z.string(), z.string())])
    .optional()
    .catch(undefined),
  exports: z.unknown().optional(),
  scripts: z.record(z.string(), z.string()).optional().catch(undefined),
  workspaces: z.unknown().optional(),
});

const MAX_SCRIPTS = 12;
const MAX_CHARS = 80;

const readPackage = (text: string): readonly string[] => {
  const read = PACKAGE.safeParse(parse(text));
  if (!read.success) return ["cannot be read"];
  const { name, main, module, bin, exports, scripts, workspaces } = read.data;
  const bins = typeof bin === "string" ? [bin] : Object.entries(bin ?? {}).map(([command, file]) => `${command} → ${file}`);
  const shownScripts = Object.entries(scripts ?? {}).map(([script, command]) => `${script} (${cut(command)})`);
  return [
    ...(name === undefined ? [] : [name]),
    ...(bins.length === 0 ? [] : [`bin ${bins.join(", ")}`]),
    ...((main ?? module) === undefined ? [] : [`main ${main ?? module}`]),
    ...(exports === undefined ? [] : [`exports ${cut(JSON.stringify(exports))}`]),
    ...(workspaces === undefined ? [] : [`workspaces ${cut(JSON.stringify(workspaces))}`]),
    ...(shownScripts.length === 0 ? [] : [`scripts ${shownScripts.slice(0, MAX_SCRIPTS).join(", ")}`]),
  ];
};

const readPyproject = (text: string): readonly string[] => {
  const strings = readTomlStrings(text);
  const name = valueOf(strings, "project.name") ?? valueOf(strings, "tool.poetry.name");
  const scripts = strings
    .filter(({ key }) => /^(project\.scripts|project\.gui-scripts|tool\.poetry\.scripts)\./.test(key))
    .map(({ key, value }) => `${key.slice(key.lastIndexOf(".") + 1)} → ${value}`);
  return [...(name === undefined ? [] : [name]), ...(scripts.length === 0 ? [] : [`scripts ${scripts.join(", ")}`])];
};

const readCargo = (text: string): readonly string[] => {
  const strings = readTomlStrings(text);
  const name = valueOf(strings, "package.name");
  const bins = strings.filter(({ key }) => key === "bin[].name").map(({ value }) => value);
  const isWorkspace = /^\s*\[workspace\]/m.test(text);
  return [
    ...(name === undefined ? [] : [name]),
    ...(bins.length === 0 ? [] : [`bin ${bins.join(", ")}`]),
    ...(isWorkspace ? ["workspace"] : []),
  ];
};

const readMakefile = (text: string): readonly string[] => {
  const targets = Array.from(text.matchAll(/^([A-Za-z][\w-]*)\s*:(?!=)/gm), ([, target]) => target ?? "");
  return targets.length === 0 ? [] : [`targets ${[...new Set(targets)].slice(0, MAX_SCRIPTS).join(", ")}`];
};

const readGoModule = (text: string): readonly string[] => {
  const [, name] = /^module\s+(\S+)/m.exec(text) ?? [];
  return name === undefined ? [] : [`module ${name}`];
};

const readComposer = (text: string): readonly string[] => {
  const read = PACKAGE.safeParse(parse(text));
  return read.success && read.data.name !== undefined ? [read.data.name] : [];
};

const READERS: Readonly<Record<string, (text: string) => readonly string[]>> = {
  "package.json": readPackage,
  "deno.json": readPackage,
  "composer.json": readComposer,
  "pyproject.toml": readPyproject,
  "Cargo.toml": readCargo,
  "go.mod": readGoModule,
  Makefile: readMakefile,
};

const valueOf = (strings: readonly TomlString[], key: string): string | undefined =>
  strings.find((each) => each.key === key)?.value;

const cut = (text: string): string => (text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS).toWellFormed()}…` : text);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
