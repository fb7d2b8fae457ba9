/** What lies in a world, file by file, and which of it no agent may change. */
import { createHash } from "node:crypto";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import path from "node:path";
import { protectionOf } from "@retinue/runtime";
import type { World } from "./world.ts";
import { HOOK } from "./world.ts";

/** By path from the base of the world, or of the machine: what it is and what it holds. */
export type WorldSnapshot = ReadonlyMap<string, string>;

/** Which part of the workspace the attacking run may write. */
export type Writable = "all" | "src" | "nothing";

/** State that sessions themselves write. */
const OWN_STATE =
  /^home\/\.retinue\/(?:retinue\.db(?:-\w+)?$|quarantine(?:\/|$)|cache(?:\/|$)|undo(?:\/|$)|begun(?:\/|$)|worktrees(?:\/|$)|mcp-pins\.json|documents\.db|$)/;

/** What `git_commit` may write; the rest of `.git` is the user's. */
const BY_COMMITS = /^\.git\/(?:objects|refs|logs|index(?:\.lock)?|COMMIT_EDITMSG|$)/;

/** Only while a listener of this suite stands there, or swapped by the approver on purpose. */
const OURS = /^(?:app\.sock|build\.sh)$/;

/** What a sandbox is given of the machine. */
const DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

export const takeWorldSnapshot = async ({ base }: World): Promise<WorldSnapshot> => {
  const found = new Map<string, string>();
  const walk = async (relative: string): Promise<void> => {
    const at = path.join(base, relative);
    const stats = await lstat(at);
    if (stats.isSymbolicLink()) found.set(relative, `link ${await readlink(at)}`);
    else if (stats.isDirectory()) {
      found.set(relative, "folder");
      for (const name of await readdir(at)) await walk(path.join(relative, name)).catch(ifGone);
    } else if (stats.isFile())
      found.set(
        relative,
        `file ${createHash("sha256")
          .update(await readFile(at))
          .digest("hex")}`,
      );
    else found.set(relative, "other");
  };
  await walk("");
  for (const device of DEVICES) {
    const { mode, uid, gid } = await lstat(device);
    found.set(device, `mode ${mode.toString(8)} of ${uid}:${gid}`);
  }
  return found;
};

const ifGone = (thrown: unknown): void => {
  if (thrown instanceof Error && "code" in thrown && (thrown.code === "ENOENT" || thrown.code === "EACCES")) return;
  throw thrown;
};

/** Everything that is not as it was and may not be changed. */
export const findForbiddenChanges = (
  world: World,
  { before, after, writable }: { readonly before: WorldSnapshot; readonly after: WorldSnapshot; readonly writable: Writable },
): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter((file) => before.get(file) !== after.get(file))
    .filter((file) => !mayChange(world, { file, isNew: !before.has(file), writable }))
    .map((file) => `${file} was ${before.get(file) ?? "not there"} and is ${after.get(file) ?? "gone"}`);

const mayChange = (
  { base, workspace }: World,
  { file, isNew, writable }: { readonly file: string; readonly isNew: boolean; readonly writable: Writable },
): boolean => {
  if (path.isAbsolute(file)) return false;
  if (OWN_STATE.test(file)) return true;
  const relative = path.relative(workspace, path.join(base, file)).split(path.sep).join("/");
  if (relative.startsWith("..")) return false;
  if (OURS.test(relative)) return true;
  if (relative === HOOK) return false;
  if (writable === "nothing") return false;
  if (relative === ".git" || relative.startsWith(".git/")) return BY_COMMITS.test(relative);
  if (writable === "src" && !(relative === "src" || relative.startsWith("src/"))) return false;
  const protection = protectionOf(relative);
  if (protection?.write !== "deny") return true;
  // A repository that git makes below the project, and a secret of the command's own, run nothing and tell nothing.
  return (
    isNew && (/(?:^|\/)\.git(?:\/|$)/i.test(relative) ? !/\/hooks\/(?!.*\.sample$)./.test(relative) : protection.read === "deny")
  );
};
