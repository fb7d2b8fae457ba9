/** The lines that were typed at the prompt, kept in the user's own folder for the next time. Losing them is no failure. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const MOST_LINES = 1000;

const fileOf = (home: string): string => join(home, "history");

/** The newest first. */
export const readHistory = async (home: string): Promise<string[]> => {
  const text = await readFile(fileOf(home), "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .slice(0, MOST_LINES);
};

export const writeHistory = async (home: string, lines: readonly string[]): Promise<void> => {
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await writeFile(
      fileOf(home),
      lines
        .slice(0, MOST_LINES)
        .map((line) => `${line}\n`)
        .join(""),
      { mode: 0o600 },
    );
  } catch {
    // A prompt without a memory is still a prompt.
  }
};
