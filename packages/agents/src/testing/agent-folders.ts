/** A home, a folder of Retinue and a project of their own for a test, filled from the fixtures or by hand. */
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { LoadOptions } from "../load-agents.ts";
import type { LoadedAgents } from "../catalogue.ts";
import { loadAgents } from "../load-agents.ts";

export const FIXTURES = fileURLToPath(new URL("../../fixtures/", import.meta.url));

export type AgentFolders = {
  readonly homeDir: string;
  readonly userDir: string;
  readonly projectDir: string;
  /** Writes a file below the root, as in `project/.claude/agents/a.md`. */
  readonly write: (file: string, content: string | Uint8Array) => Promise<string>;
  /** Copies a fixture, a file or a folder, to below the root. */
  readonly copy: (fixture: string, to: string) => Promise<void>;
  readonly load: (options?: LoadOptions) => Promise<LoadedAgents>;
  /** The problems of a load, as `file:line severity message` without the root. */
  readonly problems: (loaded: LoadedAgents) => readonly string[];
  readonly dispose: () => Promise<void>;
};

export const createAgentFolders = async (): Promise<AgentFolders> => {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-agents-")));
  const homeDir = path.join(root, "home");
  const userDir = path.join(root, "user");
  const projectDir = path.join(root, "project");
  for (const folder of [homeDir, userDir, projectDir]) await mkdir(folder);
  return {
    homeDir,
    userDir,
    projectDir,
    write: async (file, content) => {
      const target = path.join(root, file);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, content);
      return target;
    },
    copy: (fixture, to) => cp(path.join(FIXTURES, fixture), path.join(root, to), { recursive: true }),
    load: (options = {}) => loadAgents({ homeDir, userDir, projectDir, ...options }),
    problems: ({ problems }) =>
      problems.map(({ file, line, severity, message }) =>
        `${file}:${line} ${severity} ${message}`.replaceAll(`${root}${path.sep}`, ""),
      ),
    dispose: () => rm(root, { recursive: true, force: true }),
  };
};
