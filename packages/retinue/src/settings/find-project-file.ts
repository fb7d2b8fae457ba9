/**
 * The project's settings file: the nearest one from the workspace up to the root of its git repository. Outside of a
 * repository only the workspace itself counts, since what lies above it may be anybody's.
 */
import { access, realpath } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SETTINGS_FILE } from "./retinue-home.ts";

const exists = async (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    (thrown: NodeJS.ErrnoException) => thrown.code !== "ENOENT" && thrown.code !== "ENOTDIR",
  );

/** `name`: the file to look for, as seen from a folder of the project. */
export const findProjectFile = async (workspace: string, name = SETTINGS_FILE): Promise<string | undefined> => {
  const start = await realpath(workspace).catch(() => workspace);
  const folders: string[] = [];
  let root = false;
  for (let folder = start; !root; folder = dirname(folder)) {
    folders.push(folder);
    root = await exists(join(folder, ".git"));
    if (dirname(folder) === folder) break;
  }
  for (const folder of root ? folders : [start]) {
    const file = join(folder, name);
    if (await exists(file)) return file;
  }
  return undefined;
};
