/**
 * The connections of the process, one request at a time on each. The gate limits how many there are; here they are only kept for the next
 * request, the latest first. undici's own pool looks through all of them at every request, which a thousand agents at once would pay for.
 * undici is loaded with the first request, so that starting up does not pay for it.
 */
import type { Client, Dispatcher } from "undici";

export type Connection = {
  /** Sends one request; nothing else may be sent before `release`. */
  readonly send: (request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => void;
  /** The response is over. */
  readonly release: () => void;
};

export type Connections = {
  /** One that nobody uses, or a new one; it dials when something is sent. */
  readonly take: (origin: string) => Connection;
};

type Undici = Pick<typeof import("undici"), "Client">;

const createConnections = ({ Client }: Undici): Connections => {
  const free = new Map<string, Connection[]>();

  const open = (origin: string, idle: Connection[]): Connection => {
    const client: Client = new Client(origin, {
      pipelining: 1,
      // An abort closes the socket, which a server surely notices; over HTTP/2 it would share it with others.
      allowH2: false,
      // The watchdog of each exchange keeps the time.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 30_000,
      // Name, connection and TLS: whoever waits for an answer is told soon that there is no server.
      connect: { timeout: 5_000 },
    });
    const connection: Connection = {
      send: (request, handler) => void client.dispatch(request, handler),
      release: () => void idle.push(connection),
    };
    // What its server has closed while nobody used it is not kept.
    client.on("disconnect", () => {
      const at = idle.indexOf(connection);
      if (at !== -1) idle.splice(at, 1);
    });
    return connection;
  };

  return {
    take: (origin) => {
      let idle = free.get(origin);
      if (idle === undefined) free.set(origin, (idle = []));
      return idle.pop() ?? open(origin, idle);
    },
  };
};

let loaded: Connections | undefined;
let loading: Promise<Connections> | undefined;

const load = async (): Promise<Connections> => (loaded = createConnections(await import("undici")));

/** Not a promise once it is there, so that a request need not wait a turn. */
export const getConnections = (): Connections | Promise<Connections> => loaded ?? (loading ??= load());
