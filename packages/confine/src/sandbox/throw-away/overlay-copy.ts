/**
 * A throw-away copy by overlayfs: nothing is copied before, what a command changes is kept apart in a temporary folder by the kernel. The file system is
 * mounted in a namespace of the command alone, which needs no right of root.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, chown, lstat, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { isInside } from "@retinue/runtime";
import { MOUNT, UNSHARE } from "../../process/system-programs.ts";
import { createTemporaryFolder } from "../../process/temporary-folder.ts";
import { findOwner } from "../folder-owner.ts";
import { listTree } from "./list-tree.ts";
import { removeTree } from "./remove-tree.ts";
import type { StartedProgram, ThrowAwayCopy } from "./throw-away-copy.ts";

const run = promisify(execFile);

/** The workspace is named as the current folder, so that no character of its path means anything to mount. */
const mountAt = (at: string): string =>
  `${MOUNT} -t overlay overlay -o "userxattr,lowerdir=.,upperdir=${at}/up,workdir=${at}/work" "${at}/merged"`;
const ENTER = `cd "$2" && ${mountAt("$1")} && cd / || exit 125; shift 2; exec "$@"`;

const toNamespace = (script: string, words: readonly string[]): StartedProgram => ({
  file: UNSHARE,
  args: ["--user", "--map-root-user", "--mount", "--", "/bin/sh", "-c", script, "sh", ...words],
});

const makeParts = async (at: string, workspace: string): Promise<void> => {
  const { mode, uid, gid } = await lstat(workspace);
  for (const name of ["up", "work", "merged"]) await mkdir(path.join(at, name));
  // What is seen as the workspace has the rights of this folder.
  await chmod(path.join(at, "up"), mode & 0o7777);
  if (process.getuid?.() === 0)
    for (const part of [at, ...["up", "work", "merged"].map((name) => path.join(at, name))]) await chown(part, uid, gid);
};

export const openOverlayCopy = async (workspace: string): Promise<ThrowAwayCopy> => {
  const folder = createTemporaryFolder("copy");
  try {
    await makeParts(folder, workspace);
    const owner = await findOwner(workspace);
    const enter = ({ file, args }: StartedProgram): StartedProgram => toNamespace(ENTER, [folder, workspace, file, ...args]);
    const from = path.join(folder, "merged");
    return {
      kind: "overlay",
      from,
      written: path.join(folder, "up"),
      beneath: [],
      enter,
      isRootInside: true,
      before: undefined,
      list: () => listTree({ folder: from, enter, owner }),
      remove: () => removeTree(folder),
    };
  } catch (thrown) {
    await removeTree(folder);
    throw thrown;
  }
};

/** By workspace; what could be mounted once is believed. */
const known = new Map<string, Promise<boolean>>();

/** Found by doing it with this very workspace: kernels, file systems and containers differ in what they allow. */
export const canOverlay = async (workspace: string): Promise<boolean> => {
  // What is mounted in the workspace would not be seen in the copy.
  if (await holdsMounts(workspace)) return false;
  let tried = known.get(workspace);
  if (!tried) known.set(workspace, (tried = tryOverlay(workspace)));
  return tried;
};

const holdsMounts = async (workspace: string): Promise<boolean> => {
  const lines = (await readFile("/proc/self/mountinfo", "utf8").catch(() => "")).split("\n");
  return lines.some((line) => {
    const at = line.split(" ")[4]?.replaceAll(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
    return at !== undefined && at !== workspace && isInside(workspace, at);
  });
};

/** A folder that is removed and made again must be empty, which not every file system can keep. */
const TRY = [
  'cd "$2"',
  mountAt("$1"),
  'cd "$1/probe/lower"',
  mountAt("$1/probe"),
  'cd "$1/probe/merged"',
  "rm -r d && mkdir d && echo new > a && mv a b",
  '[ -z "$(ls d)" ] && [ "$(cat b)" = new ] && [ ! -e a ]',
].join(" && ");

const TIMEOUT_MS = 20_000;

const tryOverlay = async (workspace: string): Promise<boolean> => {
  const folder = createTemporaryFolder("copy");
  try {
    // The path stands in options of mount, where some characters separate them.
    if (/[^\w./-]/.test(folder) || !existsSync(UNSHARE) || !existsSync(MOUNT)) return false;
    const probe = path.join(folder, "probe");
    const lower = path.join(probe, "lower");
    await mkdir(path.join(lower, "d"), { recursive: true });
    await writeFile(path.join(lower, "a"), "old");
    await writeFile(path.join(lower, "d", "old"), "old");
    await makeParts(folder, workspace);
    await makeParts(probe, workspace);
    const owner = await findOwner(workspace);
    if (owner) for (const at of ["", "a", "d", "d/old"]) await chown(path.join(lower, at), owner.uid, owner.gid);
    const { file, args } = toNamespace(TRY, [folder, workspace]);
    await run(file, [...args], {
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
      timeout: TIMEOUT_MS,
      killSignal: "SIGKILL",
      ...owner,
    });
    return true;
  } catch {
    return false;
  } finally {
    await removeTree(folder);
  }
};
