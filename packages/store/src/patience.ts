/**
 * How long a store may go on trying while its server is away. Whoever drives a run has the store's own patience; somebody who waits for an answer, such as a
 * client of the server, is told soon.
 */
import { AsyncLocalStorage } from "node:async_hooks";

type Hurry = { readonly mostMs: number; isOver: boolean };

const hurries = new AsyncLocalStorage<Hurry>();

/** What `act` asks of a store has this much patience, until `act` has ended: a run that it begins goes on with the store's own. */
export const withPatience = async <T>(mostMs: number, act: () => Promise<T>): Promise<T> => {
  const hurry: Hurry = { mostMs, isOver: false };
  try {
    return await hurries.run(hurry, act);
  } finally {
    hurry.isOver = true;
  }
};

/** Undefined where nobody is in a hurry. */
export const hurriedMs = (): number | undefined => {
  const hurry = hurries.getStore();
  return hurry === undefined || hurry.isOver ? undefined : hurry.mostMs;
};
