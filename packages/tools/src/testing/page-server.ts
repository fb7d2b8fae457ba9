/** Serves pages for tests of the browser on the loopback interface, and remembers who asked. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type PageServer = {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** The method and path of every request, and every attempt at a WebSocket. */
  readonly asked: readonly string[];
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export type ServedPage = string | ((request: IncomingMessage, response: ServerResponse) => void);

/** HTML by path; everything else is 404. */
export const servePages = async (pages: Readonly<Record<string, ServedPage>>): Promise<PageServer> => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://pages");
    if (url.pathname !== "/favicon.ico") asked.push(`${request.method} ${url.pathname}`);
    const page = pages[url.pathname];
    if (typeof page === "function") return page(request, response);
    response.writeHead(page === undefined ? 404 : 200, {
      "content-type": "text/html; charset=utf-8",
      "access-control-allow-origin": "*",
    });
    return void response.end(page ?? "");
  });
  server.on("upgrade", (request, socket) => {
    asked.push(`UPGRADE ${request.url}`);
    socket.destroy();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    port,
    asked,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
