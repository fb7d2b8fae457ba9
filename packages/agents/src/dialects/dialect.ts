/** What every reader of agent files is given and gives back. A reader never throws: what is wrong is noted with its line. */
import type { AgentDefinition } from "@retinue/protocol/agent-file";
import { agentFrontMatterSchema } from "@retinue/protocol/agent-file";
import { wordIssue } from "@retinue/protocol/describe-issues";
import type { z } from "zod";
import type { Note } from "../problem.ts";

export const DIALECTS = ["retinue", "claude-code", "opencode", "skill-yaml", "agent-roles"] as const;

export type Dialect = (typeof DIALECTS)[number];

export type ReadContext = {
  /** The name that the file's place gives, where the file gives none. */
  readonly fallbackName: string;
  readonly note: Note;
  /** Short names of models that are set. */
  readonly modelNames: ReadonlySet<string>;
  /** Models that can be reached by names that other worlds have for them. */
  readonly shortModels?: ReadonlyMap<string, string>;
};

/** Lines by field of the definition, and by field and value, as in `tools:grep`. */
export type FieldLines = ReadonlyMap<string, number>;

export type AgentDraft = { readonly definition: AgentDefinition; readonly lines: FieldLines };

export type ReadAgent =
  | { readonly type: "agent"; readonly draft: AgentDraft }
  /** The file takes away an agent of this name. */
  | { readonly type: "disabled"; readonly name: string; readonly line: number }
  | { readonly type: "broken" };

export const BROKEN: ReadAgent = { type: "broken" };

export type DraftOptions = {
  readonly frontMatter: z.input<typeof agentFrontMatterSchema>;
  readonly prompt: string;
  readonly lines: FieldLines;
  readonly note: Note;
};

/** The last step of every reader: what it made of the file must be an agent of ours. */
export const toReadAgent = ({ frontMatter, prompt, lines, note }: DraftOptions): ReadAgent => {
  const parsed = agentFrontMatterSchema.safeParse(frontMatter);
  if (parsed.success) return { type: "agent", draft: { definition: { ...parsed.data, prompt }, lines } };
  for (const issue of parsed.error.issues) {
    const { path } = issue;
    note("error", lineFor(lines, String(path[0] ?? ""), String(path[1] ?? "")), `${path.join(".")}: ${wordIssue(issue)}`);
  }
  return BROKEN;
};

export const lineFor = (lines: FieldLines, field: string, value?: string): number =>
  (value === undefined ? undefined : lines.get(`${field}:${value}`)) ?? lines.get(field) ?? 1;

/** Reads with the rule that what has an error is not used, whatever else could be made of it. Nothing is thrown. */
export const readSafely = (context: ReadContext, read: (counting: ReadContext) => ReadAgent): ReadAgent => {
  let errors = 0;
  const note: Note = (severity, line, message) => {
    if (severity === "error") errors++;
    context.note(severity, line, message);
  };
  try {
    const outcome = read({ ...context, note });
    return errors > 0 ? BROKEN : outcome;
  } catch (thrown) {
    context.note("error", 1, `it cannot be read: ${thrown instanceof Error ? thrown.message : "for no known reason"}`);
    return BROKEN;
  }
};
