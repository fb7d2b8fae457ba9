/** Root works in another's folder as that other, who owns what is made there. */
import { lstat } from "node:fs/promises";

export type Owner = { readonly uid: number; readonly gid: number };

/** Undefined where commands run as ourselves. */
export const findOwner = async (folder: string): Promise<Owner | undefined> => {
  if (process.getuid?.() !== 0) return undefined;
  const { uid, gid } = await lstat(folder);
  return uid === 0 ? undefined : { uid, gid };
};
