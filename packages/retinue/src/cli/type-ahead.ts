/**
 * Keeps keys that were typed before a question was drawn from answering it. Whoever types is waited for: a question is drawn only when no key has come for
 * a moment, so that no word that was meant for something else ends below it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Surroundings } from "./surroundings.ts";

type Terminal = Surroundings["stdin"];

/** Shorter than anybody reads a question, and longer than the time between two keys of a word. */
const QUIET_MS = 250;
/** A key that is held down does not keep a question away for good. */
const MOST_MS = 5000;

export type TypeAhead = {
  readonly signal: AbortSignal;
  readonly onKeys?: (keys: Buffer | string) => void;
};

/** Returns when nobody types at a terminal that is being read. What came meanwhile is gone to whoever reads it. */
export const untilNobodyTypes = async (stdin: Terminal, { signal, onKeys }: TypeAhead): Promise<void> => {
  let lastAt = performance.now();
  const endAt = lastAt + MOST_MS;
  const listen = (keys: Buffer | string): void => {
    lastAt = performance.now();
    onKeys?.(keys);
  };
  stdin.on("data", listen);
  try {
    for (;;) {
      const leftMs = lastAt + QUIET_MS - performance.now();
      if (leftMs <= 0 || performance.now() > endAt) return;
      await sleep(leftMs, undefined, { signal });
      // Keys may wait unread while this process was busy: they are older than the question.
      await pollOnce();
      await pollOnce();
    }
  } finally {
    stdin.off("data", listen);
  }
};

/** What can be read is read before an immediate is called. */
const pollOnce = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

const INTERRUPT = "\u0003";

/**
 * Takes what was typed at a terminal that nobody reads, and throws it away; true where there was something. The terminal gives single keys meanwhile, so that a
 * line that was begun is taken too. Ctrl-C is heard.
 */
export const dropTypeAhead = async (stdin: Terminal, signal: AbortSignal, onInterrupt: () => void): Promise<boolean> => {
  if (stdin.isTTY !== true || !("setRawMode" in stdin) || typeof stdin.setRawMode !== "function") return false;
  let typed = false;
  stdin.setRawMode(true);
  try {
    await untilNobodyTypes(stdin, {
      signal,
      onKeys: (keys) => {
        typed = true;
        if (keys.toString().includes(INTERRUPT)) onInterrupt();
      },
    });
    return typed;
  } finally {
    stdin.pause();
    stdin.setRawMode(false);
  }
};
