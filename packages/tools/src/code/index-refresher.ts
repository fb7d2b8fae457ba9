/**
 * Brings the index up to date with the files: looks at those that are known to have changed, or else lists all anew and looks at their times,
 * and has those read that are new or changed.
 */
import { lstatSync } from "node:fs";
import path from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { listFiles } from "@retinue/confine/list-files";
import { languageOf } from "./code-languages.ts";
import type { IndexState } from "./index-request.ts";
import type { ParsePool } from "./parse-pool.ts";
import type { SourceAnswer, SourceRequest } from "./source-answer.ts";
import type { SymbolStore } from "./symbol-store.ts";
import { TreeWatch } from "./tree-watch.ts";

export type IndexRefresherOptions = {
  /** Absolute and real. */
  readonly root: string;
  readonly store: SymbolStore;
  readonly pool: ParsePool;
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  readonly onProgress: (done: number, total: number) => void;
};

export type IndexRefresher = {
  /** Resolves when the index holds all files as they were when this was called. */
  readonly refresh: () => Promise<void>;
  readonly state: () => IndexState;
};

const STATS_AT_ONCE = 500;
const FILES_A_TRANSACTION = 64;

export const createIndexRefresher = (options: IndexRefresherOptions): IndexRefresher => {
  const { root, store, pool, maxFiles, maxFileBytes, onProgress } = options;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let waiting = 0;
  let isFull = false;

  const tree = new TreeWatch(root);

  const run = async (): Promise<void> => {
    if (await tree.isUnchanged()) return;
    try {
      const changed = tree.takeChanges();
      if (changed && (await lookAt(changed))) return;
      tree.begin();
      await lookAtAll();
    } catch (thrown) {
      tree.invalidate();
      throw thrown;
    }
  };

  /** False when these alone do not tell. Whether a file that is not known is ignored is for the listing to say. */
  const lookAt = async (changed: ReadonlySet<string>): Promise<boolean> => {
    const known = store.files();
    const requests: SourceRequest[] = [];
    const gone: string[] = [];
    const fresh: string[] = [];
    for (const file of changed) {
      const before = known.get(file);
      const now = lstatSync(`${root}/${file}`, { throwIfNoEntry: false });
      if (before && !now?.isFile()) gone.push(file);
      // It was told that it has changed, whatever its size and time say.
      else if (before) requests.push(toRequest(file, before.hash));
      else if (now?.isFile() && languageOf(file) !== undefined) fresh.push(file);
    }
    if (fresh.length > 0) {
      if (isFull || known.size + fresh.length > maxFiles) return false;
      const { files, whole } = await listFiles(root, new AbortController().signal);
      if (!whole) return false;
      const listed = new Set(files);
      const isSecret = await createSecretCheck(fresh);
      for (const file of fresh) if (listed.has(file) && !isSecret(file)) requests.push(toRequest(file, undefined));
    }
    if (gone.length > 0) store.change({ read: [], same: [], gone });
    if (requests.length > 0) await readAll(requests);
    return true;
  };

  const toRequest = (file: string, knownHash: string | undefined): SourceRequest => ({
    root,
    path: file,
    knownHash,
    maxBytes: maxFileBytes,
  });

  const lookAtAll = async (): Promise<void> => {
    const listing = listFiles(root, new AbortController().signal);
    const times = await readTimes(root, [...store.files().keys()]);
    const { files, whole } = await listing;
    await tree.end(files);
    const known = store.files();
    const sources = files.filter((file) => languageOf(file) !== undefined);
    isFull = !whole || sources.length > maxFiles;
    const wanted = new Set(sources.slice(0, maxFiles));
    const requests: SourceRequest[] = [];
    const isSecret = await createSecretCheck([...wanted].filter((file) => !known.has(file)));
    for (const file of wanted) {
      const before = known.get(file);
      if (!before && isSecret(file)) continue;
      const now = times.get(file);
      if (before && now && before.size === now.size && before.mtimeMs === now.mtimeMs) continue;
      requests.push(toRequest(file, before?.hash));
    }
    const gone = whole ? [...known.keys()].filter((file) => !wanted.has(file)) : [];
    if (gone.length > 0) store.change({ read: [], same: [], gone });
    if (requests.length > 0) await readAll(requests);
  };

  const readAll = async (requests: readonly SourceRequest[]): Promise<void> => {
    let answers: SourceAnswer[] = [];
    let done = 0;
    const flush = (): void => {
      const batch = answers;
      answers = [];
      if (batch.length > 0) store.change(toChanges(batch));
      onProgress(done, requests.length);
    };
    waiting = requests.length;
    try {
      await pool.run(requests, (request, answer) => {
        answers.push(answer ?? toGivenUp(request));
        done += 1;
        waiting -= 1;
        if (answers.length >= FILES_A_TRANSACTION) flush();
      });
    } finally {
      waiting = 0;
      flush();
    }
  };

  return {
    refresh: () => {
      // A refresh that is under way may have passed what has just changed.
      next ??= (running ?? Promise.resolve())
        .catch(() => undefined)
        .then(() => {
          next = undefined;
          running = run();
          return running;
        });
      return next;
    },
    state: () => {
      const [row] = store.all("select count(*) as files, count(left_out) as left_out from files");
      return { files: Number(row?.["files"] ?? 0), waiting, leftOut: Number(row?.["left_out"] ?? 0), isFull };
    },
  };
};

/** Policy is loaded only where a hidden name calls for it: no secret in a language that is read has another. */
const createSecretCheck = async (files: readonly string[]): Promise<(file: string) => boolean> => {
  if (!files.some(hasHiddenName)) return () => false;
  const { protectionOf } = await import("@retinue/runtime");
  return (file) => hasHiddenName(file) && protectionOf(file)?.read === "deny";
};

const hasHiddenName = (file: string): boolean => file.startsWith(".") || file.includes("/.");

type FileTimes = ReadonlyMap<string, { readonly size: number; readonly mtimeMs: number }>;

/** With pauses, in which the listing is taken in. */
const readTimes = async (root: string, files: readonly string[]): Promise<FileTimes> => {
  const times = new Map<string, { size: number; mtimeMs: number }>();
  for (let at = 0; at < files.length; at += STATS_AT_ONCE) {
    for (const file of files.slice(at, at + STATS_AT_ONCE)) {
      const stats = lstatSync(`${root}/${file}`, { throwIfNoEntry: false });
      if (stats?.isFile()) times.set(file, stats);
    }
    await turn();
  }
  return times;
};

/** Kept as it is until it changes, so that it is not tried again and again. */
const toGivenUp = (request: SourceRequest): SourceAnswer => {
  const stats = lstatSync(path.join(request.root, request.path), { throwIfNoEntry: false });
  const language = languageOf(request.path)?.name;
  if (!stats || language === undefined) return { type: "gone", path: request.path };
  const { size, mtimeMs } = stats;
  const nothing = { hash: "", lines: 0, left: "not parsed", definitions: [], uses: "" } as const;
  return { type: "read", file: { path: request.path, size, mtimeMs, language, ...nothing } };
};

const toChanges = (answers: readonly SourceAnswer[]): Parameters<SymbolStore["change"]>[0] => ({
  read: answers.flatMap((answer) => (answer.type === "read" ? [answer.file] : [])),
  same: answers.flatMap((answer) => (answer.type === "same" ? [answer] : [])),
  gone: answers.flatMap((answer) => (answer.type === "gone" ? [answer.path] : [])),
});
