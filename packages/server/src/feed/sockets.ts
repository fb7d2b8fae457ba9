/** Sockets of the server: each handshake is judged as every request is, each client is bounded in what it may send and in how long it may be silent. */
import type { SessionId } from "@retinue/protocol";
import { FEED_CLOSE, toErrorValue } from "@retinue/protocol";
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { type Asked, FEED_PROTOCOL, type Guard } from "../safety/admit.ts";
import { toStatus } from "../safety/error-status.ts";
import { toAfterSeq } from "./after-seq.ts";
import type { Hubs } from "./hubs.ts";
import { type Sink, toFrame } from "./sink.ts";

export type Sockets = { readonly size: () => number; readonly close: () => void };

export type SocketOptions = {
  readonly server: Server;
  readonly guard: Guard;
  readonly hubs: Hubs;
};

/** A client says nothing but `ping`. */
const MOST_FRAME_BYTES = 4_096;
/** Frames and pieces of frames within a second. */
const MOST_FRAMES = 50;
const MOST_SOCKETS = 512;
const PING_MS = 30_000;
const CLOSE_MS = 500;

const SESSION_FEED = /^\/api\/sessions\/(ses_[^/]{1,200})\/feed$/;

export const attachSockets = ({ server, guard, hubs }: SocketOptions): Sockets => {
  // Its types do not know of pieces and chunks yet.
  const bounds = { maxPayload: MOST_FRAME_BYTES, maxFragments: 16, maxBufferedChunks: 256 };
  const sockets = new WebSocketServer({
    ...bounds,
    noServer: true,
    perMessageDeflate: false,
    clientTracking: true,
    handleProtocols: (offered: Set<string>) => (offered.has(FEED_PROTOCOL) ? FEED_PROTOCOL : false),
  });
  const alive = new WeakSet<WebSocket>();
  const pinging = setInterval(() => {
    for (const socket of sockets.clients) {
      if (!alive.has(socket)) socket.terminate();
      alive.delete(socket);
      socket.ping();
    }
  }, PING_MS).unref();

  const serve = (socket: WebSocket, join: (sink: Sink) => Promise<(() => void) | undefined>): void => {
    alive.add(socket);
    socket.on("pong", () => alive.add(socket));
    // What a client did wrong closes its socket with a code; nothing more is to be done about it.
    socket.on("error", () => undefined);
    boundFrames(socket);
    let leave: (() => void) | undefined;
    let isClosed = false;
    socket.on("close", () => {
      isClosed = true;
      leave?.();
    });
    const begin = async (): Promise<void> => {
      const left = await join(toSink(socket));
      if (left === undefined) closeSocket(socket, FEED_CLOSE.unknown, "There is no such session.");
      else if (isClosed) left();
      else leave = left;
    };
    begin().catch(() => closeSocket(socket, 1011, "The record cannot be read."));
  };

  server.on("upgrade", (request: IncomingMessage, stream: Duplex, rest: Buffer) => {
    stream.on("error", () => stream.destroy());
    let url: URL;
    try {
      url = new URL(request.url ?? "/", "http://server");
      const asked = toAsked(request, url.pathname);
      guard.checkOrigin(asked);
      guard.authenticate(asked);
    } catch (thrown) {
      return refuse(stream, toStatus(toErrorValue(thrown).code));
    }
    const sessionId = SESSION_FEED.exec(decode(url.pathname))?.[1];
    if (sessionId === undefined && url.pathname !== "/api/feed") return refuse(stream, 404);
    if (sockets.clients.size >= MOST_SOCKETS) return refuse(stream, 503);
    return sockets.handleUpgrade(request, stream, rest, (socket) =>
      serve(socket, async (sink) =>
        sessionId === undefined
          ? hubs.joinAll(sink)
          : hubs.joinSession(sessionId as SessionId, sink, toAfterSeq(url.searchParams.get("after"))),
      ),
    );
  });

  return {
    size: () => sockets.clients.size,
    close: () => {
      clearInterval(pinging);
      for (const socket of sockets.clients) {
        closeSocket(socket, FEED_CLOSE.stopping, "The server stops.");
      }
      sockets.close();
    },
  };
};

const decode = (pathname: string): string => {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return "";
  }
};

const toAsked = (request: IncomingMessage, path: string): Asked => ({
  method: request.method ?? "GET",
  path,
  isSocket: true,
  sender: request.socket.remoteAddress,
  header: (name) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  },
});

const refuse = (stream: Duplex, status: number): void => {
  stream.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\nVary: Origin\r\n\r\n`);
  setTimeout(() => stream.destroy(), 1_000).unref();
};

const toSink = (socket: WebSocket): Sink => ({
  send: ({ data }, flushed) => socket.send(data, { binary: false }, flushed),
  waitingBytes: () => socket.bufferedAmount,
  close: (code, reason) => closeSocket(socket, code, reason),
});

/** One that does not read, or does not mean well, does not answer the close either. */
const closeSocket = (socket: WebSocket, code: number, reason: string): void => {
  socket.close(code, reason);
  // Nothing more of it is listened to meanwhile.
  socket.pause();
  setTimeout(() => socket.terminate(), CLOSE_MS).unref();
};

/** Frames, pieces of them and control frames are all counted; what is no `ping` is a mistake. */
const boundFrames = (socket: WebSocket): void => {
  let left = MOST_FRAMES;
  let since = performance.now();
  const count = (): boolean => {
    const now = performance.now();
    left = Math.min(MOST_FRAMES, left + ((now - since) * MOST_FRAMES) / 1_000);
    since = now;
    left -= 1;
    if (left >= 0) return true;
    closeSocket(socket, FEED_CLOSE.misbehaved, "Too many frames.");
    return false;
  };
  socket.on("ping", count);
  socket.on("message", (data: Buffer, isBinary: boolean) => {
    if (!count()) return;
    if (isBinary || data.toString() !== '{"type":"ping"}')
      return closeSocket(socket, FEED_CLOSE.misbehaved, "Only pings are taken.");
    if (socket.bufferedAmount < MOST_FRAME_BYTES) socket.send(toFrame('{"type":"pong"}').data, { binary: false });
    return undefined;
  });
};
