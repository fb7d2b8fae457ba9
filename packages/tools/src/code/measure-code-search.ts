/** Measures the index on a tree of generated source files: how long it takes to make, to bring up to date, and to answer. For benches. */
import { appendFile, mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { CodeIndexOptions } from "./code-index.ts";
import { CodeIndex } from "./code-index.ts";
import type { SymbolSearch } from "./index-request.ts";

export type CodeSearchMeasures = {
  readonly files: number;
  readonly bytes: number;
  /** From nothing to the first answer. */
  readonly buildMs: number;
  readonly databaseBytes: number;
  /** By question, medians of the whole way to the index and back, files looked at anew each time. */
  readonly answerMs: Readonly<Record<string, number>>;
  /** The same right after a file was changed. */
  readonly changedMs: number;
  /** The same right after a file was added. */
  readonly addedMs: number;
  /** The longest that this thread was held up while the index was made. */
  readonly longestPauseMs: number;
};

export type CodeSearchBench = Pick<CodeIndexOptions, "threads"> & { readonly files?: number; readonly repeats?: number };

export const measureCodeSearch = async ({
  files = 10_000,
  repeats = 11,
  ...options
}: CodeSearchBench = {}): Promise<CodeSearchMeasures> => {
  const base = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-bench-")));
  const root = path.join(base, "tree");
  const cacheFolder = path.join(base, "cache");
  const index = new CodeIndex(root, { ...options, cacheFolder, maxWaitMs: 3_600_000 });
  const ask = async (search: Partial<SymbolSearch> & { readonly query: string }): Promise<number> => {
    const startedAt = performance.now();
    const { found, state } = await index.ask({
      request: { type: "search", search: { kind: "both", path: undefined, language: undefined, limit: 40, ...search } },
      signal: new AbortController().signal,
    });
    if (state.waiting > 0 || found.definitionCount + found.referenceCount === 0)
      throw new Error(`"${search.query}" was not found`);
    return performance.now() - startedAt;
  };
  try {
    const bytes = await writeTree(root, files);
    const pause = watchPauses();
    const buildMs = await ask({ query: "computeTotal7" });
    const longestPauseMs = pause.end();
    const questions: Record<string, Partial<SymbolSearch> & { query: string }> = {
      "by name": { query: `computeTotal${files >> 1}` },
      "by a part of a name": { query: "total77" },
      "used everywhere": { query: "registry", kind: "references" },
      "in a folder": { query: "computeTotal", path: "pack3" },
    };
    const answerMs: Record<string, number> = {};
    for (const [name, question] of Object.entries(questions)) {
      const times: number[] = [];
      for (let at = 0; at < repeats; at += 1) times.push(await ask(question));
      answerMs[name] = median(times);
    }
    const changed: number[] = [];
    for (let at = 0; at < repeats; at += 1) {
      await appendFile(path.join(root, toName(at)), `\nexport const freshName${at} = ${at};\n`);
      changed.push(await ask({ query: `freshName${at}` }));
    }
    const added: number[] = [];
    for (let at = 0; at < repeats; at += 1) {
      await writeFile(path.join(root, `pack0/added${at}.ts`), `export const addedName${at} = ${at};\n`);
      added.push(await ask({ query: `addedName${at}` }));
    }
    const { size: databaseBytes } = await stat(await findDatabase(cacheFolder));
    return { files, bytes, buildMs, databaseBytes, answerMs, changedMs: median(changed), addedMs: median(added), longestPauseMs };
  } finally {
    await index.close();
    await rm(base, { recursive: true, force: true });
  }
};

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

const findDatabase = async (folder: string): Promise<string> => {
  const name = (await readdir(folder)).find((each) => each.endsWith(".sqlite"));
  return path.join(folder, name ?? "");
};

const watchPauses = (): { readonly end: () => number } => {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - 5);
    last = now;
  }, 5);
  return {
    end: () => {
      clearInterval(timer);
      return longest;
    },
  };
};

type Writer = { readonly ending: string; readonly toText: (at: number) => string };

/** Fifty packages of up to twenty folders each, in the languages that are most common. */
const toName = (at: number): string => `pack${at % 50}/part${Math.floor(at / 50) % 20}/file${at}.${writerOf(at).ending}`;

const writerOf = (at: number): Writer => WRITERS[at % WRITERS.length] ?? { ending: "ts", toText: toTypescript };

const writeTree = async (root: string, files: number): Promise<number> => {
  let bytes = 0;
  for (let at = 0; at < files; at += 1) {
    const file = path.join(root, toName(at));
    const text = writerOf(at).toText(at);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
    bytes += text.length;
  }
  return bytes;
};

const PARTS = Array.from({ length: 8 }, (_, at) => at);

const toTypescript = (at: number): string =>
  [
    `import { registry } from "../registry.ts";`,
    `import { computeTotal${at + 4} } from "./file${at + 4}.ts";`,
    `/** The options of ${at}. */`,
    `export type Options${at} = { readonly name: string; readonly limit?: number };`,
    `export class Store${at} {`,
    `  readonly #items = new Map<string, number>();`,
    ...PARTS.map(
      (part) => `  readItem${part}(key: string): number | undefined {\n    return this.#items.get(key + "${part}");\n  }`,
    ),
    `}`,
    ...PARTS.map(
      (part) =>
        `export const stepOf${at}x${part} = (store: Store${at}, values: readonly number[]): number => {\n` +
        `  const sum = values.reduce((total, value) => total + value, ${part});\n` +
        `  registry.add(store.readItem${part}("key"), sum);\n  return sum > 10 ? sum : computeTotal${at + 4}(values);\n};`,
    ),
    `export function computeTotal${at}(values: readonly number[]): number {\n  return stepOf${at}x0(new Store${at}(), values);\n}`,
    "",
  ].join("\n");

const toPython = (at: number): string =>
  [
    "from registry import registry",
    `LIMIT_${at} = ${at}`,
    `class Store${at}:`,
    `    """Keeps items."""`,
    ...PARTS.map((part) => `    def read_item_${part}(self, key):\n        return registry.get(key, ${part})`),
    `def computeTotal${at}(values):`,
    `    store = Store${at}()`,
    ...PARTS.map((part) => `    values = [value + store.read_item_${part}("key") for value in values]`),
    `    return sum(values)`,
    "",
  ].join("\n");

const toGo = (at: number): string =>
  [
    `package part`,
    `type Store${at} struct { items map[string]int }`,
    ...PARTS.map(
      (part) => `func (s *Store${at}) ReadItem${part}(key string) int { return registry.Get(s.items, key) + ${part} }`,
    ),
    `// computeTotal${at} adds.`,
    `func computeTotal${at}(values []int) int {`,
    `	total := 0`,
    `	store := &Store${at}{}`,
    ...PARTS.map((part) => `	for _, value := range values { total += value + store.ReadItem${part}("key") }`),
    `	return total`,
    `}`,
    "",
  ].join("\n");

const toJavascript = (at: number): string =>
  [
    `const { registry } = require("../registry");`,
    `class Store${at} {`,
    ...PARTS.map((part) => `  readItem${part}(key) {\n    return registry.get(key, ${part});\n  }`),
    `}`,
    `function computeTotal${at}(values) {`,
    `  const store = new Store${at}();`,
    ...PARTS.map((part) => `  values = values.map((value) => value + store.readItem${part}("key"));`),
    `  return values.length;`,
    `}`,
    `module.exports = { Store${at}, computeTotal${at} };`,
    "",
  ].join("\n");

const toJava = (at: number): string =>
  [
    `package part;`,
    `public class Store${at} {`,
    `  private int limit = ${at};`,
    ...PARTS.map((part) => `  public int readItem${part}(String key) { return registry.get(key) + ${part}; }`),
    `  static int computeTotal${at}(int[] values) {`,
    `    Store${at} store = new Store${at}();`,
    `    int total = 0;`,
    ...PARTS.map((part) => `    for (int value : values) { total += value + store.readItem${part}("key"); }`),
    `    return total;`,
    `  }`,
    `}`,
    "",
  ].join("\n");

const toRust = (at: number): string =>
  [
    `pub struct Store${at} { limit: usize }`,
    `impl Store${at} {`,
    ...PARTS.map((part) => `    pub fn read_item_${part}(&self, key: &str) -> usize { registry::get(key) + ${part} }`),
    `}`,
    `pub fn computeTotal${at}(values: &[usize]) -> usize {`,
    `    let store = Store${at} { limit: ${at} };`,
    ...PARTS.map((part) => `    let _ = values.iter().map(|value| value + store.read_item_${part}("key"));`),
    `    values.len()`,
    `}`,
    "",
  ].join("\n");

const toC = (at: number): string =>
  [
    `#include "registry.h"`,
    `struct Store${at} { int limit; };`,
    ...PARTS.map((part) => `int read_item_${at}_${part}(struct Store${at} *store) { return registry(store->limit) + ${part}; }`),
    `int computeTotal${at}(int *values, int count) {`,
    `  struct Store${at} store = { ${at} };`,
    `  int total = 0;`,
    ...PARTS.map((part) => `  for (int i = 0; i < count; i++) total += values[i] + read_item_${at}_${part}(&store);`),
    `  return total;`,
    `}`,
    "",
  ].join("\n");

const WRITERS: readonly Writer[] = [
  { ending: "ts", toText: toTypescript },
  { ending: "py", toText: toPython },
  { ending: "ts", toText: toTypescript },
  { ending: "go", toText: toGo },
  { ending: "js", toText: toJavascript },
  { ending: "java", toText: toJava },
  { ending: "rs", toText: toRust },
  { ending: "c", toText: toC },
];
