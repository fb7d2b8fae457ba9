/** Adds files and folders to the index: reads only what has changed, and forgets what is gone. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { RetinueError } from "@retinue/protocol";
import { createSecretCheck, openRegularFile } from "@retinue/confine";
import { toDocumentKind } from "./document-kind.ts";
import { listDocuments } from "./list-documents.ts";
import { checkSize, readDocument } from "./read-document.ts";
import { removeDocuments, writeDocument } from "./stored-document.ts";

/** Paths of files, by what became of them. */
export type AddReport = {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly unchanged: readonly string[];
  /** Gone from the folders that were added. */
  readonly removed: readonly string[];
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
};

export type AddOptions = {
  readonly signal?: AbortSignal;
  /** Called before each file. */
  readonly onFile?: (file: string, done: number, total: number) => void;
};

export const addDocuments = async (
  database: DatabaseSync,
  paths: readonly string[],
  { signal = new AbortController().signal, onFile = () => undefined }: AddOptions = {},
): Promise<AddReport> => {
  const report = {
    added: [] as string[],
    updated: [] as string[],
    unchanged: [] as string[],
    removed: [] as string[],
    skipped: [] as { path: string; why: string }[],
  };
  for (const named of paths) {
    const { root, isFolder, files } = await listDocuments(named, signal);
    for (const [at, file] of files.entries()) {
      onFile(file, at, files.length);
      signal.throwIfAborted();
      try {
        report[await addDocument({ database, root: isFolder ? root : path.dirname(root), file, signal })].push(file);
      } catch (thrown) {
        signal.throwIfAborted();
        if (!(thrown instanceof RetinueError)) throw thrown;
        report.skipped.push({ path: file, why: thrown.message });
        removeDocuments(database, file, () => true);
      }
    }
    if (isFolder) report.removed.push(...removeDocuments(database, root, (indexed) => !existsSync(indexed)));
  }
  return report;
};

const isSecret = createSecretCheck();

type Adding = { readonly database: DatabaseSync; readonly root: string; readonly file: string; readonly signal: AbortSignal };

const addDocument = async ({ database, root, file, signal }: Adding): Promise<"added" | "updated" | "unchanged"> => {
  const kind = toDocumentKind(file);
  if (kind === undefined) throw new RetinueError("tool_failed", "The file is of a kind that is not searched.");
  // Also what is above the folder that was added may tell that it holds keys.
  const isSecretBelow = (relative: string): boolean => isSecret(path.join(root, relative).split(path.sep).join("/"));
  const { handle } = await openRegularFile({ workspace: root, absolute: file, shown: "The file", isSecret: isSecretBelow });
  try {
    const { size, mtimeMs, nlink } = await handle.stat();
    if (nlink > 1) throw new RetinueError("tool_failed", "The file has hard links, so that it may be another file elsewhere.");
    const known = database.prepare("SELECT id, bytes, mtimeMs, hash FROM documents WHERE path = ?").get(file);
    if (known?.["bytes"] === size && known["mtimeMs"] === mtimeMs) return "unchanged";
    checkSize(kind, size);
    const bytes = await handle.readFile();
    checkSize(kind, bytes.length);
    const hash = createHash("sha256").update(bytes).digest("hex");
    if (known?.["hash"] === hash) {
      database.prepare("UPDATE documents SET mtimeMs = ? WHERE path = ?").run(mtimeMs, file);
      return "unchanged";
    }
    const text = await readDocument({ file, kind, bytes, signal });
    writeDocument(database, { file, kind, bytes: bytes.length, mtimeMs, hash, text });
    return known === undefined ? "added" : "updated";
  } finally {
    await handle.close();
  }
};
