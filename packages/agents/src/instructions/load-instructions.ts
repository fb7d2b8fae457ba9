/**
 * Finds what was written for whoever works in a project: `AGENTS.md`, `CLAUDE.md` and what they import, the user's first, then from the project's
 * root down. They are text: nothing in them gives a right.
 */
import path from "node:path";
import { placesOf } from "@retinue/runtime";
import type { Problem } from "../problem.ts";
import { readContextSource } from "../source-files.ts";
import { findImports } from "./find-imports.ts";

export type Instructions = {
  readonly file: string;
  readonly text: string;
  readonly origin: "user" | "project";
};

export type InstructionOptions = {
  /** From the project's root down to the workspace. */
  readonly folders: readonly string[];
  /** The user's folder of Retinue. */
  readonly userDir?: string | undefined;
  readonly homeDir?: string | undefined;
  /** Where other programs keep the user's settings; `.config` in the home by default. */
  readonly configDir?: string | undefined;
};

export type LoadedInstructions = {
  readonly files: readonly Instructions[];
  /** What they import and could be read, however often its text was told. */
  readonly imported: readonly string[];
  /** What they would import if it could be read. */
  readonly missing: readonly string[];
  readonly problems: readonly Problem[];
};

/** Of a folder, in this order. */
export const INSTRUCTION_FILES: readonly string[] = placesOf("instructions").map(({ at }) => at);

const DEEPEST_IMPORT = 5;
const MOST_FILES = 100;

export const loadInstructions = async (options: InstructionOptions): Promise<LoadedInstructions> => {
  const { folders, userDir, homeDir, configDir = homeDir && path.join(homeDir, ".config") } = options;
  const reader = createReader(homeDir);
  const own = [
    ...(userDir === undefined ? [] : [path.join(userDir, "AGENTS.md")]),
    ...(homeDir === undefined ? [] : [path.join(homeDir, ".claude", "CLAUDE.md")]),
    ...(configDir === undefined ? [] : [path.join(configDir, "opencode", "AGENTS.md")]),
  ];
  for (const file of own) await reader.read({ file, origin: "user", depth: 0 });
  const [root] = folders;
  for (const folder of folders)
    for (const name of INSTRUCTION_FILES)
      await reader.read({ file: path.join(folder, name), origin: "project", inside: root, depth: 0 });
  return toLoaded(reader);
};

/** Of one folder below the workspace, for work that enters it. */
export const loadFolderInstructions = async (folder: string, root: string): Promise<LoadedInstructions> => {
  const reader = createReader(undefined);
  for (const name of INSTRUCTION_FILES)
    await reader.read({ file: path.join(folder, name), origin: "project", inside: root, depth: 0 });
  return toLoaded(reader);
};

const toLoaded = ({ files, imported, missing, problems }: LoadedInstructions): LoadedInstructions => ({
  files,
  imported,
  missing,
  problems,
});

type Wanted = {
  readonly file: string;
  readonly origin: "user" | "project";
  /** Nothing that leads out of here is read. */
  readonly inside?: string | undefined;
  readonly depth: number;
  /** The file that imports it; a file that nobody imports may be missing. */
  readonly importedBy?: string;
};

const createReader = (homeDir: string | undefined) => {
  const files: Instructions[] = [];
  const imported: string[] = [];
  const missing: string[] = [];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  const texts = new Set<string>();

  const read = async (wanted: Wanted): Promise<void> => {
    const { file, origin, inside, depth, importedBy } = wanted;
    if (seen.has(file)) return;
    seen.add(file);
    const warn = (message: string): void =>
      void problems.push({
        file: importedBy ?? file,
        line: 1,
        severity: "warning",
        message: importedBy === undefined ? message : `@${path.basename(file)}: ${message}`,
      });
    if (files.length >= MOST_FILES) return warn(`there are more than ${MOST_FILES} files of instructions; it is left out`);
    let text: string | undefined;
    try {
      text = await readContextSource(file, inside);
    } catch (thrown) {
      if (importedBy !== undefined) missing.push(file);
      return warn(thrown instanceof Error ? thrown.message : "it cannot be read");
    }
    if (importedBy !== undefined) (text === undefined ? missing : imported).push(file);
    if (text === undefined) {
      // A word with an @ is often no import, so that only what looks like a file is missed.
      if (importedBy !== undefined && /\.\w{1,8}$/.test(file)) warn("it does not exist");
      return;
    }
    const trimmed = text.replace(/^\uFEFF/, "").trim();
    // A copy or a link of another one is told once.
    if (trimmed !== "" && !texts.has(trimmed)) {
      texts.add(trimmed);
      files.push({ file, text: trimmed, origin });
    }
    if (depth >= DEEPEST_IMPORT) return;
    for (const name of findImports(trimmed)) {
      const target = toTarget(name, file, homeDir);
      if (target !== undefined) await read({ file: target, origin, inside, depth: depth + 1, importedBy: file });
    }
  };
  return { read, files, imported, missing, problems };
};

const toTarget = (name: string, from: string, homeDir: string | undefined): string | undefined => {
  if (!name.startsWith("~/")) return path.resolve(path.dirname(from), name);
  return homeDir === undefined ? undefined : path.join(homeDir, name.slice(2));
};
