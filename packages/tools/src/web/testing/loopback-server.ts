/** An HTTP or HTTPS server on this machine that counts who connects and keeps what it was asked. */
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Certificate } from "@retinue/confine/testing";

export type Asked = {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type LoopbackServer = {
  readonly port: number;
  /** `http://127.0.0.1:port`, or https. */
  readonly origin: string;
  readonly asked: readonly Asked[];
  readonly connections: () => number;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export type LoopbackOptions = {
  /** `127.0.0.1` by default; `::` takes every address of the machine. */
  readonly host?: string;
  readonly certificate?: Certificate;
};

export type Answer = (request: IncomingMessage & { readonly origin: string }, response: ServerResponse) => void;

export const startLoopbackServer = async (
  answer: Answer,
  { host = "127.0.0.1", certificate }: LoopbackOptions = {},
): Promise<LoopbackServer> => {
  const asked: Asked[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let origin = "";
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    request.on("end", () => {
      asked.push({ method: request.method, url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() });
      answer(Object.assign(request, { origin }), response);
    });
  };
  const server: Server = certificate === undefined ? createServer(listener) : createTlsServer({ ...certificate }, listener);
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  });
  await listen(server, host).catch((thrown: unknown) => {
    if (host !== "::") throw thrown;
    // A machine without IPv6.
    return listen(server, "0.0.0.0");
  });
  const { port } = server.address() as AddressInfo;
  origin = `${certificate === undefined ? "http" : "https"}://127.0.0.1:${port}`;
  return {
    port,
    origin,
    asked,
    connections: () => connections,
    [Symbol.asyncDispose]: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};

const listen = (server: Server, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
