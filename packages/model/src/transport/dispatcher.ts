/** The one pool of connections of the process. undici is loaded with the first request, so that starting up does not pay for it. */
import type { Agent } from "undici";

let loaded: Agent | undefined;
let loading: Promise<Agent> | undefined;

const load = async (): Promise<Agent> => {
  const undici = await import("undici");
  loaded = new undici.Agent({
    // The gate limits; a second limit here would only queue in the dark.
    connections: null,
    pipelining: 1,
    // An abort closes the socket, which a server surely notices; over HTTP/2 it would share it with others.
    allowH2: false,
    // The watchdog of each exchange keeps the time.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
    connect: { timeout: 10_000 },
  });
  return loaded;
};

/** Not a promise once it is there, so that a request need not wait a turn. */
export const getDispatcher = (): Agent | Promise<Agent> => loaded ?? (loading ??= load());
