/** Ends a connection without a word: whoever does not answer does not say goodbye either, and an open socket keeps a process alive. */
import type { ClientBase } from "pg";

export const destroySocket = (client: ClientBase): void => {
  // The client has its connection, and that its socket, without saying so in its types.
  const { connection } = client as unknown as { readonly connection?: { readonly stream?: { readonly destroy?: () => void } } };
  connection?.stream?.destroy?.();
};
