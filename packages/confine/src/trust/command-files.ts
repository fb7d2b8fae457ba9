/**
 * The files of a project that a command line would run, with what they hold: scripts that it names, what those import or call by a path of their
 * own, and the lists of scripts that its runner reads. Trust in the words is trust in these files, and ends when one of them changes.
 */
import { createHash } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import path from "node:path";
import { readPlainFile } from "../files/read-plain-file.ts";

const MOST_FILES = 500;
const MOST_WORDS = 5_000;
const MOST_BYTES = 16 * 1024 * 1024;
/** Larger files are programs or data, and are not looked into. */
const MOST_READ_BYTES = 1024 * 1024;

/** What a runner reads before it runs anything. */
const READ_BY_RUNNERS: readonly (readonly [runner: RegExp, files: readonly string[]])[] = [
  [
    /\b(?:npm|npx|pnpm|pnpx|yarn|bun|bunx)\b/,
    ["package.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", ".npmrc"],
  ],
  [/\bmake\b/, ["Makefile", "makefile", "GNUmakefile"]],
  [/\bjust\b/, ["justfile", "Justfile"]],
  [/\bdeno\b/, ["deno.json", "deno.jsonc"]],
  [/\bcompose\b/, ["compose.yml", "compose.yaml", "docker-compose.yml", "docker-compose.yaml"]],
];

const EXTENSIONS = ["", ".ts", ".mts", ".js", ".mjs", ".cjs", ".json", ".py", ".sh", ".rb", "/index.ts", "/index.js"];

/** What a word of a command line may leave out: the ending of a script, or the file by which a folder is run. */
const ENTRIES = [...EXTENSIONS, "/index.mjs", "/index.cjs", "/package.json", "/__main__.py"];
const MOST_FOLDERS = 8;

export type CommandFiles = {
  /** The project. What lies outside of it is not its to change. */
  readonly root: string;
  /** Where paths of the words begin; the project by default. */
  readonly cwd?: string;
  /** Command lines, or their words. */
  readonly texts: readonly string[];
  /** False: without what the files themselves name. */
  readonly isDeep?: boolean;
  /** False: without the lists of scripts that runners read. */
  readonly hasLists?: boolean;
};

/** By their path in the project, in order. Throws where there are too many to be looked at. */
export const digestCommandFiles = async ({
  root,
  cwd = root,
  texts,
  isDeep = true,
  hasLists = true,
}: CommandFiles): Promise<Readonly<Record<string, string>>> => {
  const real = await realpath(root);
  const start = path.resolve(real, cwd);
  const digests = new Map<string, string>();
  const waiting: string[] = [];
  let bytes = 0;
  const look = async (named: string): Promise<void> => {
    const file = await realFile(named, real);
    if (file === undefined || digests.has(file.path)) return;
    bytes += file.size;
    if (digests.size >= MOST_FILES || bytes > MOST_BYTES) throw new Error("it would run more files than can be looked at");
    digests.set(file.path, "");
    waiting.push(file.path);
  };
  for (const text of texts) {
    const words = wordsOf(text);
    const folders = [start, ...(await findFolders(words, start, real))];
    for (const word of words)
      for (const folder of folders) for (const extension of ENTRIES) await look(path.resolve(folder, `${word}${extension}`));
    for (const module of modulesOf(text))
      for (const extension of ENTRIES) await look(path.resolve(start, `${module}${extension}`));
    for (const [runner, files] of READ_BY_RUNNERS)
      if (hasLists && runner.test(text)) for (const name of files) await look(path.join(start, name));
  }
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const content = await readPlainFile(file, MOST_BYTES);
    if (content === undefined) throw new Error(`${path.relative(real, file)} cannot be read`);
    digests.set(file, createHash("sha256").update(content).digest("hex"));
    if (!isDeep || content.length > MOST_READ_BYTES) continue;
    const folder = path.dirname(file);
    for (const named of namedIn(content.toString("utf8"), file))
      for (const extension of EXTENSIONS) await look(path.resolve(folder, `${named}${extension}`));
    if (isShellScript(file, content) || isScriptList(file))
      for (const word of wordsOf(content.toString("utf8")))
        for (const from of [start, folder]) await look(path.resolve(from, word));
  }
  return Object.fromEntries(
    [...digests]
      .map(([file, digest]): [string, string] => [path.relative(real, file).split(path.sep).join("/"), digest])
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
};

/** What output goes to is written and not run; named once more, it is found there. */
const WRITTEN_TO = /(?:&|\d{1,2})?>{1,2}[|&]?[ \t]{0,8}(?:"[^"\n]{1,500}"|'[^'\n]{1,500}'|[^\s;&|()<>"'`]{1,500})/g;

const wordsOf = (text: string): readonly string[] => {
  const read = text.slice(0, MOST_READ_BYTES).replaceAll(WRITTEN_TO, " ");
  return [...new Set([...read.split(/[\s;&|()<>"'`=,:{}$]+/), ...shellWordsOf(read)])]
    .filter((word) => word !== "" && word.length < 1_000 && !word.startsWith("-") && !word.includes("\0"))
    .slice(0, MOST_WORDS);
};

/** Lines in lines, as in `sh -c 'sh "a b.sh"'`; further down nobody writes. */
const MOST_LEVELS = 3;

/** Words as a shell reads them: what is quoted or escaped does not end one, so that names with blanks are found whole. A word may be a line itself, or hold a name behind `=`. */
const shellWordsOf = (text: string, level = 1): readonly string[] => {
  const words: string[] = [];
  const piece = /\\([^\n])|"((?:[^"\\]|\\[^\n]){0,1000})"|'([^']{0,1000})'|([\s;&|()<>]+)|([^\s\\"';&|()<>]+|[^])/g;
  let word = "";
  const end = (): void => {
    const value = word.slice(word.indexOf("=") + 1);
    words.push(word, value);
    if (level < MOST_LEVELS && /[\s"'\\]/.test(value)) words.push(...shellWordsOf(value, level + 1));
    word = "";
  };
  for (const [, escaped, double, single, blank, other] of text.matchAll(piece)) {
    if (blank === undefined) word += escaped ?? double?.replaceAll(/\\(["\\$`])/g, "$1") ?? single ?? other ?? "";
    else end();
  }
  end();
  return words;
};

/** Relative imports of scripts, and modules beside a Python file. */
const namedIn = (text: string, file: string): readonly string[] => {
  const relative = [...text.matchAll(/["'`](\.{1,2}\/[^"'`\n\0]{1,500})["'`]/g)].map(([, named = ""]) => named);
  const modules =
    path.extname(file) === ".py"
      ? [...text.matchAll(/^\s*(?:from|import)\s+\.*([\w.]{1,200})/gm)].map(([, named = ""]) => named.replaceAll(".", "/"))
      : [];
  return [...new Set([...relative, ...modules])].slice(0, MOST_WORDS);
};

/** Their entries are lines for a shell. */
const isScriptList = (file: string): boolean =>
  /^(?:package\.json|deno\.jsonc?|(?:GNUm|M|m)akefile|[jJ]ustfile)$/.test(path.basename(file));

/** Words that name a folder, such as of `cd app && node server.js` or `node .`. */
const findFolders = async (words: readonly string[], start: string, root: string): Promise<readonly string[]> => {
  const found = new Set<string>();
  for (const word of words) {
    const folder = await realpath(path.resolve(start, word)).catch(() => undefined);
    if (folder !== undefined && folder !== start && folder.startsWith(root + path.sep) && (await stat(folder)).isDirectory())
      found.add(folder);
  }
  return [...found].slice(0, MOST_FOLDERS);
};

/** Of `python -m package.module`. */
const modulesOf = (text: string): readonly string[] =>
  [...text.matchAll(/\s-m\s+([\w.]{1,200})/g)].map(([, named = ""]) => named.replaceAll(".", "/"));

const isShellScript = (file: string, content: Buffer): boolean =>
  /\.(?:sh|bash|zsh)$/.test(file) || /^#!.*\b(?:ba|da|z|k)?sh\b/.test(content.subarray(0, 200).toString("latin1"));

/** Where it is a plain file of the project, with all links followed. */
const realFile = async (named: string, root: string): Promise<{ readonly path: string; readonly size: number } | undefined> => {
  try {
    const file = await realpath(named);
    if (!file.startsWith(root + path.sep)) return undefined;
    const stats = await stat(file);
    return stats.isFile() ? { path: file, size: stats.size } : undefined;
  } catch {
    return undefined;
  }
};
