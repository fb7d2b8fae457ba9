/** One tick a second for every time on the page that goes on; nothing ticks while nobody looks at one. */
import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const told of listeners) told();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
};

const never = (): (() => void) => () => undefined;

/** The time of the last tick. A component that does not go on (`isLive` false) is never woken. */
export const useNow = (isLive = true): number => {
  if (timer === undefined) now = Date.now();
  return useSyncExternalStore(isLive ? subscribe : never, () => now);
};
