/** Folders as a tree with what is in them, down to a depth, in as many lines as fit; small folders give way first. */
import { count } from "@retinue/confine";
import { escapeName } from "@retinue/confine";

export type CountedFile = { readonly file: string; readonly lines: number };

type Folder = { readonly name: string; files: number; lines: number; readonly inner: Map<string, Folder> };

const createFolder = (name: string): Folder => ({ name, files: 0, lines: 0, inner: new Map() });

export const describeLayout = (files: readonly CountedFile[], depth: number, maxLines: number): readonly string[] => {
  const top = createFolder(".");
  for (const { file, lines } of files) {
    let at = top;
    at.files += 1;
    at.lines += lines;
    for (const name of file.split("/").slice(0, -1).slice(0, depth)) {
      let next = at.inner.get(name);
      if (!next) at.inner.set(name, (next = createFolder(name)));
      at = next;
      at.files += 1;
      at.lines += lines;
    }
  }
  let least = 0;
  let lines = toLines(top, least);
  while (lines.length > maxLines) {
    least += 1;
    lines = toLines(top, least);
  }
  return lines;
};

/** Folders with no more files than `least` are only counted. */
const toLines = (folder: Folder, least: number, indent = ""): readonly string[] => {
  const lines: string[] = [];
  let hidden = 0;
  for (const inner of [...folder.inner.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    if (inner.files <= least) hidden += 1;
    else {
      lines.push(`${indent}${escapeName(inner.name)}/ (${count(inner.files, "file")}, ${count(inner.lines, "line")})`);
      lines.push(...toLines(inner, least, `${indent}  `));
    }
  if (hidden > 0) lines.push(`${indent}… ${count(hidden, "smaller folder")}`);
  return lines;
};
