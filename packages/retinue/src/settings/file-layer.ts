/** Settings from a YAML file. Only a plain file of decent size is read; each value knows its line. */
import { open } from "node:fs/promises";
import type { Document, Node, Pair, YAMLMap } from "yaml";
import { isAlias, isMap, isNode, isPair, isScalar, LineCounter, parseDocument, visit } from "yaml";
import type { Layer, Raw, RawMap } from "./layer.ts";
import { isRawMap } from "./layer.ts";
import type { Problem } from "./problem.ts";
import type { SettingsPath } from "./schema-walk.ts";

/** More than any hand has written; it is parsed well within a second. */
const MOST_BYTES = 256 * 1024;

const toReason = (thrown: unknown): string => {
  const code = (thrown as NodeJS.ErrnoException).code;
  if (code === "EACCES" || code === "EPERM") return "you may not read it";
  if (code === "EISDIR") return "it is a folder";
  if (code === "ELOOP") return "its links go round in a circle";
  return thrown instanceof Error ? thrown.message : String(thrown);
};

/** Undefined where there is no such file. Throws a plain Error that says why it cannot be read. */
const readText = async (file: string): Promise<string | undefined> => {
  let handle;
  try {
    // Opening a pipe must not wait for its writer.
    const { O_RDONLY, O_NONBLOCK } = (await import("node:fs")).constants;
    handle = await open(file, O_RDONLY | (O_NONBLOCK ?? 0));
  } catch (thrown) {
    if (["ENOENT", "ENOTDIR"].includes((thrown as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw new Error(toReason(thrown), { cause: thrown });
  }
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error(stats.isDirectory() ? "it is a folder" : "it is not a plain file");
    if (stats.size > MOST_BYTES) throw new Error("it is larger than 256 KiB");
    const bytes = await handle.readFile();
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      throw new Error("it is not UTF-8 text");
    }
  } finally {
    await handle.close();
  }
};

/** A key without a value counts as not set, so that a section whose lines are all commented out does no harm. */
const withoutEmpty = (value: Raw): Raw => {
  if (!isRawMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, child]): [string, Raw][] => (child === null ? [] : [[key, withoutEmpty(child)]])),
  );
};

const keyText = (pair: Pair): string | undefined => {
  const key: unknown = pair.key;
  return isScalar(key) ? String(key.value) : undefined;
};

/** The pairs of a map by their keys; of a map that was asked for before, without looking again. */
const createPairIndex = (): ((map: YAMLMap) => ReadonlyMap<string, Pair>) => {
  const known = new WeakMap<YAMLMap, Map<string, Pair>>();
  return (map) => {
    let pairs = known.get(map);
    if (!pairs) {
      pairs = new Map();
      for (const item of map.items) {
        const key = isPair(item) ? keyText(item) : undefined;
        if (key !== undefined && !pairs.has(key)) pairs.set(key, item);
      }
      known.set(map, pairs);
    }
    return pairs;
  };
};

const findRepeatedKeys = (document: Document): readonly { readonly offset: number; readonly message: string }[] => {
  const repeated: { readonly offset: number; readonly message: string }[] = [];
  visit(document, {
    Map: (_key, map) => {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) repeated.push({ offset: key.range?.[0] ?? 0, message: "Map keys must be unique" });
        seen.add(key.value);
      }
    },
  });
  return repeated;
};

type SourceKind = "user" | "project";

export const readFileLayer = async (file: string, kind: SourceKind): Promise<Layer | undefined> => {
  let text;
  try {
    text = await readText(file);
  } catch (thrown) {
    const what = `cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
    return emptyLayer(file, kind, [{ code: "settings_unreadable", where: file, key: "", what }]);
  }
  if (text === undefined) return undefined;

  const lines = new LineCounter();
  let document: Document;
  try {
    // Whether keys are unique is looked at below: the parser compares each with each.
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false, strict: true, uniqueKeys: false });
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return emptyLayer(file, kind, [{ code: "settings_malformed", where: file, key: "", what: "is nested too deeply" }]);
  }
  const place = (offset: number): { line: number; col: number } => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), col: Math.max(1, col) };
  };
  const at = (offset: number): string => `${file}:${place(offset).line}:${place(offset).col}`;

  const faults = [...document.errors, ...document.warnings].map(({ pos, message }) => ({ offset: pos[0], message }));
  const flaws = (faults.length > 0 ? faults : findRepeatedKeys(document)).map(({ offset, message }): Problem => ({
    code: "settings_malformed",
    where: at(offset),
    key: "",
    what: message,
  }));
  if (flaws.length > 0) return emptyLayer(file, kind, flaws);

  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (thrown) {
    const what = thrown instanceof Error ? thrown.message : String(thrown);
    return emptyLayer(file, kind, [{ code: "settings_malformed", where: at(0), key: "", what }]);
  }
  if (value === null || value === undefined) return emptyLayer(file, kind, []);
  if (!isRawMap(value)) {
    const what = "must hold a mapping of keys, like model: provider/name";
    return emptyLayer(file, kind, [{ code: "settings_invalid", where: at(document.contents?.range?.[0] ?? 0), key: "", what }]);
  }

  const pairsOf = createPairIndex();
  const resolve = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);
  const offsetOf = (path: SettingsPath, part: "key" | "value"): number => {
    let node: unknown = document.contents;
    let offset = 0;
    for (const [index, key] of path.entries()) {
      const map = resolve(node);
      const pair = isMap(map) ? pairsOf(map).get(key) : undefined;
      if (!pair) break;
      const wantsKey = part === "key" && index === path.length - 1;
      const target = wantsKey || !isNode(pair.value) || !(pair.value as Node).range ? pair.key : pair.value;
      offset = isNode(target) ? ((target as Node).range?.[0] ?? offset) : offset;
      node = pair.value;
    }
    return offset;
  };

  return {
    tree: withoutEmpty(value) as RawMap,
    origin: (path) => ({ type: kind, file, line: place(offsetOf(path, "key")).line }),
    where: (path, part) => at(offsetOf(path, part)),
    problems: [],
  };
};

const emptyLayer = (file: string, kind: SourceKind, problems: readonly Problem[]): Layer => ({
  tree: {},
  origin: () => ({ type: kind, file, line: 1 }),
  where: () => file,
  problems,
});
