/** What tools hold open for one run or one session: each resource once, and closed once, also where it is still being opened. */
import { RetinueError } from "@retinue/protocol";
import type { AnyResource, Clock, OpenContext } from "@retinue/runtime";
import { toUnclosedWarning } from "@retinue/runtime";

export type Shelf = {
  /** Calls that ask at the same time share one opening. One that failed is forgotten, so that the next call tries again. */
  readonly take: (resource: AnyResource, context: Omit<OpenContext, "signal">) => Promise<unknown>;
  /** Closes everything and gives a warning for each that could not be closed. Nothing is opened after it. */
  readonly close: () => Promise<readonly string[]>;
};

export const createShelf = (clock: Clock): Shelf => {
  const open = new Map<AnyResource, Promise<unknown>>();
  const stop = new AbortController();
  let closing: Promise<readonly string[]> | undefined;
  return {
    take: (resource, context) => {
      if (closing) return Promise.reject(new RetinueError("cancelled", "what it was for has ended"));
      const known = open.get(resource);
      if (known) return known;
      const held = resource.open({ ...context, signal: stop.signal });
      open.set(resource, held);
      held.catch(() => open.delete(resource));
      return held;
    },
    close: () =>
      (closing ??= (async () => {
        stop.abort(new RetinueError("cancelled", "The run or session that it was opened for is left."));
        const warnings = await Promise.all([...open].map(([resource, held]) => closeOne(clock, resource, held)));
        return warnings.filter((warning) => warning !== null);
      })()),
  };
};

const closeOne = async (clock: Clock, resource: AnyResource, held: Promise<unknown>): Promise<string | null> => {
  const late = Promise.withResolvers<string>();
  const takeBack = clock.after(resource.closeMs, () =>
    late.resolve(toUnclosedWarning(resource, `was not closed after ${resource.closeMs} ms and is left behind.`)),
  );
  try {
    return await Promise.race([late.promise, close(resource, held)]);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return toUnclosedWarning(resource, `could not be closed: ${why}`);
  } finally {
    takeBack();
  }
};

const close = async (resource: AnyResource, opening: Promise<unknown>): Promise<null> => {
  let held: unknown;
  try {
    held = await opening;
  } catch {
    // What was never opened need not be closed.
    return null;
  }
  await resource.close(held);
  return null;
};
