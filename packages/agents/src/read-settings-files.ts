/** Reads settings files of other programs, each with what it forbids. One that cannot be read is told: what it forbids cannot be kept. */
import type { Note, Problem } from "./problem.ts";
import { createNotes } from "./problem.ts";
import { readSource } from "./source-files.ts";

export type SettingsPlace = {
  readonly file: string;
  readonly origin: "user" | "project";
  /** The folder that a link in its path may not lead out of. */
  readonly inside?: string | undefined;
};

/** Those that are there and say something; `read` gives undefined for one that does not. */
export const readSettingsFiles = async <Read extends object>(
  places: readonly SettingsPlace[],
  read: (text: string, note: Note) => Read | undefined,
): Promise<{
  readonly files: readonly (Pick<SettingsPlace, "file" | "origin"> & Read)[];
  readonly problems: readonly Problem[];
}> => {
  const files: (Pick<SettingsPlace, "file" | "origin"> & Read)[] = [];
  const problems: Problem[] = [];
  for (const { file, origin, inside } of places) {
    const { note, problems: found } = createNotes(file);
    try {
      const text = await readSource(file, inside);
      const said = text === undefined ? undefined : read(text, note);
      if (said) files.push({ file, origin, ...said });
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
