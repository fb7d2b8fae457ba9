/** Files in memory, and worktrees of them: what a run does in its worktree comes into the workspace by a merge, as with git. */
import type { MergeConflict, PlannedChange, RunId } from "@retinue/protocol";
import type { RunWorktree, Worktrees } from "@retinue/runtime";
import { toFileVersion } from "@retinue/runtime";

type Files = Map<string, string>;

/** Everything that stays when a process is gone. */
export type MemoryDisk = {
  /** By folder. */
  readonly folders: Map<string, Files>;
  readonly commits: Map<string, { readonly base: Files; readonly changed: Files }>;
  readonly made: Map<RunId, RunWorktree>;
};

export const createMemoryDisk = (): MemoryDisk => ({ folders: new Map(), commits: new Map(), made: new Map() });

export const copyDisk = ({ folders, commits, made }: MemoryDisk): MemoryDisk => ({
  folders: new Map([...folders].map(([folder, files]) => [folder, new Map(files)])),
  commits: new Map(commits),
  made: new Map(made),
});

export const filesOf = ({ folders }: MemoryDisk, folder: string): Files => {
  let files = folders.get(folder);
  if (!files) folders.set(folder, (files = new Map()));
  return files;
};

const versionOf = (text: string | undefined): string | null =>
  text === undefined ? null : toFileVersion("100644", Buffer.from(text).toString("hex"));

const textOf = (version: string): string => Buffer.from(version.split(" ")[1] ?? "", "hex").toString();

export const createMemoryWorktrees = (disk: MemoryDisk): Worktrees => ({
  place: async (workspace, name) => {
    const folder = `/worktrees/${name}`;
    return { workspace: folder, worktree: { folder, of: workspace } };
  },
  make: async (of) => {
    const base = new Map(filesOf(disk, of.of));
    disk.folders.set(of.folder, new Map(base));
    disk.made.set(of.runId, of);
    disk.commits.set(`base of ${of.runId}`, { base, changed: new Map() });
    return `base of ${of.runId}`;
  },
  exists: async ({ runId }) => disk.made.has(runId),
  keep: async (of, base) => {
    const before = disk.commits.get(base)?.base ?? new Map<string, string>();
    const changed = new Map([...filesOf(disk, of.folder)].filter(([file, text]) => before.get(file) !== text));
    if (changed.size === 0) return { commit: null, unkept: [] };
    disk.commits.set(`work of ${of.runId}`, { base: before, changed });
    return { commit: `work of ${of.runId}`, unkept: [] };
  },
  plan: async (of, { commit }) => {
    const { base, changed } = disk.commits.get(commit) ?? { base: new Map<string, string>(), changed: new Map<string, string>() };
    const changes: PlannedChange[] = [];
    const conflicts: MergeConflict[] = [];
    for (const [file, text] of changed) {
      const now = filesOf(disk, of.of).get(file);
      if (now === text) continue;
      if (now !== base.get(file)) conflicts.push({ path: file, reason: "it was changed meanwhile" });
      else changes.push({ path: file, from: versionOf(now), to: versionOf(text) });
    }
    return { changes, conflicts };
  },
  merge: async (of, { changes, conflicts }) => {
    const [created, modified]: [string[], string[]] = [[], []];
    const met: MergeConflict[] = [...conflicts];
    for (const { path, from, to } of changes) {
      const now = versionOf(filesOf(disk, of.of).get(path));
      if (now !== from && now !== to) met.push({ path, reason: "it was changed while it was being merged" });
      else {
        if (to !== null) filesOf(disk, of.of).set(path, textOf(to));
        (from === null ? created : modified).push(path);
      }
    }
    return { created, modified, deleted: [], conflicts: met };
  },
  remove: async ({ runId, folder }) => {
    disk.made.delete(runId);
    disk.folders.delete(folder);
  },
  list: async () => [...disk.made.values()],
});
