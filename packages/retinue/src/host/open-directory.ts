/** Finds the folder that a sub-agent is to work in: one that really lies in the workspace, and is no secret and no part of git. */
import { stat } from "node:fs/promises";
import path from "node:path";
import type { HostPorts } from "@retinue/engine";
import { RetinueError } from "@retinue/protocol";
import { isInside, protectionOf } from "@retinue/runtime";
import { realPath } from "../system-ports.ts";

export type DirectoryRules = {
  /** Globs of protected paths that the user has set free. */
  readonly unprotected: readonly string[];
};

export const createOpenDirectory =
  ({ unprotected }: DirectoryRules): NonNullable<HostPorts["openDirectory"]> =>
  async (named, workspace) => {
    const real = await realPath(path.resolve(workspace, named));
    const directory = path.relative(workspace, real).split(path.sep).join("/");
    if (!isInside(workspace, real)) throw refused(named, `it is ${real}, which is outside the workspace ${workspace}`);
    const stats = await stat(real).catch(() => undefined);
    if (stats?.isDirectory() !== true) throw refused(named, "there is no such folder");
    const protection = protectionOf(directory);
    if (protection) throw refused(named, `it is ${protection.why}`);
    // They are written from the workspace on; read from a folder below, they would free other files than the user meant.
    if (directory !== "" && unprotected.length > 0)
      throw refused(named, "the user has set protected paths free (`unprotected`), which hold for the workspace as a whole");
    return directory;
  };

const refused = (named: string, why: string): RetinueError =>
  new RetinueError("directory_refused", `No sub-agent works in ${JSON.stringify(named)}: ${why}.`);
