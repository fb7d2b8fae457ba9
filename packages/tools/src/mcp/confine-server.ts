/**
 * Puts a server that we start into a sandbox, where the machine has one: it reaches hosts, since most servers are there for that, but sees no
 * home, no secret of the project and no other project, writes only what its entry says, and ends with us. What its own command line names is
 * seen, since whoever wrote that wanted it to be.
 */
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { isInside, protectionOf } from "@retinue/runtime";
import { createResourceLimits } from "@retinue/confine";
import { probeSandbox } from "@retinue/confine";
import { findNeighbourhood, findProjectRoot, toHidden, toPinned, toReadOnly } from "@retinue/confine";
import { findProtected } from "@retinue/confine";
import type { SandboxedCommand } from "@retinue/confine";
import { toSandboxedCommand } from "@retinue/confine";
import { openWriteScope, toWriteScope } from "@retinue/confine";

export type ServerProgram = {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

export type ServerRights = {
  readonly workspace: string;
  /** Globs of what it may write, relative to the workspace. */
  readonly writes: readonly string[];
  /** Globs of protected paths that the user has set free. */
  readonly unprotected: readonly string[];
};

export type ConfinedServer = SandboxedCommand & { readonly env: Readonly<Record<string, string>> };

/** Undefined where the machine has no sandbox. */
export const confineServer = async (program: ServerProgram, rights: ServerRights): Promise<ConfinedServer | undefined> => {
  const sandbox = await probeSandbox();
  if (sandbox.backend === "none") return undefined;
  const workspace = await realpath(rights.workspace);
  const folder = await realpath(program.cwd);
  const root = await findProjectRoot(workspace);
  const opened = rights.writes.length === 0 ? [] : await openWriteScope(workspace, toWriteScope([rights.writes]));
  const freed = rights.unprotected.map((glob) => path.posix.join(path.relative(root, workspace), glob));
  const found = await findProtected({ folder: root, unprotected: freed });
  const limits = createResourceLimits();
  const sandboxed = await toSandboxedCommand({
    sandbox,
    limits,
    file: program.command,
    args: program.args,
    profile: {
      folder,
      emptied: findNeighbourhood(root),
      readable: [root, workspace, folder, ...(await findNamedPlaces(program))],
      writable: [...opened.map((each) => each.path), ...toPinned(root, found.mounted, opened)],
      readOnly: toReadOnly(root, found.mounted, opened),
      hidden: await toHidden(root, found.mounted),
      network: true,
      temporaryBytes: limits.temporaryBytes,
    },
    expected: opened,
    checked: { folder: root, seen: found.seen },
  });
  const { XDG_RUNTIME_DIR: _, ...env } = program.env;
  return { ...sandboxed, env: { ...env, TMPDIR: "/tmp", TEMP: "/tmp", TMP: "/tmp" } };
};

/** What the command line names by whole paths: folders as they are, and of programs what they are a part of. */
const findNamedPlaces = async ({ command, args, env }: ServerProgram): Promise<readonly string[]> => {
  const home = env["HOME"] === undefined ? undefined : await realpath(env["HOME"]).catch(() => undefined);
  const places = new Set<string>();
  for (const word of [command, ...args]) {
    const named = path.isAbsolute(word) ? path.normalize(word) : undefined;
    const real = named === undefined ? undefined : await realpath(named).catch(() => undefined);
    if (named === undefined || real === undefined) continue;
    const isFolder = (await stat(real)).isDirectory();
    for (const at of [named, real]) {
      const place = isFolder ? at : await toPackage(at);
      if (isFit(place, home)) places.add(place);
    }
  }
  return [...places];
};

/** Never all of a home, and never what is a secret there. */
const isFit = (place: string, home: string | undefined): boolean => {
  if (place === path.dirname(place)) return false;
  if (home === undefined) return true;
  if (isInside(place, home)) return false;
  return !isInside(home, place) || protectionOf(path.relative(home, place).split(path.sep).join("/"))?.read !== "deny";
};

const MARKS = ["package.json", "pyproject.toml", "go.mod", "Cargo.toml"];

/** The folder that a program needs around it: all packages that were installed together, or the one that it is a part of. */
const toPackage = async (file: string): Promise<string> => {
  const installed = file.indexOf("/node_modules/");
  if (installed !== -1) return file.slice(0, installed + "/node_modules".length);
  for (let at = path.dirname(file); at !== path.dirname(at); at = path.dirname(at))
    for (const mark of MARKS) if (await stat(path.join(at, mark)).catch(() => undefined)) return at;
  return path.dirname(file);
};
