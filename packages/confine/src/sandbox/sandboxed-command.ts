/** A program with arguments as it is started inside the sandbox, with its limits set and its mounts checked before its first instruction. */
import { lstat } from "node:fs/promises";
import path from "node:path";
import { privateFolders } from "../files/private-folders.ts";
import type { PortOpener } from "../network/listen-inside.ts";
import { findPortOpener, openNode, toListening } from "../network/listen-inside.ts";
import type { SandboxNetwork } from "../network/sandbox-network.ts";
import type { Channel } from "../process/channel.ts";
import { createCappedGroup, toFewIds } from "../process/process-cap.ts";
import type { ResourceLimits } from "../process/resource-limits.ts";
import { toLimitedArguments } from "../process/resource-limits.ts";
import type { Command } from "../process/run-command.ts";
import { toBwrapArguments } from "./bwrap-arguments.ts";
import { createEmptyFile } from "./empty-file.ts";
import type { Owner } from "./folder-owner.ts";
import { findOwner } from "./folder-owner.ts";
import type { HostPlaces } from "./host-places.ts";
import { findHostPlaces, HOST_VARIABLES } from "./host-places.ts";
import { keepDevices } from "./kept-devices.ts";
import { quote, toInsideCheck, toNameList } from "./protected-names.ts";
import type { Sandbox, SandboxProfile } from "./sandbox.ts";
import { createSeccompFilter } from "./seccomp-filter.ts";
import type { SeenPlace } from "./system-places.ts";
import type { ThrowAwayCopy } from "./throw-away/throw-away-copy.ts";
import type { OpenedPath } from "./write-scope.ts";

export type SandboxedOptions = {
  readonly sandbox: Extract<Sandbox, { backend: "bwrap" }>;
  readonly profile: SandboxProfile;
  readonly limits: ResourceLimits;
  readonly file: string;
  readonly args: readonly string[];
  /** What is listened on inside and served out here; nothing where absent. */
  readonly network?: Pick<SandboxNetwork, "ports" | "onServer"> | undefined;
  /** What opens the ports inside; what this machine has by default. */
  readonly portOpener?: PortOpener;
  /** What must lie at these paths inside; otherwise somebody has swapped it meanwhile. */
  readonly expected: readonly OpenedPath[];
  /** The project, and which of its protected names may be seen inside; what else is found there before the start, and not masked, ends it. */
  readonly checked?: { readonly folder: string; readonly seen: readonly string[] };
  /** The copy that the profile names, and how the sandbox is started where that copy is. */
  readonly copy?: Pick<ThrowAwayCopy, "enter" | "isRootInside"> | undefined;
};

export type SandboxedCommand = Pick<Command, "file" | "args" | "channels"> &
  Partial<Pick<Command, "owner">> & {
    /** The number of its PID namespace, once it is known. */
    readonly namespace: () => number | undefined;
    /** Whether the command itself was reached. */
    readonly hasStarted: () => boolean;
    /** Whether a path leads inside to what it leads to outside, or to something of the command's own. */
    readonly isSeen: (file: string) => boolean;
    /** Its private file systems, as they are called inside. */
    readonly temporary: readonly string[];
    /** To be called when it has ended. */
    readonly end: () => void;
  };

/** Numbers of open files inside. */
const FILTER = 3;
const INFO = 4;
const STARTED = 5;
const NAMES = 6;
const SERVERS = 7;
const NODE = 8;

/** The identity of root is taken off; the files it owns stay its own. */
const INSIDE_ROOT = { uid: 1000, gid: 1000 };

const MOST_INFO = 4096;

const KERNEL_FILES = ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"];

export const toSandboxedCommand = async (options: SandboxedOptions): Promise<SandboxedCommand> => {
  const { sandbox, profile, limits, file, args, expected, checked, network, copy, portOpener = findPortOpener() } = options;
  const owner = await findOwner(profile.folder);
  const isRoot = process.getuid?.() === 0 && owner === undefined;
  const places = await hostPlaces(isRoot, profile);
  const host = owner === undefined ? places : await toOpenPlaces(places);
  const filter = createSeccompFilter({ deniesUnixSockets: profile.sockets === undefined });
  const limited = toLimitedArguments(
    limits,
    { file, args },
    {
      first: network === undefined ? "" : toListening(portOpener, { node: NODE, channel: SERVERS }, network.ports),
      before: toChecks(expected, checked?.folder),
      keep: [STARTED, NAMES],
    },
  );
  let info = "";
  let started = false;
  const channels: readonly Channel[] = [
    { type: "give", bytes: filter ?? Buffer.alloc(0) },
    { type: "take", onData: (chunk) => (info = (info + chunk.toString("utf8")).slice(0, MOST_INFO)) },
    {
      type: "take",
      onData: (_, answer) => {
        started = true;
        answer("go\n");
      },
    },
    { type: "give", bytes: toNameList(checked?.seen ?? []) },
    ...(network === undefined
      ? []
      : ([
          { type: "servers", count: network.ports.length, onServer: network.onServer },
          ...(portOpener.type === "node" ? [{ type: "file", descriptor: openNode() } as const] : []),
        ] as const)),
  ];
  const identity = isRoot ? INSIDE_ROOT : copy?.isRootInside === true ? (owner ?? ownIdentity()) : undefined;
  const {
    args: mounts,
    isSeen,
    temporary,
  } = toBwrapArguments({
    profile,
    host,
    emptyFile: createEmptyFile(),
    identity,
    filterFile: filter === undefined ? undefined : FILTER,
    infoFile: INFO,
    kernelFiles: await findExisting(KERNEL_FILES),
  });
  const bwrap = { file: sandbox.program, args: [...mounts, "--", limited.file, ...limited.args] };
  const kept = isRoot ? keepDevices(bwrap) : bwrap;
  const program = copy?.enter(kept) ?? kept;
  const { processCap } = sandbox;
  const group = isRoot && processCap.type === "cgroup" ? createCappedGroup(processCap.folder, limits) : undefined;
  return {
    ...(group?.enter(program) ?? (isRoot && processCap.type === "pid-namespace" ? toFewIds(program, limits.processes) : program)),
    channels,
    ...(owner === undefined ? {} : { owner }),
    namespace: () => {
      const [, number] = /"pid-namespace":\s*(\d+)/.exec(info) ?? [];
      return number === undefined ? undefined : Number(number);
    },
    hasStarted: () => started,
    isSeen,
    temporary,
    end: () => group?.end(),
  };
};

const ownIdentity = (): Owner | undefined => {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
};

/** Looked for once, as long as nothing changes by which it is found. */
const known = new Map<string, Promise<HostPlaces>>();

const hostPlaces = (isRoot: boolean, { emptied, project }: SandboxProfile): Promise<HostPlaces> => {
  const environment = Object.fromEntries(HOST_VARIABLES.map((name) => [name, process.env[name]]));
  const closed = privateFolders();
  const key = JSON.stringify([isRoot, emptied, project, closed, environment]);
  let places = known.get(key);
  if (!places) known.set(key, (places = findHostPlaces({ environment, isRoot, emptied, closed, project })));
  return places;
};

/** What somebody else than its owner can reach too. */
const toOpenPlaces = async (host: HostPlaces): Promise<HostPlaces> => {
  const tools: SeenPlace[] = [];
  for (const place of host.tools) if (await isOpen(place.from)) tools.push(place);
  return { ...host, tools, caches: [] };
};

const isOpen = async (folder: string): Promise<boolean> => {
  for (let at = folder; at !== path.dirname(at); at = path.dirname(at)) if (((await lstat(at)).mode & 0o001) === 0) return false;
  return true;
};

const findExisting = async (files: readonly string[]): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const file of files) if (await lstat(file).catch(() => undefined)) found.push(file);
  return found;
};

/**
 * Lines for sh that end everything when a folder is not the one that was looked at, and then tell that the command begins. It waits for the
 * answer: should we have been killed before the sandbox was bound to our life, there is none, and nothing is run.
 */
const toChecks = (expected: readonly OpenedPath[], project: string | undefined): string => {
  const checks = expected.map(
    ({ path: at, identity }) =>
      `[ "$(PATH=/usr/bin:/bin stat -c %d:%i -- ${quote(at)})" = ${identity} ] || { echo "sandbox: "${quote(at)}" was swapped"; exit 125; }`,
  );
  const names = project === undefined ? `exec ${NAMES}<&-` : toInsideCheck({ folder: project, list: NAMES });
  return [...checks, names, `printf s >&${STARTED} && read -r go <&${STARTED} || exit 125`, `exec ${STARTED}>&-`].join("\n");
};
