/** The rules of a list that spares questions, as `permissions.allow` of settings and `allowed-tools` of skills are. Every command at once is spared none. */
import type { Rule } from "@retinue/protocol";
import type { Note } from "../problem.ts";
import { COMMAND_TOOLS, DELEGATE_TOOL, READING_TOOLS } from "../tool-names.ts";
import { toAllowingRules } from "./claude-code-rules.ts";
import type { ToolEntry } from "./tool-entries.ts";

export type Preapproving = {
  readonly rules: readonly Rule[];
  /** The entries that became rules, as they are written. */
  readonly written: readonly string[];
};

export const toPreapproving = (entries: readonly ToolEntry[], note: Note): Preapproving => {
  const taken = entries.filter((entry) => isTaken(entry, note));
  return {
    rules: taken.flatMap((entry) => toAllowingRules(entry, toAllowed(entry.tool)) ?? []),
    written: taken.map(({ written }) => written),
  };
};

/** Who wants all commands unasked says so to us. */
const isTaken = ({ tool, rule, line, written }: ToolEntry, note: Note): boolean => {
  // Nobody is asked before an agent is started, or something is only read.
  if (tool === DELEGATE_TOOL || READING_TOOLS.includes(tool)) return false;
  if (rule !== undefined || (tool !== "shell" && tool !== "*")) return true;
  note("notice", line, `"${written}" has no effect here: only commands that are named are spared a question`);
  return false;
};

const toAllowed = (tool: string): readonly string[] =>
  tool === "shell" ? COMMAND_TOOLS : tool === "edit" ? ["edit", "write"] : [tool];
