/** The files and folders that a listing of the workspace names, with their paths. */
import type { Exchange } from "../conversation.ts";
import { parseGlob } from "../tool-output.ts";

export type Listing = {
  /** Known files; deeper ones may be missing. */
  readonly files: readonly string[];
  /** Folders with the number of files below them, where the listing tells it. */
  readonly folders: ReadonlyMap<string, number>;
  /** Of files, in bytes, as far as they are told. */
  readonly sizes: ReadonlyMap<string, number>;
};

/** From the tree of `ls`: two spaces a level, folders with a slash and the number of files below. */
export const parseListing = (text: string): Listing => {
  const files: string[] = [];
  const folders = new Map<string, number>();
  const sizes = new Map<string, number>();
  const above: string[] = [];
  for (const row of text.split("\n").slice(1)) {
    const [, indent = "", entry = ""] = /^((?: {2})+)(\S.*)$/.exec(row) ?? [];
    if (entry === "" || entry.startsWith("[")) continue;
    above.length = indent.length / 2 - 1;
    const [, folder, below] = /^(.+)\/ {2}\((\d+) files?\)$/.exec(entry) ?? [];
    const name = folder ?? entry.replace(/ {2}[^ ].*$| -> .*$/, "");
    const path = [...above, name].join("/");
    const [, size, unit = ""] = / {2}([\d.]+) ?(B|kB|KB|KiB|MB|MiB|GB|GiB)$/.exec(entry) ?? [];
    if (size !== undefined) sizes.set(path, Number(size) * (UNITS[unit.charAt(0).toUpperCase()] ?? 1));
    if (folder === undefined) files.push(path);
    else {
      folders.set(path, Number(below));
      above.push(name);
    }
  }
  return { files, folders, sizes };
};

const UNITS: Readonly<Record<string, number>> = { B: 1, K: 1e3, M: 1e6, G: 1e9 };

const fromPaths = (paths: readonly string[]): Listing => {
  const folders = new Map<string, number>();
  for (const path of paths)
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1))
      folders.set(path.slice(0, end), (folders.get(path.slice(0, end)) ?? 0) + 1);
  return { files: paths, folders, sizes: new Map() };
};

/** What the calls so far say about the workspace. */
export const toListing = (exchanges: readonly Exchange[]): Listing => {
  const listed = exchanges.find(({ tool, isError }) => tool === "ls" && !isError);
  if (listed) return parseListing(listed.text);
  return fromPaths(exchanges.filter(({ tool, isError }) => tool === "glob" && !isError).flatMap(({ text }) => parseGlob(text)));
};

export const baseOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

export const folderOf = (path: string): string => (path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "");

export const depthOf = (path: string): number => path.split("/").length - 1;

/** Files at the top whose name fits, or one level below where the top has none. */
export const findNearest = ({ files }: Listing, pattern: RegExp): readonly string[] => {
  const named = files.filter(
    (file) => pattern.test(baseOf(file)) && !/(?:^|\/)(?:node_modules|vendor|fixtures?|testdata)\//.test(file),
  );
  const least = Math.min(...named.map(depthOf));
  return named.filter((file) => depthOf(file) === least);
};
