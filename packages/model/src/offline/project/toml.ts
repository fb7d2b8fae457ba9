/** As much of TOML as manifests need: keys with their section, raw value and line. What it does not understand it passes over. */
import type { ReadLine } from "../tool-output.ts";

export type TomlEntry = { readonly section: string; readonly key: string; readonly value: string; readonly line: number };

export const parseToml = (lines: readonly ReadLine[]): readonly TomlEntry[] => {
  const entries: TomlEntry[] = [];
  let section = "";
  for (let at = 0; at < lines.length; at += 1) {
    const { number, text } = lines[at] ?? { number: 0, text: "" };
    const [, header] = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$/.exec(text) ?? [];
    if (header !== undefined) section = header.replaceAll(/["']/g, "");
    const [, key, first] = /^\s*("[^"]+"|'[^']+'|[\w.-]+)\s*=\s*(.*)$/.exec(text) ?? [];
    if (header !== undefined || key === undefined || first === undefined) continue;
    let value = first;
    // An array goes on until its bracket is closed.
    while (value.startsWith("[") && !isClosed(value) && at + 1 < lines.length) value += `\n${lines[(at += 1)]?.text ?? ""}`;
    entries.push({ section, key: key.replaceAll(/["']/g, ""), value: value.trim(), line: number });
  }
  return entries;
};

const isClosed = (value: string): boolean => {
  const bare = value.replaceAll(/"[^"\n]*"|'[^'\n]*'|#[^\n]*/g, "");
  return bare.split("[").length <= bare.split("]").length;
};

/** The strings of an array with the line of each; comments and inline tables are passed over. */
export const itemsOf = ({ value, line }: TomlEntry): readonly { readonly text: string; readonly line: number }[] =>
  [...value.matchAll(/"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|#[^\n]*|\{[^}]*\}/g)].flatMap(({ 1: double, 2: single, index }) => {
    const text = double ?? single;
    return text === undefined ? [] : [{ text, line: line + value.slice(0, index).split("\n").length - 1 }];
  });

/** The strings in a value, of an array or a single one. */
export const stringsIn = (value: string): readonly string[] =>
  [...value.matchAll(/"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'/g)].map(([, double, single]) => double ?? single ?? "");
