/** Reads settings files of other programs, each with what it forbids. One that cannot be read is told: what it forbids cannot be kept. */
import type { Note, Problem } from "./problem.ts";
import { createNotes } from "./problem.ts";
import { readSource } from "./source-files.ts";

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
  readonly problems: readonly Problem[];
}> => {
  const files: (Pick<SettingsPlace, "file" | "origin" | "folder"> & Read)[] = [];
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
        `it cannot be read, so that what it forbids cannot be kept: ${thrown instanceof Error ? thrown.message : ""}`,
      );
    }
    problems.push(...found);
  }
  return { files, problems };
};
