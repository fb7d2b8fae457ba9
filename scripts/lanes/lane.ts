/** A machine that this one can pretend to be, for a command and everything that it starts. */
import { spawnSync } from "node:child_process";
import { findLaneTests } from "./find-lane-tests.ts";

export type Lane = {
  /** By which it is chosen: `npm run lanes -- bare`. */
  readonly name: "bare" | "ordinary" | "more" | "more-bare";
  readonly what: string;
  /** Why this machine cannot play it; undefined where it can. */
  readonly missing: () => string | undefined;
  /** What runs a command in it. */
  readonly by: () => readonly string[];
  /** Arguments of Node, one list a command. */
  readonly commands: (root: string) => readonly (readonly string[])[];
  /** The command works in a copy of the tree that belongs to this user. */
  readonly owner?: { readonly uid: number; readonly gid: number };
};

const works = (file: string, ...args: readonly string[]): boolean => spawnSync(file, args, { stdio: "ignore" }).status === 0;

const isRoot = (): boolean => process.getuid?.() === 0;

const has = (program: string): boolean => works("sh", "-c", `command -v ${program}`);

/** A mount namespace whose /usr/bin lacks the programs; those of the machine stay as they are. */
const WITHOUT = `set -eu
folder=$(mktemp -d)
cp -al /usr/bin/. "$folder"/ 2>/dev/null || cp -a /usr/bin/. "$folder"/
rm -f "$folder"/bwrap "$folder"/strace "$folder"/socat
status=0
unshare -m bash -c 'mount --bind "$0" /usr/bin; exec "$@"' "$folder" "$@" || status=$?
rm -rf "$folder"
exit $status`;

const WITHOUT_SANDBOX = ["bash", "-c", WITHOUT, "bash"];

const isBare = (): boolean => !has("bwrap");

const canMount = (): string | undefined => (works("unshare", "-m", "true") ? undefined : "nothing can be mounted here");

/** Nobody in particular, as on every system. */
const NOBODY = 65_534;

const AS_NOBODY = ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];

const vitest = (files: readonly string[]): readonly string[] => [
  "node_modules/vitest/vitest.mjs",
  "run",
  "--allowOnly=false",
  ...files,
];

/** What a desktop has that the machines of tests lack. */
const MORE = ["chromium", "Xvfb", "tmux", "zsh"];

const missesMore = (): string | undefined => {
  const absent = MORE.filter((program) => !has(program));
  return absent.length === 0 ? undefined : `${absent.join(", ")} is not installed (apt install chromium xvfb tmux zsh)`;
};

const browserCommands = (root: string): readonly (readonly string[])[] => [
  ["scripts/sandbox-lane.ts"],
  ["scripts/browser-lane.ts"],
  vitest(findLaneTests(root, "browser")),
];

export const LANES: readonly Lane[] = [
  {
    name: "bare",
    what: "all of npm test without bubblewrap, strace and socat",
    missing: () => (isBare() ? undefined : canMount()),
    by: () => (isBare() ? [] : WITHOUT_SANDBOX),
    commands: () => [["scripts/test.ts"]],
  },
  {
    name: "ordinary",
    what: "tests of the sandbox as an ordinary user",
    missing: () => {
      if (!isRoot()) return "npm test has taken this lane already";
      return works("setpriv", ...AS_NOBODY.slice(1), process.execPath, "--version")
        ? undefined
        : "another user cannot run the Node of this checkout";
    },
    by: () => AS_NOBODY,
    commands: (root) => [["scripts/sandbox-lane.ts"], vitest(findLaneTests(root)), ["scripts/run-examples.ts"]],
    owner: { uid: NOBODY, gid: NOBODY },
  },
  {
    name: "more",
    what: "tests of the browser with the system's chromium, Xvfb, tmux and zsh",
    missing: missesMore,
    by: () => [],
    commands: browserCommands,
  },
  {
    name: "more-bare",
    what: "the same without bubblewrap",
    missing: () => missesMore() ?? (isBare() ? "the lane before was this one" : canMount()),
    by: () => WITHOUT_SANDBOX,
    commands: browserCommands,
  },
];
