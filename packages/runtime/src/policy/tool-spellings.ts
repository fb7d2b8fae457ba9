/**
 * The names by which files may call one tool of an MCP server: ours (`server.tool`), the one that the model sees (`server__tool`), Claude Code's
 * (`mcp__server__tool`) and opencode's (`server_tool`). What forbids holds by every one of them; what allows counts by our name alone.
 */
import { isGlob, matchesGlob } from "@retinue/protocol/names";
import { toWireName } from "../loop/wire-name.ts";
import { TOOL_NAMES } from "./tool-names.ts";

const BUILT_IN: ReadonlySet<string> = new Set(TOOL_NAMES);

/** Whether one of the patterns of something that forbids means this tool. */
export const namesTool = (patterns: readonly string[], tool: string): boolean => {
  const spellings = tool.includes(".") ? spellingsOf(tool) : [tool.toLowerCase()];
  return patterns.some((pattern) => {
    // A built-in tool is not meant where a server has one that opencode would call the same.
    if (BUILT_IN.has(pattern) || tool === pattern) return pattern === tool;
    const written = pattern.toLowerCase();
    return spellings.some((spelling) => matchesGlob(written, spelling)) || isServerAlone(written, tool);
  });
};

/** In lower case. */
const spellingsOf = (tool: string): readonly string[] => {
  const at = tool.indexOf(".");
  const server = tool.slice(0, at);
  const name = tool.slice(at + 1);
  // A name that was not allowed as it stood ends with a hash, which no file knows.
  const names = [name, name.replace(/-[0-9a-f]{8}$/, "")];
  const spellings = names.flatMap((one) => {
    const plain = one.replaceAll(".", "_");
    return [
      `${server}.${one}`,
      toWireName(`${server}.${one}`),
      `mcp__${server}__${plain}`,
      `mcp__${server}__${one}`,
      `${server}_${plain}`,
    ];
  });
  return [...new Set(spellings.map((spelling) => spelling.toLowerCase()))];
};

/** `mcp__server` means all of its tools. */
const isServerAlone = (pattern: string, tool: string): boolean =>
  pattern.startsWith("mcp__") && !isGlob(pattern) && pattern === `mcp__${tool.split(".")[0]?.toLowerCase()}`;
