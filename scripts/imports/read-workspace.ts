/** Reads the packages of a workspace: their manifests, what they export, and their source files with what those import. */
import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { type ImportReference, readImports } from "./read-imports.ts";

export type SourceFile = { readonly file: string; readonly imports: readonly ImportReference[] };

export type WorkspacePackage = {
  readonly name: string;
  /** The name of its folder below `packages/`. */
  readonly room: string;
  /** From an exported entry (`""` for the main one) to the file it names, relative to the repository. */
  readonly entries: ReadonlyMap<string, string>;
  readonly dependencies: ReadonlySet<string>;
  readonly devDependencies: ReadonlySet<string>;
  readonly files: readonly SourceFile[];
};

export type Workspace = { readonly packages: readonly WorkspacePackage[]; readonly devDependencies: ReadonlySet<string> };

type Manifest = {
  readonly name?: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
};

const SOURCES = "**/*.{ts,mts,cts,tsx,js,mjs,cjs,jsx}";
/** Fixtures are data; they may be as wrong as a test needs them. */
const LEFT_OUT = new Set(["node_modules", "dist", "fixtures"]);

// The shape is npm's own; a manifest that breaks it fails `npm ci` long before this.
const readManifest = (file: string): Manifest => JSON.parse(readFileSync(file, "utf8")) as Manifest;

/** Source files below a folder, as paths relative to the root, with forward slashes. */
export const listSources = (root: string, folder: string): string[] =>
  globSync(`${folder}/${SOURCES}`, { cwd: root, exclude: (entry) => LEFT_OUT.has(path.basename(entry)) })
    .map((file) => file.split(path.sep).join("/"))
    .toSorted();

const readPackage = (root: string, room: string): WorkspacePackage => {
  const folder = `packages/${room}`;
  const manifest = readManifest(path.join(root, folder, "package.json"));
  return {
    name: manifest.name ?? room,
    room,
    entries: new Map(
      Object.entries(manifest.exports ?? {}).map(([entry, file]) => [entry.replace(/^\.\/?/, ""), path.posix.join(folder, file)]),
    ),
    dependencies: new Set(
      Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies, ...manifest.optionalDependencies }),
    ),
    devDependencies: new Set(Object.keys(manifest.devDependencies ?? {})),
    files: listSources(root, folder).map((file) => ({
      file,
      imports: readImports(file, readFileSync(path.join(root, file), "utf8")),
    })),
  };
};

export const readWorkspace = (root: string): Workspace => ({
  packages: globSync("packages/*", { cwd: root })
    .map((folder) => path.basename(folder))
    .filter((room) => existsSync(path.join(root, "packages", room, "package.json")))
    .toSorted()
    .map((room) => readPackage(root, room)),
  devDependencies: new Set(Object.keys(readManifest(path.join(root, "package.json")).devDependencies ?? {})),
});
