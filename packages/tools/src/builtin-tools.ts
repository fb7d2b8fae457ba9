/** The tools that every installation has. */
import type { SeenBefore } from "@retinue/confine";
import type { GitOptions } from "@retinue/confine";
import type { AnyTool } from "@retinue/runtime";
import type { CodeToolOptions } from "./code/code-index.ts";
import { createCodeSearchTool } from "./code/code-search.ts";
import { createDocsCoverageTool } from "./code/docs-coverage.ts";
import { createOverviewTool } from "./code/overview.ts";
import { createPlanFilesTool } from "./code/plan-files.ts";
import { createEditTool } from "./edit.ts";
import { createGitCommitTool } from "./git/git-commit.ts";
import { createGitDiffTool } from "./git/git-diff.ts";
import { createGitTool } from "./git/git.ts";
import { createGlobTool } from "./glob.ts";
import { createGrepTool } from "./grep.ts";
import { createAskUserTool } from "./human/ask-user.ts";
import { createTodoTool } from "./human/todo.ts";
import type { QueryDbOptions } from "./knowledge/query-db.ts";
import { createQueryDb } from "./knowledge/query-db.ts";
import { createSearchDocuments } from "./knowledge/search-documents.ts";
import { createLsTool } from "./ls.ts";
import { createReadTool } from "./read.ts";
import { createShellTool } from "./shell.ts";
import { createTestTool } from "./test/test.ts";
import type { KeepVersion } from "./versions/kept-versions.ts";
import type { WebFetchOptions } from "./web/web-fetch.ts";
import { createWebFetch } from "./web/web-fetch.ts";
import type { WebSearchOptions } from "./web/web-search.ts";
import { createWebSearch } from "./web/web-search.ts";
import { createWriteTool } from "./write.ts";

export type BuiltinToolOptions = {
  readonly shell?: Parameters<typeof createShellTool>[0];
  /** Globs of protected paths, relative to the workspace, that the user has set free. */
  readonly unprotected?: readonly string[];
  readonly code?: CodeToolOptions;
  readonly web?: WebFetchOptions;
  readonly webSearch?: WebSearchOptions;
  readonly queryDb?: QueryDbOptions;
  /** Of the documents that were added; without it there is no tool to search them. */
  readonly documentIndex?: string;
  /** Told of each change of a file before it is made. */
  readonly keepVersion?: KeepVersion;
  /** When agents of a session last saw files, as its record tells. */
  readonly seenBefore?: SeenBefore;
};

export const createBuiltinTools = (options: BuiltinToolOptions = {}): AnyTool[] => [
  createReadTool(toFreed(options)),
  createLsTool(toFreed(options)),
  createGlobTool(toFreed(options)),
  createGrepTool(options),
  createCodeSearchTool(options.code),
  createOverviewTool(),
  createPlanFilesTool(options.code),
  createDocsCoverageTool(options.code),
  createWriteTool({ ...toFreed(options), ...toKeeper(options) }),
  createEditTool({ ...toFreed(options), ...toKeeper(options) }),
  createShellTool(options.shell),
  createTestTool(options.shell),
  createGitTool(toGitOptions(options)),
  createGitDiffTool(toGitOptions(options)),
  createGitCommitTool(toGitOptions(options)),
  createWebFetch(options.web),
  ...(options.webSearch?.engine === undefined ? [] : [createWebSearch(options.webSearch)]),
  ...(options.documentIndex === undefined ? [] : [createSearchDocuments({ indexFile: options.documentIndex })]),
  ...(hasDatabase(options) ? [createQueryDb(options.queryDb ?? {})] : []),
  createAskUserTool(),
  createTodoTool(),
];

/** What nobody configured is not offered: every request would carry a tool that can only refuse. */
const hasDatabase = ({ queryDb }: BuiltinToolOptions): boolean => Object.keys(queryDb?.databases ?? {}).length > 0;

const toFreed = ({ unprotected }: BuiltinToolOptions): { readonly unprotected?: readonly string[] } =>
  unprotected === undefined ? {} : { unprotected };

const toKeeper = ({ keepVersion, seenBefore }: BuiltinToolOptions): Pick<BuiltinToolOptions, "keepVersion" | "seenBefore"> => ({
  ...(keepVersion === undefined ? {} : { keepVersion }),
  ...(seenBefore === undefined ? {} : { seenBefore }),
});

const toGitOptions = ({ unprotected, shell: { sandbox, allowUnsandboxed } = {} }: BuiltinToolOptions): GitOptions => ({
  ...(unprotected === undefined ? {} : { unprotected }),
  ...(sandbox === undefined ? {} : { sandbox }),
  // Left open where it is not waived: it then depends on what the run may do unasked.
  ...(allowUnsandboxed === true ? { allowUnsandboxed } : {}),
});
