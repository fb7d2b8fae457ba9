/** Gathers the lines that a search found into one text, bounded in lines and characters, and counts on beyond that. */
import { MAX_OUTPUT_CHARS } from "../files/output-text.ts";

export type FoundLine = { readonly file: string; readonly number: number; readonly isMatch: boolean; readonly text: string };

export type MatchReport = {
  readonly add: (line: FoundLine) => void;
  readonly matches: () => number;
  /** `totals` words how many lines in how many files there are. */
  readonly toText: (totals: (lines: number, files: number) => string) => string;
};

export type MatchReportOptions = {
  readonly maxResults: number;
  readonly filesOnly: boolean;
  /** Mark where lines are left out between two that are shown. */
  readonly gaps: boolean;
};

const MAX_CHARS = MAX_OUTPUT_CHARS - 500;

export const createMatchReport = ({ maxResults, filesOnly, gaps }: MatchReportOptions): MatchReport => {
  const lines: string[] = [];
  const files = new Map<string, number>();
  let matches = 0;
  let shown = 0;
  let chars = 0;
  let full = false;
  let last: FoundLine | undefined;

  const addLine = (found: FoundLine): void => {
    const fresh: string[] = [];
    if (last?.file !== found.file) fresh.push(...(lines.length > 0 ? [""] : []), `${found.file}:`);
    else if (gaps && found.number > last.number + 1) fresh.push("  …");
    fresh.push(`  ${found.number}${found.isMatch ? ":" : "-"} ${found.text.trimEnd()}`);
    const length = fresh.reduce((sum, line) => sum + line.length + 1, 0);
    full ||= (found.isMatch && shown >= maxResults) || (chars + length > MAX_CHARS && lines.length > 0);
    if (full) return;
    lines.push(...fresh);
    chars += length;
    if (found.isMatch) shown += 1;
    last = found;
  };

  return {
    add: (found) => {
      if (found.isMatch) {
        matches += 1;
        files.set(found.file, (files.get(found.file) ?? 0) + 1);
      }
      if (!filesOnly) addLine(found);
    },
    matches: () => matches,
    toText: (totals) => {
      if (filesOnly) {
        const entries = [...files].map(([file, found]) => `${file}: ${found}`);
        const fitting = entries.slice(0, maxResults).filter((entry) => (chars += entry.length + 1) <= MAX_CHARS);
        const left = entries.length - fitting.length;
        return [`[${totals(matches, files.size)}${left > 0 ? `; ${left} files not shown` : ""}]`, ...fitting].join("\n");
      }
      const left = matches - shown;
      return [`[${totals(matches, files.size)}${left > 0 ? `; showing the first ${shown}` : ""}]`, ...lines].join("\n");
    },
  };
};
