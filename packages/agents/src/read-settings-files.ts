/**
 * Reads settings files of other programs, each with what it forbids. One that cannot be read, as a whole or in part, may forbid anything: that is told,
 * and everything but reading is asked about (`UNREAD_RULES`).
 */
import type { Rule } from "@retinue/protocol";
import type { Note, Problem } from "./problem.ts";
import { createNotes } from "./problem.ts";
import { readSource } from "./source-files.ts";
import { READING_TOOLS } from "./tool-names.ts";

/** What holds for a file of which a rule was lost. */
export const UNREAD_RULES: readonly Rule[] = [
  { tools: ["*"], effect: "ask" },
  { tools: [...READING_TOOLS], effect: "allow" },
];

export type SettingsPlace = {
  readonly file: string;
  readonly origin: "user" | "project";
  /** The folder that a link in its path may not lead out of. */
  readonly inside?: string | undefined;
  /** The folder that its paths begin at, where that is not the root of the project. */
  readonly folder?: string | undefined;
  /** What it says, where that is no file. */
  readonly text?: string;
};

/** Those that are there and say something; `read` gives undefined for one that does not. */
export const readSettingsFiles = async <Read extends object>(
  places: readonly SettingsPlace[],
  read: (text: string, note: Note) => Read | undefined,
): Promise<{
  readonly files: readonly (Pick<SettingsPlace, "file" | "origin" | "folder"> & Read)[];
  /** The files of which something was not understood. */
  readonly unread: readonly Pick<SettingsPlace, "file" | "origin" | "folder">[];
  readonly problems: readonly Problem[];
}> => {
  const files: (Pick<SettingsPlace, "file" | "origin" | "folder"> & Read)[] = [];
  const unread: Pick<SettingsPlace, "file" | "origin" | "folder">[] = [];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const { file, origin, inside, folder, text: given } of places) {
    // A home may be the project, too.
    if (seen.has(file)) continue;
    seen.add(file);
    const { note, problems: found } = createNotes(file);
    try {
      const text = given ?? (await readSource(file, inside));
      const said = text === undefined ? undefined : read(text, note);
      if (said) files.push({ file, origin, ...(folder === undefined ? {} : { folder }), ...said });
    } catch (thrown) {
      note(
        "error",
        1,
        `it cannot be read, so that everything but reading is asked about: ${thrown instanceof Error ? thrown.message : ""}`,
      );
    }
    if (found.some(({ severity }) => severity === "error"))
      unread.push({ file, origin, ...(folder === undefined ? {} : { folder }) });
    problems.push(...found);
  }
  return { files, unread, problems };
};
