/** The documents at and below a path: what ignore files exclude, hidden files and files of other kinds are left out of folders. */
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { toToolError } from "@retinue/confine";
import { listFiles } from "@retinue/confine";
import { toDocumentKind } from "./document-kind.ts";

export type DocumentFiles = {
  /** Absolute, links followed. */
  readonly root: string;
  readonly isFolder: boolean;
  readonly files: readonly string[];
};

export const listDocuments = async (named: string, signal: AbortSignal): Promise<DocumentFiles> => {
  let root: string;
  try {
    root = await realpath(path.resolve(named));
    if (!(await stat(root)).isDirectory()) return { root, isFolder: false, files: [root] };
  } catch (thrown) {
    throw toToolError(thrown, named);
  }
  const { files } = await listFiles(root, signal);
  const shown = files.filter(
    (file) => !file.split("/").some((part) => part.startsWith(".")) && toDocumentKind(file) !== undefined,
  );
  return { root, isFolder: true, files: shown.map((file) => path.join(root, file)) };
};
