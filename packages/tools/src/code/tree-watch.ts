/**
 * Knows which files have changed in the folders of a workspace since they were last looked at, so that an index need not look at every file
 * again. When it cannot know, it says that all may have.
 */
import type { FSWatcher } from "node:fs";
import { lstatSync, readdirSync, watch } from "node:fs";
import path from "node:path";
import { setImmediate as turn } from "node:timers/promises";

/** Only here every folder can be watched at little cost, and what a process has done is told before it can say so itself. */
const CAN_WATCH = process.platform === "linux";
const MAX_WATCHED = 20_000;
/** Folders in which nothing is listed: empty ones, and those that are ignored, in which it would go on for ever. */
const MAX_UNLISTED = 500;
const NOT_ENTERED: ReadonlySet<string> = new Set(["node_modules", "target", "dist", "build", ".venv", "venv", "__pycache__"]);
/** Changes that nobody is told of, as by another machine on the same disk, are found after this. */
const MAX_TRUST_MS = 60_000;
const FOLDERS_AT_ONCE = 200;
/** With more than these, looking at all files is no more work. */
const MAX_CHANGED = 500;
/** Long before the system's own list of what it has to tell is full, and forgets. */
const MAX_TOLD = 4000;
/** By which other files come and go. */
const IGNORE_FILES: ReadonlySet<string> = new Set([".gitignore", ".ignore", ".rgignore"]);

export class TreeWatch {
  readonly #root: string;
  readonly #watchers = new Map<string, FSWatcher>();
  #canWatch = CAN_WATCH;
  /** Something has changed of which it is not known what. */
  #isUnknown = true;
  /** What else has changed, relative to the root. */
  #changed = new Set<string>();
  #told = 0;
  /** Also, which folders there are. */
  #isMoved = true;
  #findsFolders = true;
  #lookedAt = -Infinity;

  constructor(root: string) {
    this.#root = root;
  }

  /** Whether all is as it was when it was last looked at. Changes that were made before this was called are known. */
  async isUnchanged(): Promise<boolean> {
    if (!this.#canWatch || performance.now() - this.#lookedAt > MAX_TRUST_MS) return false;
    // What the system has to tell is taken in once a turn; the second one is whole.
    await turn();
    await turn();
    return !this.#isUnknown && this.#changed.size === 0;
  }

  /**
   * To be asked after `isUnchanged`, before files are looked at: those that were written, made or removed, or undefined where all have to be
   * looked at. Changes from here on count again.
   */
  takeChanges(): ReadonlySet<string> | undefined {
    const isKnown = this.#canWatch && performance.now() - this.#lookedAt <= MAX_TRUST_MS && !this.#isUnknown;
    if (!isKnown || this.#changed.size > MAX_CHANGED || this.#told > MAX_TOLD) return undefined;
    const changed = this.#changed;
    this.#forget();
    return changed;
  }

  /** To be called before all files are looked at; changes from here on count. */
  begin(): void {
    this.#findsFolders ||= this.#isMoved;
    this.#isMoved = false;
    this.#isUnknown = false;
    this.#forget();
  }

  #forget(): void {
    this.#changed = new Set();
    this.#told = 0;
  }

  /** What was begun did not end well, so that all has to be looked at again. */
  invalidate(): void {
    this.#isUnknown = true;
  }

  /** To be called with the files that were found, relative to the root. */
  async end(files: readonly string[]): Promise<void> {
    this.#lookedAt = performance.now();
    if (!this.#canWatch || !this.#findsFolders) return;
    const folders = await this.#findFolders(files);
    if (folders.size > MAX_WATCHED) return this.#giveUp();
    for (const folder of this.#watchers.keys()) if (!folders.has(folder)) this.#drop(folder);
    for (const folder of folders)
      if (!this.#watchers.has(folder)) {
        this.#watch(folder);
        // What happened in it before it was watched is not known.
        this.#isUnknown = true;
      }
    this.#findsFolders = false;
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  async #findFolders(files: readonly string[]): Promise<ReadonlySet<string>> {
    const folders = new Set<string>([""]);
    for (const file of files)
      for (let at = file.lastIndexOf("/"); at > 0; at = file.lastIndexOf("/", at - 1)) {
        const folder = file.slice(0, at);
        if (folders.has(folder)) break;
        folders.add(folder);
      }
    const listed = folders.size;
    let looked = 0;
    // Grows while it is gone through.
    for (const folder of folders) {
      if (folders.size - listed >= MAX_UNLISTED) break;
      if (looked >= listed && NOT_ENTERED.has(path.posix.basename(folder))) continue;
      for (const inner of readFolders(path.join(this.#root, folder))) folders.add(folder === "" ? inner : `${folder}/${inner}`);
      if ((looked += 1) % FOLDERS_AT_ONCE === 0) await turn();
    }
    return folders;
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(path.join(this.#root, folder), { persistent: false }, (type, name) => {
        this.#told += 1;
        if (name === null) this.#isUnknown = this.#isMoved = true;
        else this.#take(type, folder === "" ? name : `${folder}/${name}`, name);
      });
      watcher.on("error", () => this.#giveUp());
      this.#watchers.set(folder, watcher);
    } catch (thrown) {
      // It has just gone, which its parent tells as well; anything else is a limit of the system.
      if (!(thrown instanceof Error && "code" in thrown && (thrown.code === "ENOENT" || thrown.code === "ENOTDIR")))
        this.#giveUp();
    }
  }

  #take(type: string, file: string, name: string): void {
    if (IGNORE_FILES.has(name)) this.#isUnknown = true;
    // Another folder may have taken the name of one, and a new one has more in it than is told.
    if (type === "rename" && (this.#watchers.has(file) || this.#isFolder(file))) {
      this.#isUnknown = this.#isMoved = true;
      this.#dropBelow(file);
    } else if (this.#changed.size <= MAX_CHANGED) this.#changed.add(file);
  }

  #isFolder(file: string): boolean {
    try {
      return lstatSync(path.join(this.#root, file), { throwIfNoEntry: false })?.isDirectory() ?? false;
    } catch {
      return true;
    }
  }

  #dropBelow(name: string): void {
    if (!this.#watchers.has(name)) return;
    for (const folder of this.#watchers.keys()) if (folder === name || folder.startsWith(`${name}/`)) this.#drop(folder);
  }

  #drop(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  #giveUp(): void {
    this.#canWatch = false;
    this.close();
  }
}

/** Names of the folders in a folder, links not among them. */
const readFolders = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== ".git")
      .map((entry) => entry.name);
  } catch {
    return [];
  }
};
