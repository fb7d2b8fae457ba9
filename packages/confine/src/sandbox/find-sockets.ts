/**
 * Finds the sockets of other programs that a sandboxed command would see by their path: a network of its own does not keep it from those. What
 * cannot be looked at refuses the command.
 */
import { execFile } from "node:child_process";
import { lstat, readFile, realpath } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { RetinueError } from "@retinue/protocol";
import { isInside } from "@retinue/runtime";

const run = promisify(execFile);

const TIME_LIMIT_MS = 20_000;
const MAX_LIST_BYTES = 4 * 1024 * 1024;
const MAX_SOCKETS = 200;

/** `folders` are searched; what lies elsewhere is known only where its program named it by a whole path. */
export const findSockets = async (folders: readonly string[], signal?: AbortSignal): Promise<readonly string[]> => {
  const outer = folders.filter((folder, index) =>
    folders.every((other, place) => place === index || !isInside(other, folder) || (other === folder && place > index)),
  );
  const [found, bound] = await Promise.all([search(outer, signal), listBound()]);
  const sockets = [...new Set([...found, ...bound])];
  if (sockets.length > MAX_SOCKETS) throw notRun(`There are ${sockets.length} sockets that a command could reach.`);
  return sockets;
};

const search = async (folders: readonly string[], signal: AbortSignal | undefined): Promise<readonly string[]> => {
  if (folders.length === 0) return [];
  const options = {
    env: { LC_ALL: "C" },
    timeout: TIME_LIMIT_MS,
    killSignal: "SIGKILL",
    maxBuffer: MAX_LIST_BYTES,
    ...(signal === undefined ? {} : { signal }),
  } as const;
  // A folder that can be entered and not listed would keep a socket from being found and not from being reached.
  const shut = ["-type", "d", "!", "-readable", "-executable", "-printf", "shut %p\\0", "-prune"];
  try {
    const { stdout } = await run("/usr/bin/find", [...folders, "(", ...shut, ")", "-o", "-type", "s", "-print0"], options).catch(
      (thrown: unknown) => {
        if (isPartly(thrown)) return thrown;
        throw thrown;
      },
    );
    const names = stdout.split("\0").filter((name) => name !== "");
    const closed = names.find((name) => name.startsWith("shut "));
    if (closed !== undefined)
      throw notRun(`${closed.slice(5)} can be entered but not listed, and could hold sockets of other programs.`);
    return names;
  } catch (thrown) {
    signal?.throwIfAborted();
    if (thrown instanceof RetinueError) throw thrown;
    throw notRun("The workspace could not be searched for sockets of other programs.", thrown);
  }
};

/** Folders that may not be entered are told by the exit code, and hold nothing that the command could reach. */
const isPartly = (thrown: unknown): thrown is { readonly stdout: string } =>
  thrown instanceof Error &&
  "code" in thrown &&
  thrown.code === 1 &&
  "stdout" in thrown &&
  "stderr" in thrown &&
  String(thrown.stderr)
    .split("\n")
    .every((line) => line === "" || /: (?:Permission denied|No such file or directory)$/.test(line));

/** Sockets of this machine's network that were named by a whole path and are still there. */
const listBound = async (): Promise<readonly string[]> => {
  const lines = (await readFile("/proc/net/unix", "utf8").catch(() => "")).split("\n");
  const paths = new Set(lines.flatMap((line) => /^(?:\S+ +){7}(\/.*)$/.exec(line)?.[1] ?? []));
  const there: string[] = [];
  for (const named of paths) {
    const file = await realpath(named).catch(() => undefined);
    if (file === undefined || !(await lstat(file).catch(() => undefined))?.isSocket()) continue;
    if (await isReachable(file)) there.push(file);
  }
  return there;
};

/** Root without its capabilities enters only what its owner or everybody may; others have been stopped by the kernel already. */
const isReachable = async (file: string): Promise<boolean> => {
  if (process.getuid?.() !== 0) return true;
  for (let at = path.dirname(file); at !== path.dirname(at); at = path.dirname(at)) {
    const { uid, mode } = await lstat(at);
    if ((mode & (uid === 0 ? 0o100 : 0o001)) === 0) return false;
  }
  return true;
};

const notRun = (why: string, cause?: unknown): RetinueError =>
  new RetinueError("tool_failed", `${why} No command is run.`, {
    hint: "The user has to make the folder readable, or choose a smaller one as workspace.",
    cause,
  });
