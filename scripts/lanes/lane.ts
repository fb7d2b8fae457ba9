/** A machine that this one can pretend to be, for a command and everything that it starts. */
import { spawnSync } from "node:child_process";

export type Lane = {
  readonly name: string;
  /** Why this machine cannot play it; undefined where it can. */
  readonly missing: () => string | undefined;
  /** What runs a command in it. */
  readonly by: readonly string[];
  /** The command works in a copy of the tree that belongs to this user. */
  readonly owner?: { readonly uid: number; readonly gid: number };
};

const works = (file: string, ...args: readonly string[]): boolean => spawnSync(file, args, { stdio: "ignore" }).status === 0;

const isRoot = (): boolean => process.getuid?.() === 0;

/** A mount namespace whose /usr/bin lacks the programs; those of the machine stay as they are. */
const WITHOUT = `set -eu
folder=$(mktemp -d)
cp -al /usr/bin/. "$folder"/ 2>/dev/null || cp -a /usr/bin/. "$folder"/
rm -f "$folder"/bwrap "$folder"/strace
status=0
unshare -m bash -c 'mount --bind "$0" /usr/bin; exec "$@"' "$folder" "$@" || status=$?
rm -rf "$folder"
exit $status`;

/** Nobody in particular, as on every system. */
const NOBODY = 65_534;

export const LANES: readonly Lane[] = [
  {
    name: "without bubblewrap and strace",
    missing: () => {
      if (!works("bwrap", "--version")) return "this machine has no bubblewrap, so that npm test has taken this lane already";
      return works("unshare", "-m", "true") ? undefined : "nothing can be mounted here";
    },
    by: ["bash", "-c", WITHOUT, "bash"],
  },
  {
    name: "as an ordinary user",
    missing: () => {
      if (!isRoot()) return "npm test has taken this lane already";
      return works("setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", process.execPath, "--version")
        ? undefined
        : "another user cannot run the Node of this checkout";
    },
    by: ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"],
    owner: { uid: NOBODY, gid: NOBODY },
  },
];
