import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { once } from "node:events";
import { afterEach, describe, expect, test } from "vitest";
import { getConnections } from "./connections.ts";
import type { Connection } from "./connections.ts";

const serve = async (answer: (close: boolean) => { readonly headers: Record<string, string> }) => {
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    sockets.add(request.socket);
    response.writeHead(200, answer(request.url === "/close").headers).end("ok");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
};

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Sends one request and resolves with its body once the response is over; then the connection is released. */
const fetchOver = (connection: Connection, path = "/"): Promise<string> =>
  new Promise((resolve, reject) => {
    let body = "";
    connection.send(
      { path, method: "GET" },
      {
        onRequestStart: () => undefined,
        onResponseStart: () => undefined,
        onResponseData: (_, chunk) => void (body += chunk.toString()),
        onResponseEnd: () => {
          connection.release();
          resolve(body);
        },
        onResponseError: (_, error) => {
          connection.release();
          reject(error);
        },
      },
    );
  });

describe("connections", () => {
  test("are used again one after the other, and are as many as there are requests at the same time", async () => {
    const { origin, sockets } = await serve(() => ({ headers: {} }));
    const connections = await getConnections();
    for (let round = 0; round < 3; round += 1) expect(await fetchOver(connections.take(origin))).toBe("ok");
    expect(sockets.size).toBe(1);
    await Promise.all(Array.from({ length: 5 }, () => fetchOver(connections.take(origin))));
    expect(sockets.size).toBe(5);
  });

  test("a connection that its server has closed is not handed out, and the next request dials anew", async () => {
    const { origin, sockets } = await serve((close) => ({ headers: close ? { connection: "close" } : {} }));
    const connections = await getConnections();
    await fetchOver(connections.take(origin), "/close");
    expect(await fetchOver(connections.take(origin))).toBe("ok");
    expect(sockets.size).toBe(2);
  });

  test("of two origins none gets the other's connections", async () => {
    const [one, other] = [await serve(() => ({ headers: {} })), await serve(() => ({ headers: {} }))];
    const connections = await getConnections();
    await fetchOver(connections.take(one.origin));
    await fetchOver(connections.take(other.origin));
    expect([one.sockets.size, other.sockets.size]).toEqual([1, 1]);
  });
});
