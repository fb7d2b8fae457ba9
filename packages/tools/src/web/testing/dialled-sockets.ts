/** Counts every connection that this process begins, whoever begins it and wherever it leads. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";

const CHANNEL = "net.client.socket";

export type DialledSockets = { readonly count: () => number; readonly [Symbol.dispose]: () => void };

export const countDialledSockets = (): DialledSockets => {
  let dialled = 0;
  const onSocket = (): void => {
    dialled += 1;
  };
  subscribe(CHANNEL, onSocket);
  return { count: () => dialled, [Symbol.dispose]: () => void unsubscribe(CHANNEL, onSocket) };
};
