/**
 * The network of one sandboxed command: its own loopback, a proxy on it that reaches what the grant names, and ports of the machine's loopback
 * that the user has opened. It ends with the command.
 */
import type { Server, Socket } from "node:net";
import type { ToolScope } from "@retinue/runtime";
import type { Connect } from "./dial.ts";
import { connectByAddress, dial } from "./dial.ts";
import { createFilteringProxy } from "./filtering-proxy.ts";
import type { GuardOptions } from "./guard.ts";
import { createTargetJudge, reachesGranted } from "./judge-target.ts";

export type NetworkOptions = GuardOptions & {
  /** Ports of the machine's loopback that the user has opened to commands. */
  readonly loopback?: readonly number[];
  /** How a judged address is dialled; by a plain connection where absent. */
  readonly connect?: Connect;
  /** Told at once of what is refused, each once. */
  readonly onRefused?: (why: string) => void;
};

export type SandboxNetwork = {
  /** What is listened on inside. */
  readonly ports: readonly number[];
  readonly onServer: (port: number, server: Server) => void;
  /** Variables by which programs find the proxy. */
  readonly environment: Readonly<Record<string, string>>;
  /** What the command tried to reach in vain, and why. */
  readonly refusals: () => readonly string[];
  readonly close: () => void;
};

const PROXY_PORT = 29128;
const MOST_REFUSALS = 20;
const LOOPBACK = ["127.0.0.1", "::1"];

/** Undefined where the grant names no host at all: then there is nothing but the sandbox's own loopback. */
export const openSandboxNetwork = (hosts: ToolScope["hosts"], options: NetworkOptions = {}): SandboxNetwork | undefined => {
  const { loopback = [], connect = connectByAddress, onRefused, ...rules } = options;
  if (hosts.some((list) => list.length === 0)) return undefined;
  const opened = loopback.filter((port) => LOOPBACK_NAMES.some((name) => reachesGranted(hosts, `${name}:${port}`)));
  const refusals = new Set<string>();
  const sockets = new Set<Socket>();
  const servers: Server[] = [];
  const proxy = createFilteringProxy({
    judge: createTargetJudge({ hosts, ...rules }),
    connect,
    onRefused: (why) => {
      if (refusals.size >= MOST_REFUSALS || refusals.has(why)) return;
      refusals.add(why);
      onRefused?.(why);
    },
  });
  const hold = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => sockets.delete(socket));
    return socket;
  };
  const join = async (near: Socket, port: number): Promise<void> => {
    try {
      const far = hold(await dial(LOOPBACK, port, connectByAddress));
      near.pipe(far).pipe(near);
      near.once("close", () => far.destroy());
      far.once("close", () => near.destroy());
    } catch {
      near.destroy();
    }
  };
  return {
    ports: [PROXY_PORT, ...opened],
    onServer: (port, server) => {
      servers.push(server);
      server.on("connection", (socket) => {
        if (port === PROXY_PORT) proxy.accept(socket);
        else void join(hold(socket), port);
      });
    },
    environment: toProxyEnvironment(`http://127.0.0.1:${PROXY_PORT}`),
    refusals: () => [...refusals],
    close: () => {
      for (const server of servers) server.close();
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
};

const LOOPBACK_NAMES = ["localhost", "127.0.0.1"];

/** In both spellings, since programs differ in which they heed. What runs in the sandbox itself is reached without the proxy. */
const toProxyEnvironment = (proxy: string): Readonly<Record<string, string>> => {
  const direct = "localhost,127.0.0.1,::1";
  const common = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy, NO_PROXY: direct };
  const lower = Object.fromEntries(Object.entries(common).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    ...common,
    ...lower,
    npm_config_proxy: proxy,
    npm_config_https_proxy: proxy,
    npm_config_noproxy: direct,
    YARN_HTTP_PROXY: proxy,
    YARN_HTTPS_PROXY: proxy,
    CARGO_HTTP_PROXY: proxy,
    NODE_USE_ENV_PROXY: "1",
  };
};
