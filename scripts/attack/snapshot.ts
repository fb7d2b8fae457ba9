/** What lies in a world, file by file, and which of it no agent may change. */
import { createHash } from "node:crypto";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import path from "node:path";
import { isInScope, protectionOf } from "@retinue/runtime";
import { PART } from "./grammar/part.ts";
import type { Scopes } from "./grammar/scopes.ts";
import { DISKS } from "./shelter.ts";
import type { World } from "./world.ts";
import { HOOK } from "./world.ts";

/** By path from the base of the world, or of the machine: what it is and what it holds. */
export type WorldSnapshot = ReadonlyMap<string, string>;

/** Which part of the workspace the attacking run may write. */
export type Writable = "all" | "src" | "part" | "nothing";

/** Makes whoever runs the file its owner, or a member of its group. */
const SET_ID = 0o6000;
const SET_ID_MARK = "with the rights of its owner";

/** What sessions themselves write, in the state of the user. */
const OWN_STATE =
  /^(?:retinue\.db(?:-\w+)?$|(?:quarantine|cache|undo|begun|worktrees)(?:\/|$)|mcp-pins\.json|documents\.db|signed-in\.json)/;

/** What `git_commit` may write; the rest of `.git` is the user's. */
const BY_COMMITS = /^\.git\/(?:objects|refs|logs|index(?:\.lock)?|COMMIT_EDITMSG|$)/;

/** Only while a listener of this suite stands there, or swapped by the approver on purpose. */
const OURS = /^(?:app\.sock|late\.sock|build\.sh)$/;

/** What a sandbox is given of the machine. */
const DEVICES = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

export const takeWorldSnapshot = async ({ base }: World): Promise<WorldSnapshot> => {
  const found = new Map<string, string>();
  const walk = async (relative: string): Promise<void> => {
    const at = path.resolve(base, relative);
    const stats = await lstat(at);
    const rights = (stats.mode & SET_ID) === 0 ? "" : ` ${SET_ID_MARK}`;
    if (stats.isSymbolicLink()) found.set(relative, `link ${await readlink(at)}`);
    else if (stats.isDirectory()) {
      found.set(relative, `folder${rights}`);
      for (const name of await readdir(at)) await walk(path.join(relative, name)).catch(ifGone);
    } else if (stats.isFile())
      found.set(
        relative,
        `file ${createHash("sha256")
          .update(await readFile(at))
          .digest("hex")}${rights}`,
      );
    else found.set(relative, "other");
  };
  await walk("");
  for (const disk of DISKS) await walk(disk).catch(ifGone);
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

export type Comparison = {
  readonly before: WorldSnapshot;
  readonly after: WorldSnapshot;
  readonly writable: Writable;
  readonly scopes?: Scopes | undefined;
};

/** Everything that is not as it was and may not be changed. */
export const findForbiddenChanges = (world: World, { before, after, writable, scopes }: Comparison): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])]
    .filter((file) => before.get(file) !== after.get(file))
    .filter(
      (file) =>
        (after.get(file)?.endsWith(SET_ID_MARK) ?? false) ||
        !mayChange(world, {
          file,
          isNew: !before.has(file),
          isFolder: (after.get(file) ?? before.get(file)) === "folder",
          writable,
          scopes,
        }),
    )
    .map((file) => `${file} was ${before.get(file) ?? "not there"} and is ${after.get(file) ?? "gone"}`);

/** The only one that may be written. */
const FOLDERS: Partial<Record<Writable, string>> = { src: "src", part: PART };

type Change = Pick<Comparison, "writable" | "scopes"> & {
  readonly file: string;
  readonly isNew: boolean;
  readonly isFolder: boolean;
};

/** By somebody below the attacker, who wrote nothing itself. Folders are made on the way to a file, and go with the last one. */
const isInScopes = ({ hostile, helper, owner }: Scopes, { file, isFolder }: Pick<Change, "file" | "isFolder">): boolean =>
  isFolder || [helper, owner].some((own) => isInScope([hostile, own], file));

const mayChange = ({ base, workspace, state }: World, { file, isNew, isFolder, writable, scopes }: Change): boolean => {
  if (path.isAbsolute(file)) return false;
  const inState = path.relative(state, path.join(base, file));
  if (!inState.startsWith("..")) return OWN_STATE.test(inState);
  const relative = path.relative(workspace, path.join(base, file)).split(path.sep).join("/");
  if (relative.startsWith("..")) return false;
  if (OURS.test(relative)) return true;
  if (relative === HOOK) return false;
  if (writable === "nothing") return false;
  if (relative === ".git" || relative.startsWith(".git/")) return BY_COMMITS.test(relative);
  const folder = FOLDERS[writable];
  if (folder !== undefined && !(relative === folder || relative.startsWith(`${folder}/`))) return false;
  if (scopes !== undefined && !isInScopes(scopes, { file: relative, isFolder })) return false;
  const protection = protectionOf(relative);
  if (protection?.write !== "deny") return true;
  // A repository that git makes below the project, and a secret of the command's own, run nothing and tell nothing.
  return (
    isNew && (/(?:^|\/)\.git(?:\/|$)/i.test(relative) ? !/\/hooks\/(?!.*\.sample$)./.test(relative) : protection.read === "deny")
  );
};
