/** Opens a connection to the first of some judged addresses that answers. */
import { connect } from "node:net";
import type { Socket } from "node:net";

export type Connect = (address: string, port: number) => Socket;

export const connectByAddress: Connect = (host, port) => connect({ host, port });

const DIAL_MS = 20_000;

export const dial = async (addresses: readonly string[], port: number, open: Connect): Promise<Socket> => {
  let failure: unknown = new Error("there is no address to dial");
  for (const address of addresses)
    try {
      return await untilOpen(open(address, port));
    } catch (thrown) {
      failure = thrown;
    }
  throw failure;
};

const untilOpen = (socket: Socket): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new Error("the host did not answer in time")), DIAL_MS);
    const onError = (error: Error): void => {
      clearTimeout(timer);
      reject(error);
    };
    socket.once("error", onError);
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.off("error", onError);
      resolve(socket);
    });
  });
