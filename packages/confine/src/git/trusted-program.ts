/** Finds a program where the user keeps programs: in the absolute folders of PATH, and never inside the workspace, whatever stands there. */
import { access, constants, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { isInside } from "@retinue/runtime";

export type ProgramSearch = {
  readonly name: string;
  /** Absolute and real. */
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
};

const USUAL_FOLDERS = ["/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"];

/** The folders of PATH that lie outside the workspace, also after their links are followed. */
export const toTrustedFolders = async ({ workspace, environment }: Omit<ProgramSearch, "name">): Promise<readonly string[]> => {
  const named = (environment["PATH"] ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const folders: string[] = [];
  for (const folder of [...named, ...(process.platform === "win32" ? [] : USUAL_FOLDERS)]) {
    const real = await realpath(folder).catch(() => undefined);
    if (real !== undefined && !isInside(workspace, folder) && !isInside(workspace, real) && !folders.includes(folder))
      folders.push(folder);
  }
  return folders;
};

/** All of that name, in the order of PATH. */
export const findTrustedPrograms = async (search: ProgramSearch): Promise<readonly string[]> => {
  const name = process.platform === "win32" ? `${search.name}.exe` : search.name;
  const found: string[] = [];
  for (const folder of await toTrustedFolders(search)) {
    const file = path.join(folder, name);
    if (await isTrusted(file, search.workspace)) found.push(file);
  }
  return found;
};

const isTrusted = async (file: string, workspace: string): Promise<boolean> => {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile() && !isInside(workspace, await realpath(file));
  } catch {
    return false;
  }
};
