/** `plan_files`: which files a task will probably touch, the likeliest first, each with the reasons. Rules, no model: it can only know words. */
import type { Tool } from "@retinue/runtime";
import { defineTool, protectionOf } from "@retinue/runtime";
import { z } from "zod";
import { count, toModelText } from "@retinue/confine";
import { escapeName } from "@retinue/confine";
import { listFiles } from "@retinue/confine";
import type { CodeToolOptions } from "./code-index.ts";
import { toCodeIndexes } from "./code-index.ts";
import { countWords } from "./count-words.ts";
import { describeState } from "./index-state.ts";
import type { RankedFile } from "./rank-files.ts";
import { rankFiles } from "./rank-files.ts";
import { toTaskTerms } from "./task-terms.ts";

const DEFAULT_LIMIT = 15;

const INPUT = z.object({
  task: z.string().trim().min(1).max(20_000).describe("The task in words; names of symbols and files in it help most."),
  limit: z.number().int().min(1).max(100).optional().describe(`How many files to give, ${DEFAULT_LIMIT} by default.`),
});

export type PlanFilesInput = z.infer<typeof INPUT>;

export const createPlanFilesTool = (options: CodeToolOptions = {}): Tool<PlanFilesInput> => {
  const indexes = toCodeIndexes(options);
  return defineTool({
    name: "plan_files",
    description:
      "Says which files of the workspace a task probably touches, by the words of the task in paths, in names of symbols and in contents, " +
      "with the reasons for each. A place to begin reading.",
    input: INPUT,
    effect: "read",
    touches: () => ({ paths: ["."] }),
    execute: async ({ task, limit = DEFAULT_LIMIT }, { workspace, signal, progress }) => {
      const terms = toTaskTerms(task);
      const wanted = [...new Set([...terms.words, ...terms.identifiers.map((name) => name.toLowerCase())])];
      if (wanted.length === 0 && terms.paths.length === 0)
        return "The task has no word that could name something in the code; say what it is about.";
      const [list, { found, state }, contents] = await Promise.all([
        listFiles(workspace, signal),
        indexes.of(workspace).ask({
          request: { type: "terms", terms: wanted, identifiers: terms.identifiers },
          signal,
          onProgress: (done, total) => progress(`reading the code: ${done} of ${total} files`),
        }),
        countWords({ folder: workspace, words: wanted, signal }),
      ]);
      const ranked = rankFiles({ task, terms, files: list.files, symbols: found, contents }).filter(
        ({ file }) => protectionOf(file)?.read !== "deny",
      );
      const searched = `looked for ${[...terms.paths, ...wanted].join(", ")}`;
      if (ranked.length === 0) return [`No file has anything to do with it (${searched}).`, ...describeState(state)].join("\n");
      const lines = ranked.slice(0, limit).map(toLine);
      const head = `[${count(Math.min(limit, ranked.length), "file")} of ${count(ranked.length, "candidate")}; ${searched}]`;
      return toModelText([head, ...lines, ...describeState(state)].join("\n"));
    },
  });
};

const toLine = ({ file, reasons }: RankedFile, at: number): string => `${at + 1}. ${escapeName(file)}: ${reasons.join("; ")}`;
