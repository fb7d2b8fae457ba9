/**
 * Names that are made anew each time, such as ids of runs. A recorded answer names those of the recording; requests tell which of now stand for them,
 * since both have them at the same places.
 */
import type { Json } from "@retinue/protocol";

export type NameMap = {
  /** Whether both lists may stand for each other, by all that was learned. */
  readonly fits: (recorded: readonly string[], now: readonly string[]) => boolean;
  readonly learn: (recorded: readonly string[], now: readonly string[]) => void;
  /** The text with the names of now. */
  readonly apply: (text: string) => string;
};

export const createNameMap = (): NameMap => {
  const toNow = new Map<string, string>();
  const toRecorded = new Map<string, string>();
  return {
    fits: (recorded, now) =>
      recorded.every((name, at) => {
        const current = now[at];
        if (current === undefined || current === name) return true;
        const [known, other] = [toNow.get(name), toRecorded.get(current)];
        return (known === undefined || known === current) && (other === undefined || other === name);
      }),
    learn: (recorded, now) => {
      for (const [at, name] of recorded.entries()) {
        const current = now[at];
        // What an answer said with the name of the recording is not what it stands for.
        if (current === undefined || current === name || toNow.has(name) || toRecorded.has(current)) continue;
        toNow.set(name, current);
        toRecorded.set(current, name);
      }
    },
    apply: (text) => [...toNow].reduce((changed, [recorded, now]) => changed.replaceAll(recorded, now), text),
  };
};

/** The names in the order in which they stand there. */
export const namesIn = (value: Json, pattern: RegExp): readonly string[] => {
  if (typeof value === "string") return value.match(pattern) ?? [];
  if (value === null || typeof value !== "object") return [];
  return Object.values(value).flatMap((item: Json) => namesIn(item, pattern));
};
