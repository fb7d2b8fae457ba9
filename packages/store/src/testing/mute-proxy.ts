/** Stands between a client and a server, and can fall silent: it takes everything and passes nothing on, for good on connections that there are. */
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";

export type MuteProxy = {
  /** The address of the server, through the proxy. */
  readonly url: string;
  /** From now on no connection gets an answer, those that are open never again. */
  readonly mute: () => void;
  /** New connections are passed on again. */
  readonly unmute: () => void;
  /** Connections that were made through it so far. */
  readonly connections: () => number;
  readonly close: () => Promise<void>;
};

export const startMuteProxy = async (serverUrl: string): Promise<MuteProxy> => {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  const pairs = new Set<{ isMute: boolean }>();
  let isMute = false;
  let count = 0;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    return socket;
  };
  const server = createServer((client) => {
    count += 1;
    keep(client);
    const pair = { isMute };
    pairs.add(pair);
    const upstream = keep(connect(Number(target.port), target.hostname));
    client.on("data", (data) => {
      if (!pair.isMute) upstream.write(data);
    });
    upstream.on("data", (data) => {
      if (!pair.isMute) client.write(data);
    });
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => {
      if (!pair.isMute) client.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(serverUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    mute: () => {
      isMute = true;
      for (const pair of pairs) pair.isMute = true;
    },
    unmute: () => {
      isMute = false;
    },
    connections: () => count,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
