/** What `AGENTS.md` and `CLAUDE.md` files say: to agents that are given them from the start, and to whoever of them enters a folder with some of its own. */
import type { Instructions, LoadedInstructions, ProjectFolders } from "@retinue/agents";
import { describeInstructions, describeOne, INSTRUCTION_FILES, loadFolderInstructions, loadInstructions } from "@retinue/agents";
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import type { Hooks } from "@retinue/runtime";
import { isInside, protectionOf } from "@retinue/runtime";
import { realpath, stat } from "node:fs/promises";
import path from "node:path";

export type ProjectInstructions = {
  readonly files: readonly Instructions[];
  readonly problems: readonly string[];
  /** The same agents; those that are given instructions have them in their prompts. */
  readonly instruct: (agents: ReadonlyMap<string, AgentDefinition>) => ReadonlyMap<string, AgentDefinition>;
  /** Tells those of a folder below the workspace to agents that are given instructions, when they work in it. */
  readonly hooksFor: (agents: () => ReadonlyMap<string, AgentDefinition>) => Hooks;
  /** Files of the workspace that instructions read so far import, real: no command writes them. */
  readonly imported: () => readonly string[];
  /** Whether instructions import a file, or would if it were there; those of the folders on the way to it are read for that. */
  readonly isImported: (file: string) => Promise<boolean>;
};

export type ProjectInstructionOptions = {
  readonly project: ProjectFolders;
  readonly folder: string;
  readonly userDir: string;
  readonly homeDir?: string | undefined;
  readonly configDir?: string | undefined;
  /** Said by whoever opened the workspace, to every agent. */
  readonly given?: string | undefined;
};

export const readProjectInstructions = async (options: ProjectInstructionOptions): Promise<ProjectInstructions> => {
  const { project, folder, given = "" } = options;
  const imports = createImports(folder);
  const { files, problems, ...loaded } = await loadInstructions({ ...options, folders: project.folders });
  await imports.add(loaded);
  const ofFolder = createFolderReader(project.root, folder, imports.add);
  const ofProject = describeInstructions(files, folder);
  return {
    files,
    problems: problems.map(({ file, line, message }) => `${file}:${line}: ${message}`),
    instruct: (agents) => {
      if (ofProject === "" && given.trim() === "") return agents;
      return new Map(
        [...agents].map(([name, agent]) => {
          const parts = [agent.prompt.trim(), ...(agent.instructions ? [ofProject] : []), given.trim()].filter(
            (part) => part !== "",
          );
          return [name, { ...agent, prompt: parts.join("\n\n") }];
        }),
      );
    },
    hooksFor: (agents) => ({
      inform: async ({ agent }, paths, workspace) => {
        if (agents().get(agent)?.instructions !== true) return [];
        const below = new Set(paths.flatMap((touched) => foldersBelow(workspace, path.resolve(workspace, touched))));
        const pieces = await Promise.all([...below].toSorted().map(ofFolder));
        return pieces.flat();
      },
    }),
    imported: imports.all,
    isImported: async (file) => {
      for (const below of foldersBelow(folder, path.dirname(file))) await ofFolder(below).catch(() => []);
      return imports.has(file);
    },
  };
};

type Imports = Pick<LoadedInstructions, "imported" | "missing">;

/** What instructions import of the workspace. A file that is protected by its name stays as it is: `package.json` is imported to be told, not to be kept. */
const createImports = (folder: string) => {
  const all = new Set<string>();
  const named = new Set<string>();
  const isOwn = (file: string): boolean =>
    isInside(folder, file) && protectionOf(path.relative(folder, file).split(path.sep).join("/")) === undefined;
  return {
    add: async ({ imported, missing }: Imports): Promise<void> => {
      for (const file of [...imported, ...missing].filter(isOwn)) named.add(file);
      for (const file of imported) {
        const real = await realpath(file).catch(() => file);
        if (isOwn(real)) all.add(real);
      }
    },
    all: (): readonly string[] => [...all],
    has: (file: string): boolean => all.has(file) || named.has(file),
  };
};

type Read = { readonly pieces: readonly string[]; readonly imported: readonly string[]; readonly version: string };

/** Read anew when a file of it was added, changed or taken away since; a look at a few files tells. */
const createFolderReader = (root: string, folder: string, onImports: (imports: Imports) => Promise<void>) => {
  const known = new Map<string, Read>();
  return async (below: string): Promise<readonly string[]> => {
    const before = known.get(below);
    const own = INSTRUCTION_FILES.map((name) => path.join(below, name));
    // Looked at before they are read: what changes meanwhile is read once more.
    const version = await versionOf(own);
    if (before && before.version === version + (await versionOf(before.imported))) return before.pieces;
    const { files, imported, missing } = await loadFolderInstructions(below, root);
    await onImports({ imported, missing });
    const pieces = files.map((file) => describeOne(file, folder));
    const others = [...imported, ...missing];
    known.set(below, { pieces, imported: others, version: version + (await versionOf(others)) });
    return pieces;
  };
};

/** Another one for other content. */
const versionOf = async (files: readonly string[]): Promise<string> => {
  const stats = await Promise.all(files.map(async (file) => stat(file, { bigint: true }).catch(() => undefined)));
  return stats.map((one) => (one ? `${one.ino}:${one.mtimeNs}:${one.size}` : "-")).join(" ");
};

/** The folders between the workspace and what is touched, without the workspace, and with what is touched, should it be one. */
const foldersBelow = (workspace: string, touched: string): readonly string[] => {
  const folders: string[] = [];
  for (let current = touched; current !== workspace && isInside(workspace, current); current = path.dirname(current))
    folders.push(current);
  return folders;
};
