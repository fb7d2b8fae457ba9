/**
 * The connections of the process, one request at a time on each. The gate limits how many there are; here they are only kept for the next
 * request, the latest first. undici's own pool looks through all of them at every request, which a thousand agents at once would pay for.
 * undici is loaded with the first request, so that starting up does not pay for it.
 */
import { rootCertificates } from "node:tls";
import type { Client, Dispatcher } from "undici";

export type Connection = {
  /** Sends one request; nothing else may be sent before `release`. */
  readonly send: (request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => void;
  /** The response is over. */
  readonly release: () => void;
};

/** The way to a server, where it is not the straight one. */
export type Way = {
  /** The address of a proxy. */
  readonly proxy?: string;
  /** Certificates to be trusted besides the usual ones, as PEM. */
  readonly ca?: string;
};

export type Connections = {
  /** One that nobody uses, or a new one; it dials when something is sent. */
  readonly take: (origin: string, way?: Way) => Connection;
};

type Undici = Pick<typeof import("undici"), "Client" | "ProxyAgent">;

/** Name, connection and TLS: whoever waits for an answer is told soon that there is no server. */
const CONNECT_MS = 5_000;

const createConnections = ({ Client, ProxyAgent }: Undici): Connections => {
  const free = new Map<string, Connection[]>();
  const proxies = new Map<string, Connection["send"]>();

  /** A proxy's agent keeps its connections itself. */
  const throughProxy = (origin: string, proxy: string, tls: object): Connection => {
    const key = `${origin} ${proxy} ${JSON.stringify(tls)}`;
    let send = proxies.get(key);
    if (send === undefined) {
      const agent = new ProxyAgent({
        uri: proxy,
        requestTls: tls,
        proxyTls: tls,
        headersTimeout: 0,
        bodyTimeout: 0,
        connectTimeout: CONNECT_MS,
      });
      proxies.set(key, (send = (request, handler) => void agent.dispatch({ ...request, origin }, handler)));
    }
    return { send, release: () => undefined };
  };

  const open = (origin: string, idle: Connection[], tls: object): Connection => {
    const client: Client = new Client(origin, {
      pipelining: 1,
      // An abort closes the socket, which a server surely notices; over HTTP/2 it would share it with others.
      allowH2: false,
      // The watchdog of each exchange keeps the time.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 30_000,
      connect: { timeout: CONNECT_MS, ...tls },
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
    take: (origin, way = {}) => {
      const { proxy, ca } = way;
      const tls = ca === undefined ? {} : { ca: [...rootCertificates, ca] };
      if (proxy !== undefined) return throughProxy(origin, proxy, tls);
      const key = ca === undefined ? origin : `${origin} ${ca}`;
      let idle = free.get(key);
      if (idle === undefined) free.set(key, (idle = []));
      return idle.pop() ?? open(origin, idle, tls);
    },
  };
};

let loaded: Connections | undefined;
let loading: Promise<Connections> | undefined;

const load = async (): Promise<Connections> => (loaded = createConnections(await import("undici")));

/** Not a promise once it is there, so that a request need not wait a turn. */
export const getConnections = (): Connections | Promise<Connections> => loaded ?? (loading ??= load());
