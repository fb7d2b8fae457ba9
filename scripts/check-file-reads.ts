/**
 * Checks that nobody reads files on their own. A path that an agent, a project or a page named goes through `openRegularFile`, `readContextFile` or
 * `readPlainFile`, which neither block nor follow a swapped link. Every other file of the tree that opens files stands in the table with its reason.
 */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

/** The only way to name the module that tells what is taken from it. */
const NAMED_IMPORT = /import\s+(?:type\s+)?\{([^}]*)\}\s+from\s+"(?:node:)?fs(?:\/promises)?"/g;
const TYPE_IMPORT = /import\s+type\s+[^;]*?\s+from\s+"(?:node:)?fs(?:\/promises)?"/g;
const MODULE = /["'`](?:node:)?fs(?:\/promises)?["'`]/;
const READERS: ReadonlySet<string> = new Set([
  "readFile",
  "readFileSync",
  "createReadStream",
  "openAsBlob",
  "open",
  "openSync",
  "promises",
  "default",
]);

/** Whether a source can open files by itself. Any mention of the module but a list of harmless names counts. */
export const readsFiles = (source: string): boolean =>
  MODULE.test(source.replaceAll(NAMED_IMPORT, "").replaceAll(TYPE_IMPORT, "")) ||
  [...source.replaceAll(TYPE_IMPORT, "").matchAll(NAMED_IMPORT)].some(([, names]) =>
    (names ?? "").split(",").some((name) =>
      READERS.has(
        name
          .trim()
          .replace(/^type\s+/, "")
          .split(/\s+as\s+/)[0] ?? "",
      ),
    ),
  );

/** By path below `packages/`, with the reason why no path of an agent can be read there unjudged. */
export const MAY_READ: Readonly<Record<string, string>> = {
  // The functions that everybody else uses.
  "confine/src/files/open-regular-file.ts": "judges what it opened",
  "confine/src/files/open-folder.ts": "judges the folder that it opened",
  "confine/src/files/read-plain-file.ts": "opens without blocking, regular files only, bounded",
  "confine/src/files/write-inside.ts": "walks folder by folder without following links",
  // Open without blocking and judge the descriptor themselves.
  "agents/src/source-files.ts": "without blocking; judges the descriptor",
  "agents/src/plugins/collection-files.ts": "without blocking; a collection that the user adds",
  "confine/src/process/file-digest.ts": "without blocking; gives only a digest",
  "confine/src/sandbox/quarantine.ts": "opens folders by O_PATH without following links",
  "confine/src/sandbox/throw-away/take-back.ts": "without blocking or following links",
  "confine/src/worktree/read-version.ts": "without blocking or following links",
  "confine/src/worktree/copy-files.ts": "without blocking or following links",
  "confine/src/worktree/place-file.ts": "creates files, opens none",
  "confine/src/trust/state-file.ts": "own state, without blocking",
  "model/src/providers/settings-file.ts": "a key or certificates that settings name, without blocking",
  "retinue/src/settings/file-layer.ts": "settings, without blocking",
  "retinue/src/secrets/file-secrets.ts": "without blocking; nothing of it is shown",
  "retinue/src/tui/input/pasted-images.ts": "a path that a person pasted, without blocking",
  "tools/src/code/workspace-file.ts": "without blocking or following links",
  "tools/src/edit/planned-diff.ts": "without blocking or following links",
  "tools/src/mcp/read-mcp-files.ts": "settings, without blocking",
  "tools/src/search/line-check.ts": "without blocking or following links",
  "tools/src/skills/skill-file.ts": "without blocking; judges the descriptor",
  "tools/src/versions/take-back.ts": "without blocking or following links",
  "store/src/sqlite/open-database.ts": "the record itself",
  // Files that come with the product.
  "agents/src/builtin-agents.ts": "agents of the package",
  "confine/src/network/listen-inside.ts": "the running Node",
  "retinue/src/cli/init-command.ts": "a schema of the package",
  "retinue/src/cli/test/test-init-command.ts": "a schema of the package",
  "retinue/src/cli/version.ts": "the package's own manifest",
  "server/src/page/static-files.ts": "the built page, by a list made at start",
  "tools/src/browser/bundled-chromium.ts": "the manifest of a dependency",
  // Folders of Retinue's own, which no agent writes.
  "confine/src/process/output-spool.ts": "a spool that it created",
  "confine/src/worktree/stale-locks.ts": "markers in the folder of worktrees",
  "confine/src/worktree/git-worktrees.ts": "markers in the folder of worktrees",
  "confine/src/worktree/keep-work.ts": "own notes in the folder of worktrees",
  "confine/src/worktree/plan-merge.ts": "a copy that it just made",
  "retinue/src/approval-rules/rule-file.ts": "kept rules",
  "retinue/src/cli/agents/fan-out-record.ts": "records of fan-outs",
  "retinue/src/cli/history.ts": "history of the prompt",
  "retinue/src/host/begun-modes.ts": "approve modes of runs, in the user's own folder",
  "retinue/src/host/later-messages.ts": "messages for later",
  "retinue/src/qa/test-results.ts": "kept results",
  "tools/src/browser/browser-session.ts": "traces and downloads in the browser's private folder",
  "tools/src/knowledge/database/sqlite-process.ts": "its own standard input",
  "tools/src/versions/kept-versions.ts": "kept versions",
  // Files that a person names on a command line or in a call, where a FIFO may be meant.
  "agents/src/plugins/add-collection.ts": "a collection that the user adds",
  "qa/src/load/load-cases.ts": "test cases that a person names; regular by their folder entry",
  "qa/src/replay/to-playwright.ts": "only inside the text of the script that it writes",
  "retinue/src/cli/cassette.ts": "a cassette",
  "retinue/src/cli/plan/plan-file.ts": "a plan",
  "retinue/src/cli/plan/plan-show-command.ts": "a plan",
  "retinue/src/cli/record/import-command.ts": "an exported session",
  "retinue/src/cli/serve-command.ts": "a certificate",
  "retinue/src/cli/test/write-reports.ts": "screenshots that were just written",
  "retinue/src/library/image-part.ts": "an image that the caller names",
  // The kernel's own files.
  "confine/src/process/half-made-sandboxes.ts": "/proc",
  "confine/src/process/process-cap.ts": "/proc and /sys",
  "confine/src/process/process-owner.ts": "/proc",
  "confine/src/process/process-tree.ts": "/proc",
  "confine/src/process/sandbox-memory.ts": "/proc",
  "confine/src/process/watch-resources.ts": "/proc",
  "confine/src/sandbox/find-sockets.ts": "/proc",
  "confine/src/sandbox/throw-away/overlay-copy.ts": "/proc",
  "confine/src/search/ripgrep.ts": "/proc",
  "retinue/src/cli/reach/refuse-agents.ts": "/proc",
  "store/src/process-identity.ts": "/proc",
};

if (import.meta.main) {
  const root = path.join(path.dirname(import.meta.dirname), "packages");
  const files = globSync("*/src/**/*.ts", { cwd: root }).filter(
    (file) => !/\.test\.ts$|[\\/](?:testing|fixtures)[\\/]/.test(file) && !file.startsWith("web"),
  );
  const found = files
    .map((file) => file.split(path.sep).join("/"))
    .filter((file) => readsFiles(readFileSync(path.join(root, file), "utf8")));
  const problems = [
    ...found
      .filter((file) => MAY_READ[file] === undefined)
      .map((file) => `packages/${file} opens files by itself: use openRegularFile, readContextFile or readPlainFile of confine`),
    ...Object.keys(MAY_READ)
      .filter((file) => !found.includes(file))
      .map((file) => `packages/${file} opens no file: take it out of MAY_READ`),
  ];
  for (const problem of problems.toSorted()) console.log(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
