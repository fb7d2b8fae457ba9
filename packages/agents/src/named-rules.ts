/** The rules of files by the tools that they name, and those of them that name none of the tools that there are. */
import { isGlob, matchesGlob, nearestName } from "@retinue/protocol/names";
import { namesTool, TOOL_NAMES } from "@retinue/runtime";
import type { Problem } from "./problem.ts";

export type NamedRule = {
  /** As it stands in the file. */
  readonly written: string;
  readonly line: number;
  /** The names that it means, any of which may be a tool. */
  readonly tools: readonly string[];
};

export type KnownTools = {
  readonly tools: readonly string[];
  /** MCP servers of the settings, also those that are not started. */
  readonly servers: readonly string[];
};

/** Tools that the other programs have and Retinue does not: a rule about them is no mistake. */
const TOOLS_ELSEWHERE: readonly string[] = [
  "notebookedit",
  "notebookread",
  "bashoutput",
  "kill*",
  "*planmode",
  "slashcommand",
  "listmcpresources*",
  "readmcpresource*",
  "toolsearch",
  "task*",
  "cron*",
  "*worktree",
  "monitor",
  "lsp",
  "codesearch",
  "external_directory",
  "doom_loop",
  "todo*",
  "plan_*",
  "batch",
  "powershell",
];

/** What to say of each rule of a file that names no tool: a warning, or a notice where the other program has such a tool. */
export const toIdleProblems = (
  file: string,
  rules: readonly NamedRule[],
  { tools: inSession, servers }: KnownTools,
): readonly Problem[] => {
  // A tool that comes with Retinue and is switched off is no mistake either.
  const tools = [...new Set([...inSession, ...TOOL_NAMES])];
  return rules
    .filter(({ tools: named }) => !named.some((name) => name === "*" || tools.some((tool) => namesTool([name], tool))))
    .filter(({ tools: named }) => !named.some((name) => mayBeOf(servers, tools, name)))
    .map(({ written, line, tools: named }) => {
      const [name = ""] = named;
      const isElsewhere = named.some((one) => TOOLS_ELSEWHERE.some((other) => matchesGlob(other, one.toLowerCase())));
      const near = isGlob(name) || isElsewhere ? undefined : nearestName(name, tools);
      return {
        file,
        line,
        severity: isElsewhere ? "notice" : "warning",
        message:
          `the rule "${written}" names no tool of this session, so that it has no effect` +
          (near === undefined ? "" : ` (did you mean "${near}"?)`),
      };
    });
};

/** A server that is set and not started has tools that nobody knows yet. */
const mayBeOf = (servers: readonly string[], tools: readonly string[], name: string): boolean =>
  servers.some((server) => !tools.some((tool) => tool.startsWith(`${server}.`)) && isOf(server, name));

const isOf = (server: string, name: string): boolean => {
  const written = name.toLowerCase();
  return [`${server}.`, `${server}_`, `mcp__${server}__`].some((start) => written.startsWith(start.toLowerCase()));
};
