/**
 * Gathers the lines that a search found into one text, in the order of paths whatever order they came in, bounded in lines and characters,
 * and counts on beyond that. The lines of a file come together and in order.
 */
import { MAX_OUTPUT_CHARS } from "@retinue/confine";

export type FoundLine = {
  readonly file: string;
  readonly number: number;
  /** Of its first byte. */
  readonly offset: number;
  readonly isMatch: boolean;
  readonly text: string;
};

/** Those of the lines that really stand in the file; undefined where the file may not be seen at all. */
export type ConfirmLines = (file: string, lines: readonly FoundLine[]) => readonly FoundLine[] | undefined;

export type MatchReport = {
  readonly add: (line: FoundLine) => void;
  /** A match whose line will not be shown. */
  readonly count: (file: string) => void;
  /** So far, with those that are to be left out where that was not yet looked at. */
  readonly found: () => number;
  readonly matches: () => number;
  /** Whether nothing that comes in a later file would be shown. */
  readonly isFull: () => boolean;
  /** `totals` words how many lines in how many files there are. */
  readonly toText: (totals: (lines: number, files: number) => string) => string;
  /** Where more was found than is told of; no more files are looked at than are shown. */
  readonly toFirstText: (totals: string) => string;
};

export type MatchReportOptions = {
  readonly maxResults: number;
  readonly filesOnly: boolean;
  /** Mark where lines are left out between two that are shown. */
  readonly gaps: boolean;
  /** Files that are left out. It takes its time to tell, so that it is asked as late as can be. */
  readonly isLeftOut?: (file: string) => boolean;
  /** How a file is named in the text. */
  readonly show?: (file: string) => string;
  /** Asked of what is about to be shown. */
  readonly confirm?: ConfirmLines;
};

const MAX_CHARS = MAX_OUTPUT_CHARS - 500;

type FoundFile = { readonly file: string; readonly key: string; matches: number; lines: FoundLine[]; isShown?: boolean };

export const createMatchReport = (options: MatchReportOptions): MatchReport => {
  const { maxResults, filesOnly, gaps, isLeftOut = () => false, show = (file) => file, confirm = (_, lines) => lines } = options;
  const files = new Map<string, FoundFile>();
  let current: FoundFile | undefined;
  let matches = 0;
  let keptMatches = 0;
  /** Files behind this one are not shown whatever else is found. */
  let lastKey: string | undefined;

  const fileOf = (file: string): FoundFile => {
    if (current?.file === file) return current;
    current = files.get(file);
    if (!current) files.set(file, (current = { file, key: toKey(file), matches: 0, lines: [] }));
    return current;
  };

  const isShown = (found: FoundFile): boolean => {
    if (found.isShown !== undefined) return found.isShown;
    found.isShown = !isLeftOut(found.file);
    if (!found.isShown) {
      files.delete(found.file);
      matches -= found.matches;
    }
    return found.isShown;
  };

  const listShown = (): readonly FoundFile[] => inOrder(files).filter(isShown);

  /** Lets go of the lines that others have come before. */
  const prune = (): void => {
    let before = 0;
    for (const found of inOrder(files)) {
      if (before < maxResults && !isShown(found)) continue;
      if (before >= maxResults) found.lines = [];
      else lastKey = found.key;
      before += Math.min(found.matches, maxResults);
    }
    keptMatches = Math.min(before, maxResults);
  };

  return {
    add: (found) => {
      const file = fileOf(found.file);
      if (file.isShown === false) return;
      if (found.isMatch) {
        matches += 1;
        file.matches += 1;
      }
      if (filesOnly || file.matches > maxResults || (lastKey !== undefined && file.key > lastKey)) return;
      file.lines.push(found);
      if (found.isMatch && (keptMatches += 1) > 4 * maxResults + 1000) prune();
    },
    count: (named) => {
      const file = fileOf(named);
      if (file.isShown === false) return;
      matches += 1;
      file.matches += 1;
    },
    found: () => matches,
    matches: () => {
      listShown();
      return matches;
    },
    isFull: () => (filesOnly ? files.size > maxResults : matches > maxResults),
    toText: (totals) => {
      const ordered = listShown();
      if (filesOnly) return toFileList(ordered, { maxResults, show, confirm, totals: totals(matches, files.size) });
      const { lines, shown } = toLines(ordered, { maxResults, gaps, isShown, show, confirm });
      const left = matches - shown;
      return [`[${totals(matches, files.size)}${left > 0 ? `; showing the first ${shown}` : ""}]`, ...lines].join("\n");
    },
    toFirstText: (totals) => {
      if (filesOnly) return toFileList(listShown(), { maxResults, show, confirm, totals });
      const { lines, shown } = toLines(inOrder(files), { maxResults, gaps, isShown, show, confirm });
      return [`[${totals}; showing the first ${shown}]`, ...lines].join("\n");
    },
  };
};

/** So that a folder comes with all that is in it, as when folders are gone through one after the other. */
const toKey = (file: string): string => file.replaceAll("/", "\0");

const inOrder = (files: ReadonlyMap<string, FoundFile>): readonly FoundFile[] =>
  [...files.values()].toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));

type Shown = { readonly maxResults: number; readonly show: (file: string) => string; readonly confirm: ConfirmLines };

const toFileList = (
  files: readonly FoundFile[],
  { maxResults, show, confirm, totals }: Shown & { readonly totals: string },
): string => {
  let chars = 0;
  const entries = files
    .slice(0, maxResults)
    .filter(({ file }) => confirm(file, []) !== undefined)
    .map(({ file, matches }) => `${show(file)}: ${matches}`);
  const fitting = entries.filter((entry) => (chars += entry.length + 1) <= MAX_CHARS);
  const left = files.length - fitting.length;
  return [`[${totals}${left > 0 ? `; ${left} files not shown` : ""}]`, ...fitting].join("\n");
};

const toLines = (
  files: readonly FoundFile[],
  {
    maxResults,
    gaps,
    isShown,
    show,
    confirm,
  }: Shown & { readonly gaps: boolean; readonly isShown: (found: FoundFile) => boolean },
): { readonly lines: readonly string[]; readonly shown: number } => {
  const lines: string[] = [];
  let shown = 0;
  let chars = 0;
  for (const found of files) {
    if (shown >= maxResults) break;
    if (!isShown(found)) continue;
    let last: FoundLine | undefined;
    for (const line of confirm(found.file, found.lines) ?? []) {
      const fresh: string[] = [];
      if (!last) fresh.push(...(lines.length > 0 ? [""] : []), `${show(found.file)}:`);
      else if (gaps && line.number > last.number + 1) fresh.push("  …");
      fresh.push(`  ${line.number}${line.isMatch ? ":" : "-"} ${line.text.trimEnd()}`);
      const length = fresh.reduce((sum, each) => sum + each.length + 1, 0);
      if ((line.isMatch && shown >= maxResults) || (chars + length > MAX_CHARS && lines.length > 0)) return { lines, shown };
      lines.push(...fresh);
      chars += length;
      if (line.isMatch) shown += 1;
      last = line;
    }
  }
  return { lines, shown };
};
