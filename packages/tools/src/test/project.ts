/** A folder that has tests of its own: what stands in it and in its manifest, as far as it tells how they are run. */
import { readdir } from "node:fs/promises";
import path from "node:path";
import { readPlainText } from "@retinue/confine";
import { z } from "zod";

const MANIFEST = z.object({
  workspaces: z.unknown().optional(),
  scripts: z.record(z.string(), z.string()).optional().catch(undefined),
  dependencies: z.record(z.string(), z.unknown()).optional().catch(undefined),
  devDependencies: z.record(z.string(), z.unknown()).optional().catch(undefined),
});

export type Project = {
  /** Absolute. */
  readonly folder: string;
  /** Names in the folder. */
  readonly names: ReadonlySet<string>;
  /** The npm script `test`, unless it is the one that npm puts there to say that there is none. */
  readonly testScript: string | undefined;
  readonly hasWorkspaces: boolean;
  /** Names of npm packages that it depends on, for development too. */
  readonly packages: ReadonlySet<string>;
  /** The text of a file in the folder; empty where there is none. */
  readonly read: (name: string) => string;
};

/** Files whose content says which runner is used, and what it runs. */
export const TELLING = [
  "package.json",
  "pyproject.toml",
  "setup.cfg",
  "tox.ini",
  "Makefile",
  "justfile",
  "Justfile",
  ".justfile",
  "Cargo.toml",
  "go.mod",
];
/** So many files of tests in Python are looked into. */
const MOST_PYTHON_FILES = 20;

const MOST_BYTES = 1024 * 1024;

export const readProject = async (folder: string): Promise<Project> => {
  const names = new Set(await readdir(folder).catch(() => []));
  const texts = new Map<string, string>();
  const python = [...names].filter((name) => /^test.*\.py$/.test(name)).slice(0, MOST_PYTHON_FILES);
  for (const name of [...TELLING, ...python])
    if (names.has(name)) texts.set(name, await readPlainText(path.join(folder, name), MOST_BYTES));
  const manifest = readManifest(texts.get("package.json"));
  const script = manifest.scripts?.["test"];
  return {
    folder,
    names,
    testScript: script === undefined || /no test specified/.test(script) ? undefined : script,
    hasWorkspaces: manifest.workspaces !== undefined,
    packages: new Set([...Object.keys(manifest.dependencies ?? {}), ...Object.keys(manifest.devDependencies ?? {})]),
    read: (name) => texts.get(name) ?? "",
  };
};

const readManifest = (text: string | undefined): z.infer<typeof MANIFEST> => {
  try {
    return MANIFEST.parse(JSON.parse(text ?? "{}"));
  } catch {
    return {};
  }
};
