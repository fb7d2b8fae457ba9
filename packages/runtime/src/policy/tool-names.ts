/**
 * The names of tools in the worlds that agents and models come from, and ours for them. One table; what it does not hold keeps its name.
 * A name is only ever resolved to a tool that can do no more.
 */
import { DELEGATE } from "../delegation/delegate-tool-name.ts";

/** The tools that come with Retinue. */
export const TOOL_NAMES = [
  "read",
  "ls",
  "glob",
  "grep",
  "code_search",
  "overview",
  "plan_files",
  "docs_coverage",
  "write",
  "edit",
  "shell",
  "test",
  "git",
  "git_diff",
  "git_commit",
  "web_fetch",
  "web_search",
  "search_documents",
  "query_db",
  "ask_user",
  "load_skill",
  "todo",
  "browser_navigate",
  "browser_click",
  "browser_type",
  "browser_select",
  "browser_press",
  "browser_wait",
  "browser_snapshot",
  "browser_take_screenshot",
  "browser_close",
  "browser_hover",
  "browser_drag",
  "browser_upload",
  "browser_tabs",
  "browser_dialog",
  "browser_check",
  "screenshot",
  "click",
  "type",
  "key",
  "scroll",
] as const;

export type ToolName = (typeof TOOL_NAMES)[number];

/** By what is left of a name without case, dashes, underscores and spaces. */
export const OTHER_TOOL_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    read: ["readfile", "view", "viewfile", "fileread", "openfile", "cat", "notebookread"],
    ls: ["list", "listdir", "listfiles", "listdirectory"],
    glob: ["globsearch", "findfiles", "filesearch"],
    grep: ["search", "searchfiles", "searchtext", "grepsearch", "ripgrep"],
    code_search: ["searchcode", "codebasesearch", "semanticsearch"],
    write: ["writefile", "createfile", "filewrite", "writetofile"],
    edit: ["multiedit", "editfile", "patch", "applypatch", "strreplace", "replaceinfile", "searchreplace"],
    shell: ["bash", "executecommand", "runcommand", "runshellcommand", "terminal", "runinterminal", "powershell"],
    test: ["runtests"],
    web_fetch: ["fetch", "fetchurl", "readurl"],
    web_search: ["searchweb", "googlesearch"],
    search_documents: ["documentsearch"],
    query_db: ["querydatabase", "sqlquery"],
    ask_user: ["askuserquestion", "question"],
    load_skill: ["skill"],
    todo: ["todowrite", "todoread", "taskcreate", "taskupdate", "tasklist", "taskget"],
    [DELEGATE]: [
      "task",
      "agent",
      "subagent",
      "delegate",
      "delegatetoskill",
      "delegatetosubagent",
      "delegatetask",
      "spawn",
      "spawnagent",
      "spawnsubagent",
    ],
  }).flatMap(([ours, others]) => others.map((other): [string, string] => [other, ours])),
);

/** What is left of a tool's name without case and separators. */
export const bareToolName = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]+/g, "");

export const OUR_TOOL_NAMES: ReadonlyMap<string, string> = new Map(
  [...TOOL_NAMES, DELEGATE].map((name) => [bareToolName(name), name]),
);

/** Our name of a tool, whatever world it was named in; a name that nobody knows stays as it is. */
export const resolveToolName = (name: string): string => {
  const trimmed = name.trim();
  // Two underscores stand between a server and its tool, whose name is nobody else's.
  if (/\w__\w/.test(trimmed)) return toMcpPattern(trimmed);
  const key = bareToolName(trimmed);
  return OUR_TOOL_NAMES.get(key) ?? OTHER_TOOL_NAMES.get(key) ?? toMcpPattern(trimmed);
};

/** Of the tools that there are, the one that is meant by a name that none of them has. */
export const findToolNamed = <T>(name: string, tools: ReadonlyMap<string, T>): T | undefined => {
  const known = tools.get(resolveToolName(name));
  if (known) return known;
  const wanted = bareToolName(name);
  const same = [...tools.keys()].filter((tool) => bareToolName(tool) === wanted);
  return same.length === 1 ? tools.get(same[0] ?? "") : undefined;
};

/** Tools of MCP servers are `server.tool` here and `mcp__server__tool` elsewhere; `mcp__server` alone means every tool of that server. */
const toMcpPattern = (name: string): string => {
  const [, server, tool] = /^mcp__(.*?)(?:__(.*))?$/s.exec(name) ?? [];
  if (server === undefined || server === "") return name;
  return `${server}.${tool === undefined || tool === "" ? "*" : tool}`;
};
