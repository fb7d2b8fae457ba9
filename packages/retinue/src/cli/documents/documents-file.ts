/** Where the index of documents lies, and paths as they are named on the command line. */
import { RetinueError } from "@retinue/protocol";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { retinueHome } from "../../settings/retinue-home.ts";
import type { SessionOptions } from "../session-options.ts";
import { toWorkspace } from "../session-options.ts";

export type DocumentsOptions = Pick<SessionOptions, "workspace"> & { readonly json?: boolean };

export const toDocumentsFile = (env: NodeJS.ProcessEnv): string => join(retinueHome(env), "documents.db");

export const toDocumentPaths = (paths: readonly string[], options: DocumentsOptions): readonly string[] => {
  const workspace = toWorkspace(options);
  return paths.map((path) => resolve(workspace, path));
};

/** All are looked at before the first is read. */
export const requireThere = (paths: readonly string[]): void => {
  const missing = paths.filter((path) => !existsSync(path));
  if (missing.length > 0)
    throw new RetinueError("usage", `There is no ${missing.join(", and no ")}.`, { hint: "Name files or folders that exist." });
};
