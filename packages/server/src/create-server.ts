/**
 * The server: HTTP and sockets on one address. On loopback alone unless it is protected by a password and TLS, with a limit for everything that
 * somebody can send or leave open.
 */
import { RetinueError } from "@retinue/protocol";
import { createServer as createHttp, type RequestListener, type Server as HttpServer } from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { createApp } from "./app.ts";
import type { Backend } from "./backend.ts";
import { createHubs } from "./feed/hubs.ts";
import { FEED_LIMITS, type FeedLimits } from "./feed/limits.ts";
import { attachSockets } from "./feed/sockets.ts";
import { getRequestListener } from "./node-server.ts";
import { createStaticFiles } from "./page/static-files.ts";
import { type Addresses, createAddresses, isLoopback } from "./safety/addresses.ts";
import { createGuard } from "./safety/admit.ts";
import { createKeys, type SignedInStore } from "./safety/keys.ts";
import { createThrottle } from "./safety/throttle.ts";

export type ServerOptions = {
  readonly backend: Backend;
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /** 0, any that is free, by default. */
  readonly port?: number;
  /** Random by default. At least 22 characters, as 128 bits have. */
  readonly token?: string;
  readonly password?: string;
  /** What outlives the server of who is signed in; without it, a restart signs everybody out. */
  readonly signedIn?: SignedInStore;
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer };
  /** Something else protects it: it may be reached from other machines without a password and TLS. */
  readonly isInsecure?: boolean;
  /** Further names it is called by, as `name` or `name:port`. */
  readonly names?: readonly string[];
  /** The folder of the built page. */
  readonly page?: string;
  readonly limits?: Partial<FeedLimits>;
  /** How long a request may take to arrive. */
  readonly times?: Partial<RequestTimes>;
  readonly onProblem?: (problem: unknown) => void;
};

export type RequestTimes = { readonly headersMs: number; readonly bodyMs: number };

const REQUEST_TIMES: RequestTimes = { headersMs: 10_000, bodyMs: 60_000 };

export type Server = {
  readonly host: string;
  readonly port: number;
  /** Without the token. */
  readonly url: string;
  /** With the token, in the part that browsers send to nobody. */
  readonly link: string;
  readonly token: string;
  /** Tells every client that it stops, and lets go of the address. */
  readonly close: () => Promise<void>;
};

const LEAST_TOKEN = 22;
const CLOSE_MS = 2_000;

export const createServer = async (options: ServerOptions): Promise<Server> => {
  const { backend, host = "127.0.0.1", port = 0, tls, password, page, names = [], isInsecure = false } = options;
  refuseOpenBind(options, host);
  if (options.token !== undefined && options.token.length < LEAST_TOKEN)
    throw new RetinueError("usage", `A token has at least ${LEAST_TOKEN} characters.`, {
      hint: "Leave it out: a random one is made.",
    });
  const keys = createKeys({ token: options.token, password, signedIn: options.signedIn });
  const throttle = createThrottle();
  const hubs = createHubs(backend, { ...FEED_LIMITS, ...options.limits });
  const isSecure = tls !== undefined;

  let listener: RequestListener = refuseEarly;
  const onRequest: RequestListener = (request, response) => listener(request, response);
  const http = toHttpOptions({ ...REQUEST_TIMES, ...options.times });
  const server = bound(tls === undefined ? createHttp(http, onRequest) : createHttps({ ...http, ...tls }, onRequest));
  const at = await listen(server, host, port);
  const cookieName = `retinue_${at.port}`;
  const addresses: Addresses = createAddresses({ host, port: at.port, isSecure, names });
  const guard = createGuard({ addresses, keys, throttle, cookieName });
  const app = createApp({
    backend,
    hubs,
    guard,
    keys,
    throttle,
    cookieName,
    isSecure,
    page: page === undefined ? undefined : createStaticFiles(page),
    onProblem: options.onProblem ?? (() => undefined),
  });
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  listener = (request, response) => void answer(request, response);
  const sockets = attachSockets({ server, guard, hubs });

  const shown = isLoopback(host) || host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  const url = `${isSecure ? "https" : "http"}://${isInsecure && names[0] !== undefined ? names[0] : `${shown}:${at.port}`}/`;
  let closing: Promise<void> | undefined;
  return {
    host,
    port: at.port,
    url,
    link: `${url}#token=${keys.token}`,
    token: keys.token,
    close: () =>
      (closing ??= new Promise((resolve) => {
        hubs.close();
        sockets.close();
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), CLOSE_MS).unref();
      })),
  };
};

const refuseOpenBind = ({ password, tls, isInsecure = false }: ServerOptions, host: string): void => {
  if (isLoopback(host) || isInsecure || (password !== undefined && tls !== undefined)) return;
  throw new RetinueError("server_open_bind", `On ${host} the server could be reached from other machines.`);
};

/** It listens before it knows its port, and so the names that it is called by. */
const refuseEarly: RequestListener = (_, response) => void response.writeHead(503).end();

/** Nobody may keep a connection by sending slowly, or by sending much. */
const toHttpOptions = ({ headersMs, bodyMs }: RequestTimes) => ({
  headersTimeout: headersMs,
  requestTimeout: bodyMs,
  connectionsCheckingInterval: Math.min(1_000, headersMs),
  keepAliveTimeout: 5_000,
});

const bound = (server: HttpServer): HttpServer => {
  server.maxHeadersCount = 100;
  server.maxConnections = 1_024;
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) return void socket.destroy();
    const status = error.code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400;
    return void socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });
  return server;
};

const listen = (server: HttpServer, host: string, port: number): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once("error", (cause) =>
      reject(new RetinueError("server_port", `The server cannot listen on ${host}:${port}: ${cause.message}.`, { cause })),
    );
    // An address of TCP is never a string.
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });
