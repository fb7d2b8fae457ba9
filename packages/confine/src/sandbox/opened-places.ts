/** What the user has opened to sandboxed commands beyond what every command sees, and how a failed command is told which setting would open more. */
import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { isPrivate } from "../files/private-folders.ts";

export type SandboxOpenings = {
  /** Files and folders that may be read, as absolute paths or from `~/` on. */
  readonly read?: readonly string[];
  /** Unix sockets can be made and connected to, but for those of other programs. */
  readonly unixSockets?: boolean;
};

/** Those that exist. What belongs to Retinue itself stays closed. */
export const findOpenedPlaces = async ({ read = [] }: SandboxOpenings, workspace: string): Promise<readonly string[]> => {
  const found = new Set<string>();
  for (const named of read) {
    const at = path.normalize(named.startsWith("~/") ? path.join(process.env["HOME"] ?? homedir(), named.slice(2)) : named);
    const real = await realpath(at).catch(() => undefined);
    if (real === undefined || real === "/" || isPrivate(real, workspace)) continue;
    found.add(real);
    if (real !== at && (await realpath(path.dirname(at))) === path.dirname(at)) found.add(at);
  }
  return [...found];
};

const MISSING = /no such file|not found|cannot (?:access|open|find|stat)|can't open|does(?: not|n't) exist|ENOENT/i;
const PATHS = /(?<![\w.~/-])\/(?:[\w.@+-]+\/)*[\w.@+-]+/g;
const NO_UNIX_SOCKET = /EAFNOSUPPORT|address family not supported/i;
const MOST_NAMED = 3;

/** Whether a path is really there outside is not looked up: a command must not learn that. */
export const nameOpenings = (output: string, isSeen: (file: string) => boolean): readonly string[] => {
  const missing = new Set<string>();
  for (const line of output.split("\n"))
    if (line.length < 2000 && MISSING.test(line)) for (const [file] of line.matchAll(PATHS)) if (!isSeen(file)) missing.add(file);
  return [
    ...[...missing]
      .slice(0, MOST_NAMED)
      .map((file) => `${file} is not in the sandbox; if it exists, the user can open it by sandbox.read in their own settings`),
    ...(NO_UNIX_SOCKET.test(output)
      ? ["Unix sockets are refused in the sandbox; the user can allow them by sandbox.unixSockets: true in their own settings"]
      : []),
  ];
};
