/**
 * A tree of generated files as large projects have them: ten thousand folders, four deep, ignore files at the top and below, folders that are ignored, a
 * few big files. The same on every machine.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

export type SearchTree = {
  readonly files: number;
  /** That no ignore file excludes. */
  readonly seen: number;
  readonly bytes: number;
};

/** One in so many files lies in a folder that is ignored. */
const IGNORED_EVERY = 10;
const BIG_FILES = 6;
const BIG_BYTES = 8_000_000;
const ENDINGS = ["ts", "ts", "ts", "js", "py", "go", "md", "json", "css", "txt"] as const;

/** Stands in one file of a thousand. */
export const RARE = "needleInTheHay";
/** Stands in every line of code. */
export const COMMON = "value";

export const writeSearchTree = (root: string, files: number): SearchTree => {
  let bytes = 0;
  let seen = 0;
  const made = new Set<string>();
  const put = (file: string, text: string): void => {
    const folder = path.join(root, path.dirname(file));
    if (!made.has(folder)) mkdirSync(folder, { recursive: true });
    made.add(folder);
    writeFileSync(path.join(root, file), text);
    bytes += text.length;
  };
  put(".git/HEAD", "ref: refs/heads/main\n");
  put(".gitignore", "dist/\n*.log\n/cache/\n!keep.log\n");
  for (let at = 0; at < files - BIG_FILES; at += 1) {
    const ignored = at % IGNORED_EVERY === IGNORED_EVERY - 1;
    put(toName(at, ignored), toText(at));
    if (!ignored) seen += 1;
  }
  for (let at = 0; at < 50; at += 1) put(`area${at}/.gitignore`, `generated/\n*.tmp\n/only-here-${at}/\n`);
  const line = `${"const value = compute(other, 12345); ".repeat(3)}\n`;
  for (let at = 0; at < BIG_FILES; at += 1) put(`data/big${at}.txt`, line.repeat(BIG_BYTES / line.length));
  return { files, seen: seen + BIG_FILES, bytes };
};

const toName = (at: number, ignored: boolean): string => {
  const area = `area${at % 50}`;
  const ending = ENDINGS[Math.floor(at / 50) % ENDINGS.length];
  if (ignored) return `${area}/${at % 20 < 10 ? "dist" : "generated"}/part${Math.floor(at / 1000) % 10}/file${at}.${ending}`;
  return `${area}/module${Math.floor(at / 50) % 10}/layer${Math.floor(at / 500) % 10}/part${Math.floor(at / 50_000)}/file${at}.${ending}`;
};

/** A kilobyte and a half on average. */
const toText = (at: number): string => {
  const lines = Array.from(
    { length: 10 + (at % 30) },
    (_, line) => `export const step${at}x${line} = (value: number): number => compute(value + ${line}, "${at * line}");`,
  );
  if (at % 1000 === 7) lines.push(`// ${RARE} ${at}`);
  return `${lines.join("\n")}\n`;
};
