/**
 * `code_search`: where a symbol is defined and used, from an index made by real parsers. The first line in brackets has the totals; a
 * definition is `path:line kind Container.name`, exported ones marked, with its signature below; references stand under their file.
 */
import { RetinueError } from "@retinue/protocol";
import type { Tool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { count, MAX_OUTPUT_CHARS, toModelText } from "@retinue/confine";
import { escapeName } from "@retinue/confine";
import type { CodeToolOptions } from "./code-index.ts";
import { toCodeIndexes } from "./code-index.ts";
import { CODE_LANGUAGES } from "./code-languages.ts";
import { toIndexPath } from "./index-path.ts";
import { describeState } from "./index-state.ts";
import type { FoundReferences, SymbolsFound } from "./index-request.ts";
import type { StoredDefinition } from "./symbol-store.ts";

const DEFAULT_LIMIT = 40;
const LANGUAGES = CODE_LANGUAGES.map((language) => language.name);

const INPUT = z.object({
  query: z.string().trim().min(1).max(200).describe('A symbol or a part of its name: "createServer", "Server.close".'),
  kind: z.enum(["definitions", "references", "both"]).optional().describe("Default: both."),
  path: z.string().min(1).optional(),
  language: z.enum(LANGUAGES).optional(),
  limit: z.number().int().min(1).max(300).optional().describe(`Default ${DEFAULT_LIMIT} of each.`),
});

export type CodeSearchInput = z.infer<typeof INPUT>;

export const createCodeSearchTool = (options: CodeToolOptions = {}): Tool<CodeSearchInput> => {
  const indexes = toCodeIndexes(options);
  return defineTool({
    name: "code_search",
    description: "Finds where a symbol is defined and used, by parsing the code: strings and comments do not count.",
    input: INPUT,
    effect: "read",
    touches: ({ path: named }) => ({ paths: [named ?? "."] }),
    execute: async (input, { workspace, signal, progress }) => {
      const { query, kind = "both", language, limit = DEFAULT_LIMIT } = input;
      const { found, state } = await indexes.of(workspace).ask({
        request: { type: "search", search: { query, kind, path: toIndexPath(workspace, input.path), language, limit } },
        signal,
        onProgress: (done, total) => progress(`reading the code: ${done} of ${total} files`),
      });
      const notes = describeState(state);
      if (found.definitionCount === 0 && found.referenceCount === 0) {
        if (state.files === 0)
          throw new RetinueError("tool_failed", "There is no code here in a language that is read.", {
            hint: `Languages: ${LANGUAGES.join(", ")}. Use grep for other files.`,
          });
        return [`No symbol "${query}" was found in ${count(state.files, "file")}.`, ...notes].join("\n");
      }
      return toModelText([toText(input, found), ...notes].join("\n"));
    },
  });
};

const toText = ({ query, kind = "both" }: CodeSearchInput, found: SymbolsFound): string => {
  const { match, definitions, definitionCount, references, referenceCount, referenceFiles } = found;
  const how =
    match === "fragment" ? `names that contain "${query}"` : match === "case" ? `"${query}", in another case` : `"${query}"`;
  const totals = [
    ...(kind === "references" ? [] : [`${count(definitionCount, "definition")} of ${how}`]),
    ...(kind === "definitions"
      ? []
      : [
          `${count(referenceCount, "line")} in ${count(referenceFiles, "file")}${found.isWhole ? "" : " and more"} use ${toNames(found.names)}`,
        ]),
  ];
  const lines = [`[${totals.join("; ")}]`, ...definitions.flatMap(toDefinitionLines)];
  if (definitions.length < definitionCount) lines.push(`[${definitionCount - definitions.length} more definitions]`);
  if (references.length > 0)
    lines.push(...(kind === "references" ? [] : ["", "References:"]), ...references.flatMap(toReferenceLines));
  const shown = references.reduce((sum, reference) => sum + reference.lines.length, 0);
  if (shown < referenceCount) lines.push(`[${referenceCount - shown} more lines]`);
  return fitting(lines);
};

const toNames = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(", ") || "it";

const toDefinitionLines = ({ file, line, kind, container, name, exported, signature }: StoredDefinition): readonly string[] => [
  `${escapeName(file)}:${line} ${kind} ${container === "" ? "" : `${container}.`}${name}${exported ? " (exported)" : ""}`,
  `  ${signature}`,
];

const toReferenceLines = ({ file, lines }: FoundReferences): readonly string[] => [
  `${escapeName(file)}:`,
  ...lines.map(({ number, text }) => `  ${number}: ${text}`),
];

const fitting = (lines: readonly string[]): string => {
  let chars = 0;
  const end = lines.findIndex((line) => (chars += line.length + 1) > MAX_OUTPUT_CHARS - 1000);
  return end < 0 ? lines.join("\n") : [...lines.slice(0, end), "[cut here; name a path or a smaller limit]"].join("\n");
};
