/** What our tools are in the rules of other worlds, and which of them the patterns in agent files mean. */
import type { ToolName } from "@retinue/runtime";
import { bareToolName, DELEGATE, OTHER_TOOL_NAMES, OUR_TOOL_NAMES, resolveToolName } from "@retinue/runtime";
import { matchesGlob } from "@retinue/protocol/names";

export { resolveToolName };

/** What our own tools are in other worlds' rules: whether they only read, and the opencode permission that governs them. */
type ToolTraits = { readonly reads: boolean; readonly permission: string };

export const DELEGATE_TOOL = DELEGATE;

/** Our tools that come with Retinue. Those that run commands are all governed by what governs the shell. */
export const TOOL_TRAITS: ReadonlyMap<string, ToolTraits> = new Map(
  Object.entries({
    read: { reads: true, permission: "read" },
    ls: { reads: true, permission: "list" },
    glob: { reads: true, permission: "glob" },
    grep: { reads: true, permission: "grep" },
    code_search: { reads: true, permission: "codesearch" },
    overview: { reads: true, permission: "read" },
    plan_files: { reads: true, permission: "read" },
    docs_coverage: { reads: true, permission: "read" },
    write: { reads: false, permission: "edit" },
    edit: { reads: false, permission: "edit" },
    shell: { reads: false, permission: "bash" },
    test: { reads: false, permission: "bash" },
    git: { reads: false, permission: "bash" },
    git_diff: { reads: true, permission: "bash" },
    git_commit: { reads: false, permission: "bash" },
    web_fetch: { reads: false, permission: "webfetch" },
    web_search: { reads: false, permission: "websearch" },
    search_documents: { reads: true, permission: "search_documents" },
    query_db: { reads: true, permission: "query_db" },
    ask_user: { reads: true, permission: "question" },
    load_skill: { reads: true, permission: "skill" },
    todo: { reads: true, permission: "todowrite" },
    browser_navigate: { reads: false, permission: "browser" },
    browser_click: { reads: false, permission: "browser" },
    browser_type: { reads: false, permission: "browser" },
    browser_select: { reads: false, permission: "browser" },
    browser_press: { reads: false, permission: "browser" },
    browser_wait: { reads: false, permission: "browser" },
    browser_snapshot: { reads: false, permission: "browser" },
    browser_take_screenshot: { reads: false, permission: "browser" },
    browser_close: { reads: false, permission: "browser" },
    browser_hover: { reads: false, permission: "browser" },
    browser_drag: { reads: false, permission: "browser" },
    browser_upload: { reads: false, permission: "browser" },
    browser_tabs: { reads: false, permission: "browser" },
    browser_dialog: { reads: false, permission: "browser" },
    browser_check: { reads: false, permission: "browser" },
    screenshot: { reads: false, permission: "screenshot" },
    click: { reads: false, permission: "click" },
    type: { reads: false, permission: "type" },
    key: { reads: false, permission: "key" },
    scroll: { reads: false, permission: "key" },
  } satisfies Record<ToolName, ToolTraits>),
);

/** Tools that run commands: whoever may not use a shell may not use these either. */
export const COMMAND_TOOLS = ["shell", "test", "git", "git_diff", "git_commit"] as const;

export const READING_TOOLS: readonly string[] = [...TOOL_TRAITS].filter(([, { reads }]) => reads).map(([name]) => name);

/** Our tools that a glob of names means, in whatever world it was written. */
export const toolsMatching = (glob: string): readonly string[] => {
  const pattern = bareToolName(glob);
  const matching = [...OUR_TOOL_NAMES, ...OTHER_TOOL_NAMES]
    .filter(([name]) => matchesGlob(pattern, name))
    .map(([, ours]) => ours);
  return [...new Set(matching)];
};

const MOST_STARS = 3;
const PATTERN = /^[A-Za-z0-9*?][\w.*?:/-]{0,127}$/;

/** A tool's name or a glob of names that is cheap to match. */
export const isToolPattern = (pattern: string): boolean =>
  PATTERN.test(pattern) && (pattern.match(/\*+/g)?.length ?? 0) <= MOST_STARS && !pattern.includes("**");
