/**
 * What happened in a browser session, in order: requests, messages of the console, dialogs, downloads, messages that pages announced, what pages showed. Whoever
 * judges looks from a mark on, so that what came and went is judged too.
 */
import type { Request } from "playwright-core";
import type { PageTree } from "./page-tree.ts";

export type LoggedRequest = {
  readonly at: number;
  readonly method: string;
  readonly url: string;
  readonly kind: string;
  /** Null while it is under way, and where it failed. */
  status: number | null;
  failure: string | null;
  /** Nothing answered: not the application, but our own proxy did, or nobody. */
  isUnreachable: boolean;
  isDone: boolean;
  readonly request: Request;
};

export type LoggedDownload = {
  readonly at: number;
  readonly name: string;
  readonly url: string;
  readonly bytes: Promise<Uint8Array>;
};

export type LoggedDialog = {
  readonly at: number;
  readonly kind: string;
  readonly message: string;
  readonly answer: "accept" | "dismiss";
  /** Nobody had said how to answer it. */
  readonly isUnexpected: boolean;
};

type Said = { readonly at: number; readonly text: string };

const MOST_TREES = 40;
const MOST_ENTRIES = 5_000;

export class SessionLog {
  readonly requests: LoggedRequest[] = [];
  /** Errors of the console and those that nobody caught. */
  readonly errors: Said[] = [];
  readonly announced: Said[] = [];
  readonly refused: Said[] = [];
  readonly dialogs: LoggedDialog[] = [];
  readonly downloads: LoggedDownload[] = [];
  readonly trees: { readonly at: number; readonly tree: PageTree }[] = [];
  readonly crashes: Said[] = [];
  #count = 0;

  /** Everything from here on is later. */
  mark(): number {
    return this.#count;
  }

  next(): number {
    this.#count += 1;
    return this.#count;
  }

  say(list: Said[], text: string): void {
    list.push({ at: this.next(), text });
    if (list.length > MOST_ENTRIES) list.shift();
  }

  keepTree(tree: PageTree): void {
    this.trees.push({ at: this.next(), tree });
    if (this.trees.length > MOST_TREES) this.trees.shift();
  }
}

export const since = <T extends { readonly at: number }>(list: readonly T[], mark: number): readonly T[] =>
  list.filter(({ at }) => at > mark);
