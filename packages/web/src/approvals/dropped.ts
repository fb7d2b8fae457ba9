/** The one line that says of a key or click that it answered nothing. It goes away by itself. */
import { useSyncExternalStore } from "react";

const SHOWN_MS = 6_000;

let told: string | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

const set = (next: string | null): void => {
  told = next;
  for (const listener of listeners) listener();
};

export const tellDropped = (text: string): void => {
  clearTimeout(timer);
  timer = setTimeout(() => set(null), SHOWN_MS);
  set(text);
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useDropped = (): string | null => useSyncExternalStore(subscribe, () => told);
