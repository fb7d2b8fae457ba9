/** Runs commands of Node in a lane, one after the other, until one fails. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, globSync, lchownSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { copyTree } from "../mutations/copy-tree.ts";
import type { Lane } from "./lane.ts";

export type LaneRun = {
  readonly root: string;
  readonly lane: Lane;
  readonly signal: AbortSignal;
};

export const runLane = async ({ root, lane, signal }: LaneRun): Promise<boolean> => {
  const copy = lane.owner ? copyTree(root) : undefined;
  try {
    const cwd = copy?.root ?? root;
    const own = copy && lane.owner ? giveAway(copy.root, lane.owner) : {};
    for (const args of lane.commands(root))
      if (!(await runIn({ lane, args, cwd, env: { ...process.env, ...own }, signal }))) return false;
    return true;
  } finally {
    copy?.remove();
    if (copy) rmSync(besides(copy.root), { recursive: true, force: true });
  }
};

/** Beside the copy: what lies in a checkout is read-only to the tests that start others in a sandbox. */
const besides = (root: string): string => `${root}-of-its-user`;

/** The copy belongs to its user, who has a home and a temporary folder beside it. */
const giveAway = (root: string, { uid, gid }: NonNullable<Lane["owner"]>): NodeJS.ProcessEnv => {
  const own = { HOME: path.join(besides(root), "home"), TMPDIR: path.join(besides(root), "tmp") };
  for (const folder of Object.values(own)) {
    mkdirSync(folder, { recursive: true });
    lchownSync(folder, uid, gid);
  }
  lchownSync(besides(root), uid, gid);
  for (const entry of [".", ...globSync("**/*", { cwd: root, exclude: (name) => name === "node_modules" }), "node_modules"])
    lchownSync(path.join(root, entry), uid, gid);
  chmodSync(root, 0o755);
  return own;
};

type Step = {
  readonly lane: Lane;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
};

const runIn = async ({ lane, args, cwd, env, signal }: Step): Promise<boolean> => {
  const [file = process.execPath, ...rest] = [...lane.by(), process.execPath, ...args];
  const child = spawn(file, rest, { cwd, env, stdio: ["ignore", "inherit", "inherit"] });
  const stop = (): void => void child.kill("SIGTERM");
  signal.addEventListener("abort", stop, { once: true });
  const [code] = (await once(child, "close")) as [number | null];
  signal.removeEventListener("abort", stop);
  return code === 0;
};
