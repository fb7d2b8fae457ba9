/**
 * Where an opened file or folder really lies, and whether an agent may see it there. Names found earlier prove nothing: somebody may have swapped a
 * link in since policy judged them, but an open descriptor stays what it is.
 */
import { existsSync, readlinkSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { readlink, realpath } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { isInside } from "@retinue/runtime";
import type { IsSecret } from "../git/secret-paths.ts";
import { createSecretCheck } from "../git/secret-paths.ts";
import { isPrivate } from "./private-folders.ts";

/** Whether the system tells where an open file lies. */
export const HAS_DESCRIPTORS = existsSync("/proc/self/fd");

/** What an open file is reached by, whatever happens to its path. */
export const toDescriptorPath = (number: number): string => `/proc/self/fd/${number}`;

/** Without /proc, where the path leads now. */
export const realPlaceOf = (handle: FileHandle, absolute: string): Promise<string> =>
  HAS_DESCRIPTORS ? readlink(toDescriptorPath(handle.fd)) : realpath(absolute);

export type Seen = {
  /** Absolute and real. */
  readonly workspace: string;
  /** As the model reads it. */
  readonly shown: string;
  /** Of paths relative to the workspace; by default whatever is a secret by its name. */
  readonly isSecret?: IsSecret;
};

const isSecretByName = createSecretCheck();

/** Throws where the place is outside the workspace or a secret. */
export const requireSeen = (real: string, { workspace, shown, isSecret = isSecretByName }: Seen): void => {
  if (!isInside(workspace, real)) throw new RetinueError("path_outside_workspace", `${shown} leads out of the workspace.`);
  if (isPrivate(real, workspace))
    throw new RetinueError("path_protected", `${shown} belongs to Retinue itself; agents neither read nor write it.`);
  if (isSecret(path.relative(workspace, real).split(path.sep).join("/")))
    throw new RetinueError("path_protected", `${shown} is or leads to a secret; agents neither read nor write it.`);
};

/** Whether an open file lies just where its name says, or in just that folder, no link on the way. True where the system does not tell. */
export const liesAt = (number: number, absolute: string, what: "file" | "folder" = "file"): boolean => {
  if (!HAS_DESCRIPTORS) return true;
  const real = readlinkSync(toDescriptorPath(number));
  return (what === "file" ? real : path.dirname(real)) === absolute;
};
