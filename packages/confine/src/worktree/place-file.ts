/**
 * Puts a file or a link of a merge in its place so that whoever looks finds the old one or the new one, whole: it is written beside, under a name that
 * only this run gives to it, and then takes its name at once. A process that was killed in between leaves no more than the file beside, which
 * the next one finds by its name and removes.
 */
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { constants, link, lstat, open, rename, symlink, unlink } from "node:fs/promises";
import { RetinueError } from "@retinue/protocol";
import { codeOf } from "../files/system-error.ts";
import type { HeldFolder } from "../files/write-inside.ts";
import { inFolderOf, writeInside } from "../files/write-inside.ts";

export type PlacedFile = {
  /** Absolute and real. */
  readonly root: string;
  /** Relative to the root, with forward slashes. */
  readonly file: string;
  /** The run whose merge it is. */
  readonly runId: string;
  /** Nothing stands in its place; should something stand there by now, it is kept. */
  readonly isNew: boolean;
  readonly content: Buffer;
  readonly type: "plain" | "executable" | "link";
};

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/** The same in every process that carries out this merge, and of a length that fits beside any name. */
const toBeside = ({ runId, file }: Pick<PlacedFile, "runId" | "file">): string =>
  `.retinue-merge-${createHash("sha256").update(`${runId}\0${file}`).digest("hex").slice(0, 24)}.tmp`;

/** Removes what a killed merge of this run has left beside the file. */
export const removeLeftover = (placed: Pick<PlacedFile, "root" | "file" | "runId">): Promise<void> =>
  inFolderOf({ root: placed.root, file: placed.file, make: false }, (folder) => unlink(folder.at(toBeside(placed)))).catch(
    () => undefined,
  );

export const placeFile = async (placed: PlacedFile): Promise<void> => {
  const { root, file, content, type } = placed;
  const isDone = await inFolderOf({ root, file, make: true }, (folder, name) => swapIn(folder, name, placed));
  // A folder that takes no new names may still hold a file that takes new content.
  if (!isDone) await writeInside({ root, file, content, executable: type === "executable" });
};

/** Why a file cannot take the place of another, though that one may be written itself. */
const ONLY_IN_PLACE: ReadonlySet<string | undefined> = new Set(["EACCES", "EPERM", "EBUSY", "EXDEV"]);

/** False: it can only be written in place. */
const swapIn = async (folder: HeldFolder, name: string, placed: PlacedFile): Promise<boolean> => {
  const beside = folder.at(toBeside(placed));
  try {
    if (placed.type === "link") await symlink(placed.content.toString("utf8"), beside);
    else await writeBeside(beside, folder.at(name), placed);
    if (placed.isNew) await takeFreeName(beside, folder.at(name));
    else await rename(beside, folder.at(name));
    return true;
  } catch (thrown) {
    await unlink(beside).catch(() => undefined);
    if (!placed.isNew && placed.type !== "link" && ONLY_IN_PLACE.has(codeOf(thrown))) return false;
    throw thrown;
  }
};

const writeBeside = async (beside: string, target: string, { isNew, content, type }: PlacedFile): Promise<void> => {
  const before = isNew ? undefined : await lstat(target);
  if (before?.isFile() === true && before.nlink > 1)
    throw new RetinueError("tool_failed", `it has ${before.nlink} hard links; writing it would change a file elsewhere too.`);
  let handle: FileHandle | undefined;
  try {
    handle = await open(beside, O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), type === "executable" ? 0o777 : 0o666);
    await handle.writeFile(content);
    if (before?.isFile() === true) {
      const made = await handle.stat();
      if (made.uid !== before.uid || made.gid !== before.gid) await handle.chown(before.uid, before.gid);
      await handle.chmod(toMode(before.mode & 0o777, type === "executable"));
    }
    await handle.sync();
  } finally {
    await handle?.close();
  }
};

/** Whoever may read it may run it, or nobody. */
const toMode = (mode: number, executable: boolean): number => {
  if (executable === ((mode & 0o111) !== 0)) return mode;
  return executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
};

/** Unlike a rename, a second name is refused where the name is taken. */
const takeFreeName = async (beside: string, target: string): Promise<void> => {
  try {
    await link(beside, target);
  } catch (thrown) {
    // Some file systems have no second names.
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(codeOf(thrown) ?? "")) throw thrown;
    const isTaken = await lstat(target).then(
      () => true,
      () => false,
    );
    if (isTaken) throw Object.assign(new Error("it stands there already"), { code: "EEXIST" });
    await rename(beside, target);
    return;
  }
  await unlink(beside);
};
