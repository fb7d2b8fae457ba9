/**
 * Carries out a merge in a process of its own that kills itself, as by kill -9, right before its n-th act that changes a file. Its input is one JSON
 * argument; it prints how many such acts there were when it came to the end.
 */
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import type { MergePlan, RunWorktree } from "@retinue/runtime";

export type KilledMerge = {
  readonly of: RunWorktree;
  readonly plan: MergePlan;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Counted from 1. */
  readonly killAt: number;
};

// The test that starts this wrote it.
const { of, plan, environment, killAt } = JSON.parse(process.argv[2] ?? "") as KilledMerge;

let acts = 0;
const beforeAct = (): void => {
  acts += 1;
  if (acts === killAt) process.kill(process.pid, "SIGKILL");
};

/** Each of them changes a file or a folder. */
const ACTS = ["link", "rename", "rmdir", "symlink", "rm"] as const;
const HANDLE_ACTS = ["write", "writeFile", "truncate"] as const;

const counted = <Args extends unknown[], Result>(act: (...args: Args) => Result) =>
  function (this: unknown, ...args: Args): Result {
    beforeAct();
    return Reflect.apply(act, this, args);
  };

const any = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
for (const name of ACTS) any[name] = counted(any[name] ?? (() => undefined));
const { open, unlink } = fs;
fs.unlink = async (file) => {
  // To look for something that is not there changes nothing.
  if (await fs.lstat(file).catch(() => undefined)) beforeAct();
  return unlink(file);
};
fs.open = (async (file, flags, mode) => {
  if (typeof flags === "number" && (flags & fs.constants.O_CREAT) !== 0) beforeAct();
  return open(file, flags, mode);
}) satisfies typeof fs.open;
const handle = await open(process.execPath, "r");
const prototype = Object.getPrototypeOf(handle) as Record<string, (...args: unknown[]) => unknown>;
await handle.close();
for (const name of HANDLE_ACTS) prototype[name] = counted(prototype[name] ?? (() => undefined));
syncBuiltinESMExports();

const { applyMerge } = await import("../apply-merge.ts");
await applyMerge(of, plan, { environment }, new AbortController().signal);
process.stdout.write(String(acts));
