/** Hosts with public addresses that are servers of the test: names are resolved and addresses dialled by it, everything else is as always. */
import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import type { NetworkOptions } from "../network/sandbox-network.ts";
import { createSelfSigned } from "./self-signed.ts";

export type TestInternet = {
  /** To be handed to a sandbox or its proxy. */
  readonly network: Required<Pick<NetworkOptions, "resolve" | "connect">>;
  /** `address:port` of every connection that was made. */
  readonly dialled: string[];
  /** Serves a host on port 80 and 443. */
  readonly serve: (host: string, listener: RequestListener) => Promise<void>;
  /** A name that leads to these addresses, whatever they are. */
  readonly name: (host: string, ...addresses: readonly string[]) => void;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export const createTestInternet = (): TestInternet => {
  const names = new Map<string, readonly string[]>();
  const ports = new Map<string, number>();
  const servers: (ReturnType<typeof createServer> | ReturnType<typeof createSecureServer>)[] = [];
  const dialled: string[] = [];
  return {
    dialled,
    network: {
      resolve: async (host) => names.get(host) ?? [],
      connect: (address, port) => {
        dialled.push(`${address}:${port}`);
        const here = ports.get(`${address}:${port}`);
        // Port 1 of the loopback refuses.
        return connect({ host: "127.0.0.1", port: here ?? 1 });
      },
    },
    serve: async (host, listener) => {
      const address = `93.184.215.${names.size + 1}`;
      names.set(host, [address]);
      const certificate = createSelfSigned({ names: [host], addresses: [] });
      for (const [port, server] of [
        [80, createServer(listener)],
        [443, createSecureServer(certificate, listener)],
      ] as const) {
        await once(server.listen(0, "127.0.0.1"), "listening");
        servers.push(server);
        ports.set(`${address}:${port}`, (server.address() as AddressInfo).port);
      }
    },
    name: (host, ...addresses) => void names.set(host, addresses),
    [Symbol.asyncDispose]: async () => {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
};
