/** The workspace of a scenario as a repository, and worktrees of it that pass a point before each act on a file. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import type { Worktrees } from "@retinue/runtime";
import { createGitWorktrees } from "../../packages/confine/src/worktree/git-worktrees.ts";

export const workspaceIn = (folder: string): string => path.join(folder, "workspace");
export const worktreesIn = (folder: string): string => path.join(folder, "worktrees");

/** Made once in the place that trials share, and copied by each of them. */
export const createTemplate = (place: string, files: Readonly<{ [file: string]: string }>): string => {
  const template = path.join(place, "template");
  mkdirSync(template, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(template, file), text);
  const env = { ...environmentIn(place), GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const identity = ["-c", "user.name=Victim", "-c", "user.email=victim@example.com"];
  for (const args of [
    ["init", "--quiet", "--initial-branch=main"],
    ["add", "--all"],
    [...identity, "commit", "--quiet", "-m", "as it was"],
  ])
    execFileSync("git", args, { cwd: template, env });
  return template;
};

export const copyTemplate = (template: string, folder: string): void =>
  cpSync(template, workspaceIn(folder), { recursive: true });

/** What a git of the user that was killed may leave. They are the user's, and stay. */
export const PLANTED_LOCKS: readonly string[] = ["packed-refs.lock", "index.lock", "refs/heads/main.lock"];

export const plantLocks = (folder: string): void => {
  for (const name of PLANTED_LOCKS) writeFileSync(path.join(workspaceIn(folder), ".git", name), "");
};

/** Git by itself: a sandbox around each call would cost most of a trial, and is swept elsewhere. */
const SANDBOX = { backend: "none", reason: "the trial does without", isInstalled: false } as const;

const environmentIn = (home: string): Readonly<Record<string, string | undefined>> => ({ PATH: process.env["PATH"], HOME: home });

export const createVictimWorktrees = (folder: string, point: () => void): Worktrees => {
  const worktrees = createGitWorktrees({
    folder: worktreesIn(folder),
    environment: environmentIn(folder),
    allowUnsandboxed: true,
    sandbox: SANDBOX,
  });
  passPoints(point);
  const around = async <T>(act: () => Promise<T>): Promise<T> => {
    point();
    const value = await act();
    point();
    return value;
  };
  return {
    ...worktrees,
    make: (of, signal) => around(() => worktrees.make(of, signal)),
    keep: (of, base, measured) => around(() => worktrees.keep(of, base, measured)),
    plan: (of, work) => around(() => worktrees.plan(of, work)),
    merge: (of, plan) => around(() => worktrees.merge(of, plan)),
    remove: (of, how) => around(() => worktrees.remove(of, how)),
  };
};

/** Each of them changes a file or a folder. */
const ACTS = ["link", "rename", "rmdir", "symlink", "rm", "mkdir", "writeFile", "unlink"] as const;

const passPoints = (point: () => void): void => {
  const any = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const name of ACTS) {
    const act = any[name];
    if (act)
      any[name] = (...args) => {
        point();
        return act(...args);
      };
  }
  const { open } = fs;
  fs.open = (async (file, flags, mode) => {
    if (typeof flags === "number" && (flags & fs.constants.O_CREAT) !== 0) point();
    return open(file, flags, mode);
  }) satisfies typeof fs.open;
  syncBuiltinESMExports();
};
