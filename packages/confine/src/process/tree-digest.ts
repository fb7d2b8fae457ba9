/**
 * A digest of all files of a workspace that git or ripgrep would list, and of all links, by which a human's approval of a command is bound to what
 * the command could run: name, place on the disk, size, rights, and the times of the last change, of which an agent can set one but not the other.
 * Contents are not read. What cannot be listed is an error: an approval that binds nothing is none.
 */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, readlinkSync } from "node:fs";
import path from "node:path";
import { setImmediate as breathe, setTimeout as delay } from "node:timers/promises";
import { RetinueError } from "@retinue/protocol";
import { codeOf } from "../files/system-error.ts";
import { byPath } from "../search/list-files.ts";
import { runRipgrep, toIgnoreArgs } from "../search/ripgrep.ts";

type Tree = ReadonlyMap<string, string>;

const TIME_LIMIT_MS = 60_000;
const STATS_AT_ONCE = 1000;
const NEVER = new AbortController().signal;

/** Trees of late, so that it can be told what has changed since. */
const known = new Map<string, Tree>();
const MOST_KNOWN = 3;
const MOST_KNOWN_FILES = 100_000;

export const digestTree = async (workspace: string): Promise<string> => {
  const tree = await readQuietTree(workspace);
  const digest = toDigest(tree);
  known.delete(digest);
  if (tree.size <= MOST_KNOWN_FILES) known.set(digest, tree);
  const [oldest] = known.keys();
  if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
  return digest;
};

/**
 * Undefined where the tree is the same as when it had the digest; otherwise what has changed. Where another process made the digest, at the time
 * `since`, files are named that changed after it; those that are gone are not known then.
 */
export const findTreeChanges = async (
  workspace: string,
  digest: string,
  since?: string,
): Promise<readonly string[] | undefined> => {
  const noted = { newestMs: 0, changedMs: new Map<string, number>() };
  const now = await readTree(workspace, noted);
  if (toDigest(now) === digest) return undefined;
  const before = known.get(digest);
  if (!before) {
    const sinceMs = Date.parse(since ?? "");
    return [...noted.changedMs].flatMap(([file, changedMs]) => (changedMs >= sinceMs ? [file] : [])).toSorted(byPath);
  }
  const changed = [...now].filter(([file, state]) => before.get(file) !== state).map(([file]) => file);
  const gone = [...before.keys()].filter((file) => !now.has(file));
  return [...changed, ...gone].toSorted(byPath);
};

const toDigest = (tree: Tree): string => {
  const hash = createHash("sha256");
  for (const file of [...tree.keys()].toSorted(byPath)) hash.update(`${file}\0${tree.get(file)}\0`);
  return hash.digest("hex");
};

/** The clock by which files are marked ticks so often at least; two changes within a tick look the same. */
const TICK_MS = 20;
const MOST_TRIES = 10;

/** Waits until no file was changed just now, so that a change after it is told by its time. */
const readQuietTree = async (workspace: string): Promise<Tree> => {
  for (let tries = 1; ; tries += 1) {
    const noted = { newestMs: 0 };
    const tree = await readTree(workspace, noted);
    if (Date.now() - noted.newestMs > TICK_MS || tries === MOST_TRIES) return tree;
    await delay(TICK_MS);
  }
};

type Noted = { newestMs: number; readonly changedMs?: Map<string, number> };

const readTree = async (workspace: string, noted: Noted = { newestMs: 0 }): Promise<Tree> => {
  const [files, links] = await Promise.all([listFiles(workspace), listLinks(workspace)]);
  const tree = new Map<string, string>();
  for (const [index, file] of [...files, ...links].entries()) {
    if (index % STATS_AT_ONCE === STATS_AT_ONCE - 1) await breathe();
    const at = path.join(workspace, file);
    try {
      const stats = lstatSync(at, { bigint: true });
      const target = stats.isSymbolicLink() ? readlinkSync(at) : "";
      const changedMs = Number(stats.ctimeNs / 1_000_000n);
      noted.newestMs = Math.max(noted.newestMs, changedMs);
      noted.changedMs?.set(file, changedMs);
      tree.set(file, `${stats.dev}:${stats.ino}:${stats.mode}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}:${target}`);
    } catch (thrown) {
      // It was swapped or taken away meanwhile; what lies there when the command is to run is found to be new.
      if (!GONE.has(codeOf(thrown))) throw unbound(workspace, thrown instanceof Error ? thrown.message : String(thrown));
    }
  }
  return tree;
};

const GONE: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR", "EINVAL"]);

const listFiles = async (workspace: string): Promise<readonly string[]> => {
  const files: string[] = [];
  const end = await runRipgrep({
    args: ["--files", "--null", "--hidden", "--glob=!.git", ...(await toIgnoreArgs(workspace))],
    cwd: workspace,
    separator: "\0",
    timeLimitMs: TIME_LIMIT_MS,
    signal: NEVER,
    onRecord: (record) => files.push(record) > 0,
  });
  if (end !== "done") throw unbound(workspace, `they were not listed within ${TIME_LIMIT_MS / 1000} s`);
  return files;
};

/** ripgrep lists no links. A folder that may not be looked into ends the search with an error, which ripgrep's listing would not tell. */
const listLinks = async (workspace: string): Promise<readonly string[]> => {
  // Where it cannot be started for want of open files, it has no pipes either.
  const child: ChildProcess = spawn(
    "find",
    [".", "-name", ".git", "-prune", "-o", "-name", "node_modules", "-prune", "-o", "-type", "l", "-print0"],
    {
      cwd: workspace,
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const chunks: Buffer[] = [];
  let said = "";
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(0, 500)));
  const timer = setTimeout(() => void child.kill("SIGKILL"), TIME_LIMIT_MS);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    });
    // What goes away while it is looked for runs nothing.
    const isGone = said.split("\n").every((line) => line === "" || line.includes("No such file or directory"));
    if (code !== 0 && !(code === 1 && isGone)) throw new Error(said.trim() || "they were not listed in time");
    return Buffer.concat(chunks)
      .toString("utf8")
      .split("\0")
      .flatMap((name) => (name.startsWith("./") ? name.slice("./".length) : []));
  } catch (thrown) {
    throw unbound(workspace, thrown instanceof Error ? thrown.message : String(thrown));
  } finally {
    clearTimeout(timer);
  }
};

const unbound = (workspace: string, why: string): RetinueError =>
  new RetinueError(
    "act_denied",
    `The command may run files of ${workspace}, and an answer could not be bound to them as they are: ${why}.`,
    { hint: "Make all folders of the workspace readable, or name the files that the command runs." },
  );
