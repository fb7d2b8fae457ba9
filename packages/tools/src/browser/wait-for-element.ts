/**
 * Looks for an element until it is there and enabled, as Playwright does: pages show things when they are ready. What could be several elements, or is named by a
 * reference that is gone, is not waited for. That it is in sight and stands still is waited for by the act itself.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { RetinueError } from "@retinue/protocol";
import { ElementNotFound } from "./find-element.ts";
import type { PageNode, PageTree } from "./page-tree.ts";

/** How long an act waits for its element to be there and ready. */
export const WAIT_MS = 10_000;
const LOOK_MS = 150;

export type WaitForElement<Found> = {
  /** The page as it is now. */
  readonly read: () => Promise<PageTree>;
  /** Throws where it is not there. */
  readonly find: (tree: PageTree) => Promise<Found>;
  /** By `performance.now`. */
  readonly until: number;
  readonly lookMs?: number;
  readonly signal: AbortSignal;
};

/** Throws what the last look threw. An element that stays disabled is given as it is. */
export const waitForElement = async <Found extends { readonly node: PageNode }>({
  read,
  find,
  until,
  lookMs = LOOK_MS,
  signal,
}: WaitForElement<Found>): Promise<Found> => {
  for (;;) {
    const isLast = performance.now() >= until;
    try {
      const found = await find(await read());
      if (isLast || !found.node.states.includes("disabled")) return found;
    } catch (thrown) {
      // A page that is being replaced cannot be read for a moment.
      const mayCome = thrown instanceof ElementNotFound || !(thrown instanceof RetinueError);
      if (isLast || !mayCome) throw thrown;
    }
    await sleep(lookMs, undefined, { signal });
  }
};
