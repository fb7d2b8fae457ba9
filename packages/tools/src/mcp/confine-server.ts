/**
 * Puts a server that we start into a sandbox, where the machine has one: it reaches public hosts, since most servers are there for that, but sees
 * no home, no secret of the project, no other project and no other program of the machine, writes only what its entry says, and ends with us. What its own command line names is
 * seen, since whoever wrote that wanted it to be.
 */
import { realpath } from "node:fs/promises";
import path from "node:path";
import { RetinueError } from "@retinue/protocol";
import { createResourceLimits } from "@retinue/confine";
import { findNamedPlaces, findSockets, openSandboxNetwork, probeSandbox } from "@retinue/confine";
import { findOpenedPlaces } from "@retinue/confine";
import type { NetworkOptions, SandboxOpenings } from "@retinue/confine";
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
  /** Files that something trusted runs, absolute and real: no server writes them. */
  readonly bound: readonly string[];
  /** Patterns of the hosts that it may reach. */
  readonly hosts: readonly string[];
  /** What else the user has opened to sandboxes, and who is told of what is refused. */
  readonly network: NetworkOptions;
  readonly openings?: SandboxOpenings | undefined;
};

export type ConfinedServer = SandboxedCommand & { readonly env: Readonly<Record<string, string>> };

/** Undefined where the machine has no sandbox; one that is installed and does not work refuses. */
export const confineServer = async (program: ServerProgram, rights: ServerRights): Promise<ConfinedServer | undefined> => {
  const sandbox = await probeSandbox();
  if (sandbox.backend === "none") {
    if (!sandbox.isInstalled) return undefined;
    throw new RetinueError("sandbox_unavailable", `The sandbox of this machine does not work now: ${sandbox.reason}.`);
  }
  const workspace = await realpath(rights.workspace);
  const folder = await realpath(program.cwd);
  const root = await findProjectRoot(workspace);
  const opened = rights.writes.length === 0 ? [] : await openWriteScope(workspace, toWriteScope([rights.writes]));
  const freed = rights.unprotected.map((glob) => path.posix.join(path.relative(root, workspace), glob));
  const found = await findProtected({ folder: root, unprotected: freed, bound: rights.bound });
  const limits = createResourceLimits();
  const { openings = {} } = rights;
  const readable = [
    root,
    workspace,
    folder,
    ...(await findNamedPlaces([program.command, ...program.args], program.env)),
    ...(await findOpenedPlaces(openings, workspace)),
  ];
  const network = openSandboxNetwork([rights.hosts], rights.network);
  const sandboxed = await toSandboxedCommand({
    sandbox,
    limits,
    file: program.command,
    args: program.args,
    profile: {
      folder,
      project: root,
      emptied: findNeighbourhood(root),
      readable,
      writable: [...opened.map((each) => each.path), ...toPinned(root, found.mounted, opened)],
      readOnly: toReadOnly(root, found.mounted, opened),
      hidden: await toHidden(root, found.mounted),
      network: network !== undefined,
      ...(openings.unixSockets === true ? { sockets: await findSockets(readable) } : {}),
      temporaryBytes: limits.temporaryBytes,
    },
    network,
    expected: opened,
    checked: { folder: root, seen: found.seen },
  });
  const { XDG_RUNTIME_DIR: _, ...env } = program.env;
  return {
    ...sandboxed,
    env: { ...env, TMPDIR: "/tmp", TEMP: "/tmp", TMP: "/tmp", ...network?.environment },
    end: () => {
      sandboxed.end();
      network?.close();
    },
  };
};
