/**
 * Runs a program with no more rights than the run has: in a sandbox made from its grant, or, where the machine has none, not at all if the
 * grant is limited. Tells which files were changed, as measured, and what was kept from the command.
 */
import path from "node:path";
import type { FileChanges, ProposedAct } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { ToolScope } from "@retinue/runtime";
import { isInside } from "@retinue/runtime";
import { requireFolder } from "../files/require-folder.ts";
import { findShownSettings } from "../git/shown-settings.ts";
import type { Snapshot } from "../process/file-changes.ts";
import { compareSnapshots, takeSnapshot } from "../process/file-changes.ts";
import type { NetworkOptions } from "../network/sandbox-network.ts";
import { openSandboxNetwork } from "../network/sandbox-network.ts";
import { createCappedGroup, findProcessCap } from "../process/process-cap.ts";
import type { ResourceLimits } from "../process/resource-limits.ts";
import { createResourceLimits } from "../process/resource-limits.ts";
import type { Command, CommandEnd } from "../process/run-command.ts";
import { runCommand } from "../process/run-command.ts";
import { watchResources } from "../process/watch-resources.ts";
import { findSockets } from "./find-sockets.ts";
import type { SandboxOpenings } from "./opened-places.ts";
import { isPrivate } from "../files/private-folders.ts";
import { findOpenedPlaces, nameOpenings } from "./opened-places.ts";
import { probeSandbox } from "./probe-sandbox.ts";
import { findProjectView, toHeld, toHidden, toPinned, toReadOnly } from "./project-places.ts";
import { findProtected, searchNamed } from "./protected-files.ts";
import type { QuarantineSearch } from "./quarantine.ts";
import { quarantineNew } from "./quarantine.ts";
import type { Sandbox } from "./sandbox.ts";
import { toSandboxedCommand } from "./sandboxed-command.ts";
import { findSharedRepository } from "./shared-repository.ts";
import { byPath } from "../search/list-files.ts";
import type { TakenBack } from "./throw-away/take-back.ts";
import type { CopyKind } from "./throw-away/throw-away-copy.ts";
import type { OpenedCopy } from "./throw-away/throw-away-run.ts";
import { openCopyForRun } from "./throw-away/throw-away-run.ts";
import type { OpenedPath } from "./write-scope.ts";
import { openWriteScope, toWriteScope } from "./write-scope.ts";

export type ConfinementOptions = {
  /** What `probeSandbox` finds, by default. */
  readonly sandbox?: Sandbox;
  /** A human has waived the sandbox for agents that would need one. */
  readonly allowUnsandboxed?: boolean;
  /** Folders outside the workspace that commands may read though they lie in a home or a temporary folder. */
  readonly readable?: readonly string[];
  /** Globs of protected paths that the user has set free. */
  readonly unprotected?: readonly string[];
  /** Files that trusted hooks and servers run, absolute and real, as they are when a command is started: no command writes them. */
  readonly bound?: () => readonly string[];
  /** Where to move what a command puts under protected names; `quarantine` of the user's state by default. */
  readonly quarantine?: string;
  readonly limits?: Partial<ResourceLimits>;
  /** How the copy is made that commands work in which may not write the workspace; what the machine can by default. */
  readonly copyBy?: CopyKind;
  /** What of the machine and of private networks the user has opened to commands, beside the public hosts of the grant. */
  readonly network?: NetworkOptions;
  /** What else of the machine the user has opened to commands. */
  readonly openings?: SandboxOpenings;
};

/** By the user's settings, or by whoever was told of it and allowed this very act. */
export const isUnsandboxedAllowed = (
  { allowUnsandboxed = false }: Pick<ConfinementOptions, "allowUnsandboxed">,
  act: Pick<ProposedAct, "unsandboxed"> | undefined,
): boolean => allowUnsandboxed || act?.unsandboxed !== undefined;

export type ConfinedRun = ConfinementOptions & {
  readonly command: Omit<Command, "channels" | "owner" | "watch">;
  readonly workspace: string;
  readonly scope: ToolScope;
  /** Folders outside the workspace that this command may write too, such as for a report. */
  readonly alsoWritable?: readonly string[];
  /** Called when all is ready and the command is about to be started; what it throws, ends it. */
  readonly beforeStart?: () => Promise<void>;
  /** It only looks: it writes nothing and reaches no host, whatever the run may do. */
  readonly onlyLooks?: boolean;
  /** It is known to write no file, so that it needs no copy to write in. */
  readonly writesNothing?: boolean;
};

export type Confinement = {
  readonly backend: Sandbox["backend"];
  /** Its name and version, for the record. */
  readonly sandbox: string;
  /** The sandbox would have been needed and was waived. */
  readonly isWaived: boolean;
  readonly network: boolean;
  /** What the command tried to reach and may not, with the reason and the setting that opens it. */
  readonly refusals: readonly string[];
  /** Files of the workspace that the command saw as empty. */
  readonly hidden: readonly string[];
  /** What the command had put under protected names, and where it was moved to. */
  readonly quarantined: readonly string[];
  readonly quarantine: string | undefined;
  /** Why it could not be looked for such things; no further command is run in the workspace until it can. */
  readonly unchecked: string | undefined;
  /** What became of the copy that the command worked in; undefined where it worked in the workspace itself. */
  readonly copy?: CopyOutcome | undefined;
};

/** Paths are relative to the workspace. `failure`: why nothing could be taken back. */
export type CopyOutcome = Pick<TakenBack, "deleted" | "left" | "dropped"> & {
  readonly kind: CopyKind;
  readonly failure?: string;
};

export type ConfinedEnd = {
  readonly end: CommandEnd;
  readonly confinement: Confinement;
  /** Undefined where the tree was too large to be measured. */
  readonly files: FileChanges | undefined;
};

export const runConfined = async (run: ConfinedRun): Promise<ConfinedEnd> => {
  const { scope, command } = run;
  if (command.signal.aborted) throw new RetinueError("cancelled", "The command was not started: it is no longer wanted.");
  const sandbox = run.sandbox ?? (await probeSandbox());
  const writeScope = toWriteScope(scope.writes);
  const isLimited =
    scope.directory !== undefined || !writeScope.folders.includes("") || !scope.hosts.every((hosts) => hosts.includes("*"));
  if (sandbox.backend === "bwrap") return runInSandbox(run, sandbox);
  if (run.allowUnsandboxed !== true) {
    // What is installed and fails may work the next time; until then nothing runs as if there had never been one.
    if (sandbox.isInstalled)
      throw new RetinueError(
        "sandbox_unavailable",
        `The sandbox of this machine does not work now, so that nothing was run: ${sandbox.reason}.`,
        {
          hint: "It is tried again with the next command. `retinue doctor` tells what is wrong; the user can waive the sandbox by allowUnsandboxed.",
        },
      );
    if (isLimited)
      throw new RetinueError(
        "sandbox_unavailable",
        `This agent may not see, write or reach everything, and its commands can be kept to that only in a sandbox, which this machine does not have: ${sandbox.reason}.`,
      );
  }
  return runPlainly(run, {
    backend: "none",
    sandbox: "none",
    isWaived: isLimited || sandbox.isInstalled,
    network: true,
    refusals: [],
    hidden: [],
  });
};

const whileWanted = async <T>(signal: AbortSignal, work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (thrown) {
    if (signal.aborted)
      throw new RetinueError("cancelled", "The command was not started: it is no longer wanted.", { cause: thrown });
    throw thrown;
  }
};

const UNCHANGED: FileChanges = { created: [], modified: [] };

type Kept = Omit<Confinement, "quarantined" | "quarantine" | "unchecked">;

const runPlainly = async (run: ConfinedRun, kept: Kept): Promise<ConfinedEnd> => {
  const { workspace, command, unprotected = [] } = run;
  const { signal } = command;
  const limits = createResourceLimits(run.limits);
  await requireFolder(workspace, workspace);
  await requireChecked(workspace);
  const [found, before] = await whileWanted(
    signal,
    Promise.all([searchNamed({ folder: workspace, unprotected, signal }), takeSnapshot(workspace, signal)]),
  );
  await run.beforeStart?.();
  const cap = findProcessCap();
  const group = cap.type === "cgroup" ? createCappedGroup(cap.folder, limits) : undefined;
  const end = await runCommand({
    ...command,
    ...group?.enter(command),
    watch: (onExceeded) => watchResources({ limits, folders: [workspace], namespace: () => undefined, onExceeded }),
  }).finally(() => group?.end());
  const checked = await check({ folder: workspace, before: found.all, unprotected, into: run.quarantine });
  return { end, confinement: { ...kept, ...checked }, files: compareSnapshots(before, await takeSnapshot(workspace)) };
};

/** Workspaces in which a command may have left what could not be looked for. */
const unchecked = new Map<string, QuarantineSearch>();

/** The command has run: that something could not be looked at afterwards does not take away what it gave, but ends what would come after it. */
const check = async (search: QuarantineSearch): Promise<Omit<Confinement, keyof Kept>> => {
  try {
    const { files, place } = await quarantineNew(search);
    return { quarantined: files, quarantine: place, unchecked: undefined };
  } catch (thrown) {
    unchecked.set(search.folder, search);
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { quarantined: [], quarantine: undefined, unchecked: why };
  }
};

const requireChecked = async (workspace: string): Promise<void> => {
  const search = unchecked.get(workspace);
  if (search === undefined) return;
  try {
    await quarantineNew(search);
    unchecked.delete(workspace);
  } catch (thrown) {
    throw new RetinueError(
      "tool_failed",
      `What an earlier command may have put under protected names could not be looked for, so that no other is run: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
      { hint: "The user has to make the workspace searchable.", cause: thrown },
    );
  }
};

/** Of a command that may not write the whole workspace, a copy in its place; so that it builds, caches and covers as it does for everybody. */
const openCopy = async (
  run: ConfinedRun,
  opened: readonly OpenedPath[],
  covered: readonly string[],
): Promise<OpenedCopy | undefined> => {
  const { workspace, scope, command, onlyLooks = false, writesNothing = false, unprotected = [], copyBy } = run;
  if (onlyLooks || writesNothing || opened.some((each) => each.path === workspace)) return undefined;
  const { signal } = command;
  return whileWanted(
    signal,
    openCopyForRun({
      workspace,
      writes: scope.writes,
      unprotected,
      bound: run.bound?.() ?? [],
      opened: opened.map((each) => each.path),
      without: covered.filter((file) => isInside(workspace, file)),
      kind: copyBy,
      maxBytes: createResourceLimits(run.limits).temporaryBytes,
      signal,
    }),
  );
};

const runInSandbox = async (run: ConfinedRun, sandbox: Extract<Sandbox, { backend: "bwrap" }>): Promise<ConfinedEnd> => {
  const { workspace, command, alsoWritable = [], onlyLooks = false, unprotected = [], openings = {} } = run;
  if (isInside(workspace, "/etc"))
    throw new RetinueError(
      "sandbox_unavailable",
      `${workspace} holds the whole system; no command is run with that as workspace.`,
      {
        hint: "The user has to choose the folder of a project.",
      },
    );
  const limits = createResourceLimits(run.limits);
  const opened = onlyLooks ? [] : await openWriteScope(workspace, toWriteScope(run.scope.writes));
  const { project, root, emptied, packages } = await findProjectView(workspace, run.scope.directory);
  // A repository that a part of the workspace shares with the rest would tell of the rest.
  const shared = run.scope.directory === undefined ? await findSharedRepository(root) : undefined;
  const { signal } = command;
  await requireChecked(workspace);
  const freed = unprotected.map((glob) => path.posix.join(path.relative(root, workspace), glob));
  const readable = [
    root,
    workspace,
    ...packages,
    ...(shared === undefined ? [] : [shared]),
    ...(run.readable ?? []),
    ...(await findOpenedPlaces(openings, workspace)),
  ];
  const [searched, before, sockets] = await whileWanted(
    signal,
    Promise.all([
      findProtected({ folder: root, unprotected: freed, bound: run.bound?.() ?? [], signal }),
      opened.length === 0 ? undefined : takeSnapshot(workspace, signal),
      onlyLooks || openings.unixSockets !== true ? undefined : findSockets([...readable, ...alsoWritable], signal),
    ]),
  );
  // Private folders are empty inside; whatever was mounted there again would be seen.
  const found = { ...searched, mounted: searched.mounted.filter(({ file }) => !isPrivate(path.join(root, file), workspace)) };
  await run.beforeStart?.();
  const hidden = await toHidden(root, found.mounted);
  if (hidden.some((each) => each.isFolder && isInside(each.path, command.cwd)))
    throw new RetinueError("tool_failed", `${workspace} may not be listed, or is a secret; no command is run in it.`, {
      hint: "The user has to give the right to list it.",
    });
  const covered = [...hidden.map((each) => each.path), ...toReadOnly(root, found.mounted, [{ path: workspace, identity: "" }])];
  await using copy = disposed(await openCopy(run, opened, covered));
  const readOnly = [
    ...toReadOnly(root, found.mounted, copy.made ? [{ path: workspace, identity: "" }] : opened),
    ...linkedFiles(workspace, before, opened),
    ...(copy.made?.beneath ?? []),
  ];
  const network = onlyLooks ? undefined : openSandboxNetwork(run.scope.hosts, run.network);
  const sandboxed = await toSandboxedCommand({
    sandbox,
    limits,
    file: command.file,
    args: command.args,
    profile: {
      folder: command.cwd,
      project,
      emptied,
      readable,
      writable: [...opened.map((each) => each.path), ...toPinned(root, found.mounted, opened), ...alsoWritable],
      ...(copy.made ? { copy: { at: workspace, from: copy.made.from } } : {}),
      readOnly,
      hidden,
      shown: await findShownSettings(shared ?? path.join(root, ".git")),
      network: network !== undefined,
      ...(sockets === undefined ? {} : { sockets }),
      temporaryBytes: limits.temporaryBytes,
    },
    network,
    expected: opened,
    checked: { folder: root, seen: found.seen },
    copy: copy.made,
  });
  const folders = [workspace, ...(copy.made ? [copy.made.from] : [])];
  let output = "";
  const last = createTail();
  const listen = (onOutput: Command["onOutput"]) => (chunk: Buffer) => {
    last.add(chunk);
    if (!sandboxed.hasStarted()) output = (output + chunk.toString("utf8")).slice(0, 2000);
    onOutput(chunk);
  };
  const end = await runCommand({
    ...command,
    ...sandboxed,
    env: { ...toInnerEnvironment(command.env), ...network?.environment },
    onOutput: listen(command.onOutput),
    ...(command.onError === undefined ? {} : { onError: listen(command.onError) }),
    watch: (onExceeded) =>
      watchResources({ limits, folders, namespace: sandboxed.namespace, temporary: sandboxed.temporary, onExceeded }),
  }).finally(() => {
    sandboxed.end();
    network?.close();
  });
  if (end.type === "exited" && end.exceeded === undefined && !sandboxed.hasStarted())
    throw new RetinueError(
      "tool_failed",
      `The sandbox could not be made, so that nothing was run: ${output.trim() || `it ended with ${end.exitCode}`}`,
    );
  const isUntouched = opened.length === 0;
  const held = toHeld(root, workspace, found.mounted);
  const checked = isUntouched
    ? { quarantined: [], quarantine: undefined, unchecked: undefined }
    : await check({ folder: workspace, before: found.all, held, unprotected, into: run.quarantine });
  const files = isUntouched ? UNCHANGED : compareSnapshots(before, await takeSnapshot(workspace));
  const taken = await copy.made?.takeBack();
  return {
    // Whatever it left behind has ended with its namespace.
    end: end.type === "exited" ? { ...end, leftBehind: 0 } : end,
    confinement: {
      backend: "bwrap",
      sandbox: `bwrap ${sandbox.version}`,
      isWaived: false,
      network: network !== undefined,
      refusals: [
        ...(network?.refusals() ?? []),
        ...(end.type === "exited" && end.exitCode !== 0 ? nameOpenings(last.text(), sandboxed.isSeen) : []),
      ],
      hidden: hidden
        .map((each) => each.path)
        .filter((file) => isInside(workspace, file))
        .map((file) => path.relative(workspace, file)),
      ...checked,
      ...(copy.made && taken ? { copy: toOutcome(copy.made.kind, taken) } : {}),
    },
    files: taken === undefined ? files : files && joinChanges(files, taken),
  };
};

/** How much of what a command said is looked through for what it missed. */
const LAST_OUTPUT = 16 * 1024;

/** The end of what a command said, in memory that is taken once. */
const createTail = (): { readonly add: (chunk: Buffer) => void; readonly text: () => string } => {
  const bytes = Buffer.alloc(LAST_OUTPUT);
  let length = 0;
  return {
    add: (chunk) => {
      const added = chunk.subarray(-LAST_OUTPUT);
      bytes.copyWithin(0, added.length);
      added.copy(bytes, LAST_OUTPUT - added.length);
      length = Math.min(LAST_OUTPUT, length + added.length);
    },
    text: () => bytes.toString("utf8", LAST_OUTPUT - length),
  };
};

const disposed = (made: OpenedCopy | undefined) => ({ made, [Symbol.asyncDispose]: async () => made?.remove() });

const toOutcome = (
  kind: CopyKind,
  { deleted, left, dropped, failure }: Awaited<ReturnType<OpenedCopy["takeBack"]>>,
): CopyOutcome => ({ kind, deleted, left, dropped, ...(failure === undefined ? {} : { failure }) });

const joinChanges = (files: FileChanges, taken: TakenBack): FileChanges => ({
  created: [...new Set([...files.created, ...taken.created])].toSorted(byPath),
  modified: [...new Set([...files.modified, ...taken.modified])].toSorted(byPath),
});

const MOST_LINKED = 500;

/** Files with other names too: writing them here could write them elsewhere. */
const linkedFiles = (workspace: string, before: Snapshot, opened: readonly OpenedPath[]): readonly string[] => {
  const linked = [...(before ?? [])]
    .filter(([, { hardLinks }]) => hardLinks > 1)
    .map(([file]) => path.join(workspace, file))
    .filter((file) => opened.some((each) => isInside(each.path, file)));
  if (linked.length > MOST_LINKED)
    throw new RetinueError(
      "tool_failed",
      `${linked.length} files of the workspace are hard links, and could be files elsewhere too; no command is run.`,
    );
  return linked;
};

/** Temporary files go to the private folder; sockets of the session are not there. */
const toInnerEnvironment = (environment: Command["env"]): Command["env"] => {
  const { XDG_RUNTIME_DIR: _, ...rest } = environment;
  return { ...rest, TMPDIR: "/tmp", TEMP: "/tmp", TMP: "/tmp", GIT_OPTIONAL_LOCKS: "0" };
};
