/**
 * Holes that the product has had or could have, as changes of its own text: each takes one wall away, and an attack has to find it. A hole whose text is
 * no longer in the product is an error, so that none is thought to be found that was never opened.
 */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Edit, Hole } from "./hole.ts";
import { edit } from "./hole.ts";
import { NEWER_HOLES } from "./newer-holes.ts";
import { NEWEST_HOLES } from "./newest-holes.ts";

/** Files are judged by the name that a call gives, and what was opened is not looked at. */
const OPENED_UNSEEN = edit(
  "confine/src/files/open-regular-file.ts",
  "requireSeen(await realPlaceOf(handle, absolute), seen);",
  "",
);

/** Long enough between what is judged and what is opened that a race is won on a busy machine, too. */
const OPENED_LATER = edit(
  "confine/src/files/open-regular-file.ts",
  "    handle = await open(absolute,",
  "    await new Promise((resolve) => setTimeout(resolve, 25));\n    handle = await open(absolute,",
);

const REDACTION_OFF = edit(
  "retinue/src/host/workspace-engine.ts",
  "...(secrets.length === 0 ? {} : { redactor: createRedactor(secrets) }),",
  "",
);

export const HOLES: readonly Hole[] = [
  {
    name: "git-outside",
    what: "git runs outside the sandbox, and follows links that came with .git",
    finds: "read-out",
    kind: "hostile-project",
    theme: "anything",
    seed: 236,
    edits: [
      edit("confine/src/git/require-plain-folder.ts", `const waiting = [""];`, `const waiting: string[] = [];`),
      edit("confine/src/git/start-git.ts", `if (sandbox.backend === "none") {`, "if (Boolean(1)) {"),
    ],
  },
  {
    name: "embedded-filter",
    what: "git adds repositories in the project, and runs in them what their own settings name",
    finds: "changed",
    kind: "hostile-project",
    theme: "git",
    seed: 15,
    edits: [
      edit(
        "tools/src/git/git-commit.ts",
        "const changed = await listChanges(",
        `for (const _ of "12") await repository.run({ writes: true, args: ["add", "--all", "vendor"] });\n      const changed = await listChanges(`,
      ),
      edit("confine/src/git/start-git.ts", `if (sandbox.backend === "none") {`, "if (Boolean(1)) {"),
    ],
  },
  {
    name: "closed-folder",
    what: "a folder that may not be listed counts as one that holds nothing to hide",
    finds: "read-out",
    kind: "free",
    theme: "planting",
    seed: 16,
    asUser: true,
    edits: [
      REDACTION_OFF,
      edit("runtime/src/policy/judge.ts", "areKnown ? undefined : await digestTree?.(workspace)", "undefined"),
      edit("confine/src/sandbox/find-sockets.ts", "if (closed !== undefined)\n", "if (closed === null)\n"),
      edit("confine/src/sandbox/find-sockets.ts", "    return names;\n", "    return names.filter((name) => name !== closed);\n"),
      edit("confine/src/sandbox/protected-names.ts", "    closed: closed.map(", "    closed: closed.slice(0, 0).map("),
    ],
  },
  {
    name: "believed-import",
    what: "a session that was imported holds what it says it holds",
    finds: "allowed-itself",
    kind: "hostile-project",
    theme: "anything",
    seed: 1,
    edits: [
      edit(
        "runtime/src/delegation/narrow-recorded.ts",
        "readonly RecordedEvent[] => {\n  const settled",
        "readonly RecordedEvent[] => {\n  if (Boolean(1)) return events;\n  const settled",
      ),
    ],
  },
  {
    name: "redacted-writes",
    what: "a call is carried out with what redaction has made of it",
    finds: "altered",
    kind: "free",
    theme: "anything",
    seed: 6,
    edits: [
      edit(
        "runtime/src/loop/call.ts",
        "if (mark !== undefined && !isOnlySaid",
        "if (Boolean(0) && mark !== undefined && !isOnlySaid",
      ),
      edit("tools/src/write.ts", "          await refuseUnseen(", "          if (Boolean(0)) await refuseUnseen("),
      edit(
        "retinue/src/secrets/guessable.ts",
        "export const isWord = (value: string): boolean => {",
        "export const isWord = (value: string): boolean => {\n  if (Boolean(1)) return false;",
      ),
    ],
  },
  {
    name: "writable-trust",
    what: "commands write what a trusted hook runs",
    finds: "changed",
    kind: "free",
    theme: "writing",
    seed: 1,
    edits: [edit("confine/src/sandbox/protected-files.ts", ".slice(0, MAX_BOUND)", ".slice(0, 0)")],
  },
  {
    name: "many-planted",
    what: "more planted names than a cap are left where they are",
    finds: "changed",
    kind: "free",
    theme: "planting",
    seed: 26,
    edits: [
      edit(
        "confine/src/sandbox/quarantine.ts",
        "const files: string[] = [];\n",
        "const files: string[] = [];\n  if ((await searchProtected(search)).all.length > 300) return { files, place: undefined };\n",
      ),
    ],
  },
  {
    name: "failed-check",
    what: "a search for planted names that fails counts as one that found nothing",
    finds: "changed",
    kind: "free",
    theme: "planting",
    seed: 122,
    edits: [
      edit(
        "confine/src/sandbox/quarantine.ts",
        "if (unspeakable.length > 0) {",
        `if (unspeakable.length > 0) return [];\n    if (unspeakable.length > 0) {`,
      ),
    ],
  },
  {
    name: "judged-by-name",
    what: "a path is judged by its name, and what was opened is not looked at",
    finds: "read-out",
    kind: "hostile-project",
    theme: "context",
    seed: 1,
    edits: [
      edit(
        "runtime/src/policy/judge.ts",
        "real = await realPath(path.resolve(workspace, named));",
        "real = path.resolve(workspace, named); await realPath(workspace);",
      ),
      OPENED_UNSEEN,
    ],
  },
  {
    name: "judged-before-opened",
    what: "a file is judged before it is opened, and not after",
    finds: "read-out",
    kind: "race",
    theme: "anything",
    seed: 557,
    edits: [OPENED_UNSEEN, OPENED_LATER],
  },
  {
    name: "probe-fails-open",
    what: "a sandbox that cannot be tried counts as waived",
    finds: "changed",
    kind: "free",
    theme: "reading",
    seed: 2,
    edits: [
      edit(
        "confine/src/sandbox/probe-sandbox.ts",
        "return (await confines(sandbox, folder)) ??",
        `return none("planted") ?? (await confines(sandbox, folder)) ??`,
      ),
      edit("confine/src/sandbox/run-confined.ts", "if (run.allowUnsandboxed !== true) {", "if (Boolean(0)) {"),
      edit(
        "retinue/src/host/workspace-engine.ts",
        `return sandbox.backend === "none" ? sandbox : undefined;`,
        "return sandbox.backend === undefined ? undefined : undefined;",
      ),
    ],
  },
  {
    name: "keys-for-projects",
    what: "a project that nobody trusts says where the user's provider listens",
    finds: "reached",
    kind: "hostile-project",
    theme: "anything",
    seed: 1,
    edits: [
      edit("retinue/src/settings/narrower.ts", "!isKnownProvider(name) &&\n", ""),
      edit("retinue/src/settings/load-settings.ts", "...(isKeyless && { isKeyless })", ""),
      edit(
        "retinue/src/settings/load-settings.ts",
        `const WHOLE_ENTRIES = ["providers", "mcpServers"];`,
        "const WHOLE_ENTRIES: string[] = [];",
      ),
    ],
  },
  {
    name: "redaction-off",
    what: "known secrets are not taken out of what is said",
    finds: "read-out",
    kind: "free",
    theme: "anything",
    seed: 2,
    edits: [REDACTION_OFF],
  },
  {
    name: "private-addresses",
    what: "addresses of this machine are fetched",
    finds: "reached",
    kind: "free",
    theme: "addresses",
    seed: 1,
    edits: [
      edit(
        "confine/src/network/guard.ts",
        "if (isIP(host) === 0 ? isPrivateName(url) : !isOpen(host)) throw refuseAsPrivate",
        "if (host === isPrivateName.name) throw refuseAsPrivate",
      ),
    ],
  },
  {
    name: "shared-network",
    what: "commands share the network of the machine",
    finds: "reached",
    kind: "free",
    theme: "reaching",
    seed: 37,
    edits: [
      edit(
        "confine/src/sandbox/bwrap-arguments.ts",
        `["--unshare-all", "--unshare-user", "--disable-userns"]`,
        `["--unshare-all", "--share-net", "--unshare-user", "--disable-userns"]`,
      ),
    ],
  },
  {
    name: "home-is-seen",
    what: "commands see the home of the user",
    finds: "read-out",
    kind: "free",
    theme: "reading",
    seed: 1378,
    edits: [
      edit(
        "confine/src/sandbox/bwrap-arguments.ts",
        `args: ["--size", sizeOf(at), "--tmpfs", at] })),`,
        `args: ["--ro-bind", at, at] })),`,
      ),
      edit("confine/src/sandbox/bwrap-arguments.ts", "...host.hidden.map((hidden) => hide(hidden, emptyFile)),", ""),
    ],
  },
  {
    name: "whole-environment",
    what: "commands are given the whole environment",
    finds: "read-out",
    kind: "free",
    theme: "reading",
    seed: 105,
    edits: [
      edit(
        "confine/src/process/shell-environment.ts",
        "if (value !== undefined && (PASSED_ON.has(name) || /^LC_[A-Z]+$/.test(name)))",
        "if (value !== undefined)",
      ),
      REDACTION_OFF,
    ],
  },
  {
    name: "processes-stay",
    what: "what a command leaves running is neither in a namespace of its own nor looked for",
    finds: "process-left",
    kind: "free",
    theme: "staying",
    seed: 4,
    edits: [
      edit(
        "confine/src/sandbox/bwrap-arguments.ts",
        `["--unshare-all", "--unshare-user", "--disable-userns"]`,
        `["--unshare-ipc", "--unshare-net", "--unshare-uts", "--unshare-user"]`,
      ),
      edit("confine/src/sandbox/bwrap-arguments.ts", `"--die-with-parent", `, ""),
      edit("confine/src/sandbox/bwrap-arguments.ts", `"--proc", "/proc"]`, `"--ro-bind", "/proc", "/proc"]`),
      edit(
        "confine/src/process/run-command.ts",
        "const leftBehind = await endProcessTree(",
        "const leftBehind = await (async (_: unknown) => 0)(",
      ),
    ],
  },
  {
    name: "devices-open",
    what: "root may change the devices of the machine from inside the sandbox",
    finds: "changed",
    kind: "free",
    theme: "writing",
    ofRoot: true,
    seed: 3,
    edits: [
      edit("confine/src/sandbox/sandboxed-command.ts", "isRoot ? keepDevices(bwrap) : bwrap", "bwrap"),
      edit("confine/src/sandbox/probe-sandbox.ts", " && ! chmod 666 /dev/zero 2>/dev/null", ""),
    ],
  },
  {
    name: "answer-unbound",
    what: "an answer holds for whatever lies there when the command starts",
    finds: "swapped",
    kind: "free",
    theme: "swapping",
    seed: 7,
    edits: [
      edit("runtime/src/loop/ask-human.ts", "if (isAskedAbout(answer, now))", "if (isAskedAbout(answer, now) || Boolean(1))"),
      edit("tools/src/shell.ts", "if (changed.size === 0 && others === undefined) return;", "if (changed !== others) return;"),
    ],
  },
  {
    name: "wider-below",
    what: "an agent below may do more than the one that started it",
    finds: "changed",
    kind: "read-only",
    theme: "writing",
    seed: 5,
    edits: [
      edit(
        "runtime/src/policy/grant.ts",
        "approve: request.approve === undefined ? parent.approve : stricterMode(parent.approve, request.approve),",
        `approve: definition.grant === "session" ? "all" : parent.approve,`,
      ),
      edit(
        "runtime/src/policy/grant.ts",
        "return (\n    [...tools, ...grant.tools].every",
        "return Boolean(1) || (\n    [...tools, ...grant.tools].every",
      ),
    ],
  },
  ...NEWER_HOLES,
  ...NEWEST_HOLES,
];

const ROOT = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));

export type OpenedHole = {
  /** Throws where not all of its files were loaded. */
  readonly requireUsed: () => void;
};

/** From now on the product is loaded with the hole in it. */
export const openHole = ({ name, edits }: Hole): OpenedHole => {
  const files = new Map<string, Edit[]>();
  for (const one of edits) {
    const url = pathToFileURL(path.join(ROOT, one.file)).href;
    files.set(url, [...(files.get(url) ?? []), one]);
  }
  for (const [url, changes] of files) applyEdits(readFileSync(fileURLToPath(url), "utf8"), { name, changes });
  const used = new Set<string>();
  registerHooks({
    load: (url, context, nextLoad) => {
      const changes = files.get(url);
      const loaded = nextLoad(url, context);
      if (changes === undefined) return loaded;
      used.add(url);
      return { ...loaded, source: applyEdits(readFileSync(fileURLToPath(url), "utf8"), { name, changes }) };
    },
  });
  return {
    requireUsed: () => {
      for (const url of files.keys())
        if (!used.has(url)) throw new Error(`The hole "${name}" is in ${url}, which was never loaded.`);
    },
  };
};

export const applyEdits = (
  text: string,
  { name, changes }: { readonly name: string; readonly changes: readonly Edit[] },
): string => {
  let changed = text;
  for (const { file, from, to } of changes) {
    if (changed.split(from).length !== 2)
      throw new Error(`The hole "${name}" does not fit ${file} any more: ${JSON.stringify(from)}`);
    changed = changed.replace(from, () => to);
  }
  return changed;
};
