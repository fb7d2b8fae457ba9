/** Waits until what an act has set going is done: the requests that began after it, and the load of a page that it led to. Bounded. */
import { setTimeout as sleep } from "node:timers/promises";
import type { BrowserSession } from "./browser-session.ts";
import type { LoggedRequest } from "./session-log.ts";
import { since } from "./session-log.ts";

export type SettleOptions = { readonly mark: number; readonly mostMs?: number; readonly signal: AbortSignal };

const MOST_MS = 8_000;
/** A page may answer a click in the next task, or after an animation frame. */
const QUIET_MS = 120;
const LOOK_MS = 20;

/** Kinds that stay open by their nature. */
const ENDLESS: ReadonlySet<string> = new Set(["websocket", "eventsource", "media", "ping", "texttrack"]);

/** Gives the requests that are still under way when its time is up. */
export const settle = async (
  session: BrowserSession,
  { mark, mostMs = MOST_MS, signal }: SettleOptions,
): Promise<readonly LoggedRequest[]> => {
  const until = performance.now() + mostMs;
  let quietSince = performance.now();
  let count = 0;
  for (;;) {
    const begun = since(session.log.requests, mark);
    const open = begun.filter(({ isDone, kind }) => !isDone && !ENDLESS.has(kind));
    const now = performance.now();
    if (open.length > 0 || begun.length !== count) quietSince = now;
    count = begun.length;
    if (now - quietSince >= QUIET_MS) break;
    if (now >= until || signal.aborted) return open;
    await sleep(LOOK_MS);
  }
  await session.currentPage?.waitForLoadState("load", { timeout: Math.max(1, until - performance.now()) }).catch(() => undefined);
  return [];
};
