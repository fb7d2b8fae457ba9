/**
 * Folders of this machine that belong to Retinue itself: settings, trust, kept rules, records. No agent reads or writes them, wherever they lie and
 * whatever they are called.
 */
import { realpathSync } from "node:fs";
import path from "node:path";
import { isInside } from "@retinue/runtime";

/** Real paths, with how often each was named. */
const folders = new Map<string, number>();

/** Returns what takes the folder out again. */
export const keepPrivate = (folder: string): (() => void) => {
  const real = toReal(path.resolve(folder));
  folders.set(real, (folders.get(real) ?? 0) + 1);
  let isKept = true;
  return () => {
    if (!isKept) return;
    isKept = false;
    const left = (folders.get(real) ?? 1) - 1;
    if (left === 0) folders.delete(real);
    else folders.set(real, left);
  };
};

export const privateFolders = (): readonly string[] => [...folders.keys()];

/** Whether a real path is private to whoever works in a workspace. A worktree that lies in such a folder is open to the run that works there. */
export const isPrivate = (real: string, workspace: string): boolean => {
  for (const folder of folders.keys()) if (isInside(folder, real) && !isInside(folder, workspace)) return true;
  return false;
};

/** Of a folder that does not exist yet, by the nearest one above it that does. */
const toReal = (folder: string): string => {
  try {
    return realpathSync(folder);
  } catch {
    const above = path.dirname(folder);
    return above === folder ? folder : path.join(toReal(above), path.basename(folder));
  }
};
