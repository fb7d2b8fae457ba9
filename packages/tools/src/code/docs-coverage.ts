/** `docs_coverage`: what is exported without a documentation comment, by file, those with most to do first. */
import type { Tool } from "@retinue/runtime";
import { defineTool } from "@retinue/runtime";
import { z } from "zod";
import { count, MAX_OUTPUT_CHARS, toModelText } from "@retinue/confine";
import { escapeName } from "@retinue/confine";
import type { CodeToolOptions } from "./code-index.ts";
import { toCodeIndexes } from "./code-index.ts";
import { toIndexPath } from "./index-path.ts";
import type { DocumentedFile } from "./index-request.ts";
import { describeState } from "./index-state.ts";

const MAX_NAMES = 12;

const INPUT = z.object({
  path: z.string().min(1).optional().describe("Only this file or folder; otherwise the whole workspace."),
});

export type DocsCoverageInput = z.infer<typeof INPUT>;

export const createDocsCoverageTool = (options: CodeToolOptions = {}): Tool<DocsCoverageInput> => {
  const indexes = toCodeIndexes(options);
  return defineTool({
    name: "docs_coverage",
    description:
      "Lists exported functions, classes, methods, types and constants that have no documentation comment (doc comments, docstrings), " +
      "counted by file. Tests are left out.",
    input: INPUT,
    effect: "read",
    touches: ({ path: named }) => ({ paths: [named ?? "."] }),
    execute: async ({ path: named }, { workspace, signal, progress }) => {
      const { found, state } = await indexes.of(workspace).ask({
        request: { type: "documented", path: toIndexPath(workspace, named) },
        signal,
        onProgress: (done, total) => progress(`reading the code: ${done} of ${total} files`),
      });
      return toModelText([...toLines(found), ...describeState(state)].join("\n"));
    },
  });
};

const toLines = (files: readonly DocumentedFile[]): readonly string[] => {
  const exported = files.reduce((sum, file) => sum + file.exported, 0);
  const missing = files.reduce((sum, file) => sum + file.missing.length, 0);
  if (exported === 0) return ["Nothing is exported here that could be documented."];
  const share = Math.floor((100 * (exported - missing)) / exported);
  const lines = [
    `[${exported - missing} of ${count(exported, "exported symbol")} documented (${share} %) in ${count(files.length, "file")}]`,
  ];
  const open = files.filter((file) => file.missing.length > 0).toSorted((a, b) => b.missing.length - a.missing.length);
  let chars = 0;
  const shown = open.map(toLine).filter((line) => (chars += line.length + 1) < MAX_OUTPUT_CHARS - 1000);
  lines.push(...shown);
  if (shown.length < open.length) lines.push(`[${open.length - shown.length} more files]`);
  return lines;
};

const toLine = ({ file, exported, missing }: DocumentedFile): string => {
  const names = missing
    .slice(0, MAX_NAMES)
    .map(({ name, kind, line, container }) => `${container === "" ? "" : `${container}.`}${name} (${kind}, line ${line})`);
  const more = missing.length > MAX_NAMES ? `, and ${missing.length - MAX_NAMES} more` : "";
  return `${escapeName(file)}: ${missing.length} of ${exported} without: ${names.join(", ")}${more}`;
};
