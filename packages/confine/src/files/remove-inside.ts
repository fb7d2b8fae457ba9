/** Deletes a file below a root, and the folders that are empty then, as git does. No link is followed on the way there. */
import { rmdir, unlink } from "node:fs/promises";
import path from "node:path";
import { inFolderOf } from "./write-inside.ts";

export type InsideFile = { readonly root: string; readonly file: string };

export const removeInside = async ({ root, file }: InsideFile): Promise<void> => {
  await inFolderOf({ root, file, make: false }, (folder, name) => unlink(folder.at(name)));
  await removeEmptyFolders({ root, file });
};

export const removeEmptyFolders = async ({ root, file }: InsideFile): Promise<void> => {
  for (let folder = path.posix.dirname(file); folder !== "."; folder = path.posix.dirname(folder))
    if (!(await removeFolder(root, folder))) return;
};

/** False where it is not empty, or not there. */
export const removeFolder = (root: string, folder: string): Promise<boolean> =>
  inFolderOf({ root, file: folder, make: false }, (held, name) => rmdir(held.at(name))).then(
    () => true,
    () => false,
  );
