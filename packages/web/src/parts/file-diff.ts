/** Changes of files as lines that were taken away, added or stayed: from a unified diff, or from what a call of `write` or `edit` was given. */
import { structuredPatch } from "diff";

export type DiffLine = {
  readonly kind: "+" | "-" | " " | "@";
  readonly text: string;
  /** In the file as it was, and as it becomes; null on the side where the line is not. */
  readonly before: number | null;
  readonly after: number | null;
};

export type FileDiff = {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  readonly lines: readonly DiffLine[];
  readonly note?: string;
};

type Hunk = { readonly oldStart: number; readonly newStart: number; readonly lines: readonly string[] };

const toLines = (hunks: readonly Hunk[], hasHeaders: boolean): readonly DiffLine[] =>
  hunks.flatMap(({ oldStart, newStart, lines }) => {
    let [before, after] = [oldStart, newStart];
    const head: readonly DiffLine[] = hasHeaders ? [{ kind: "@", text: `line ${newStart}`, before: null, after: null }] : [];
    const body = lines.flatMap((line): readonly DiffLine[] => {
      const text = line.slice(1);
      if (line.startsWith("+")) return [{ kind: "+", text, before: null, after: after++ }];
      if (line.startsWith("-")) return [{ kind: "-", text, before: before++, after: null }];
      return line.startsWith("\\") ? [] : [{ kind: " ", text, before: before++, after: after++ }];
    });
    return [...head, ...body];
  });

const toFileDiff = (path: string, hunks: readonly Hunk[], hasHeaders: boolean, note?: string): FileDiff => {
  const lines = toLines(hunks, hasHeaders);
  return {
    path,
    lines,
    added: lines.filter(({ kind }) => kind === "+").length,
    removed: lines.filter(({ kind }) => kind === "-").length,
    ...(note === undefined ? {} : { note }),
  };
};

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** What a unified diff says, file by file. */
export const fromUnifiedDiff = (text: string): readonly FileDiff[] => {
  const files: { path: string; hunks: { oldStart: number; newStart: number; lines: string[] }[] }[] = [];
  for (const line of text.split("\n")) {
    const hunk = HUNK.exec(line);
    const file = files.at(-1);
    if (line.startsWith("--- ") && (file === undefined || file.hunks.length > 0 || file.path === ""))
      files.push({ path: line.slice(4).replace(/^a\//, "").replace(/\t.*$/, ""), hunks: [] });
    else if (line.startsWith("+++ ") && file !== undefined && file.hunks.length === 0) {
      const path = line.slice(4).replace(/^b\//, "").replace(/\t.*$/, "");
      if (path !== "/dev/null") file.path = path;
    } else if (hunk !== null && file !== undefined)
      file.hunks.push({ oldStart: Number(hunk[1]), newStart: Number(hunk[2]), lines: [] });
    else if (/^[ +\-\\]/.test(line)) file?.hunks.at(-1)?.lines.push(line);
  }
  return files.map(({ path, hunks }) => toFileDiff(path, hunks, true));
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const editsToDiff = (path: string, edits: readonly unknown[]): FileDiff => {
  const hunks = edits
    .filter(isRecord)
    .flatMap(({ old, new: replaced }) =>
      typeof old === "string" && typeof replaced === "string"
        ? structuredPatch(path, path, old, replaced, "", "", { context: 3 }).hunks
        : [],
    );
  return toFileDiff(path, hunks, hunks.length > 1);
};

/** What a call would change or has changed, as far as its input tells. None for tools that change no file. */
export const fromCallInput = (tool: string, input: unknown): readonly FileDiff[] => {
  if (!isRecord(input)) return [];
  const { path, content, edits, files } = input;
  if (tool === "write" && typeof path === "string" && typeof content === "string")
    return [toFileDiff(path, structuredPatch(path, path, "", content, "", "").hunks, false, "whole file")];
  if (tool !== "edit") return [];
  const list = Array.isArray(files) ? files.filter(isRecord) : [{ path, edits }];
  return list.flatMap((file) =>
    typeof file["path"] === "string" && Array.isArray(file["edits"]) ? [editsToDiff(file["path"], file["edits"])] : [],
  );
};
