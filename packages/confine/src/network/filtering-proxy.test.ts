import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, createServer as createTcpServer } from "node:net";
import { RetinueError } from "@retinue/protocol";
import { expect, test } from "vitest";
import { connectByAddress } from "./dial.ts";
import { createFilteringProxy } from "./filtering-proxy.ts";

/** A proxy that may reach one host; what it judged and what it dialled. */
const startProxy = async () => {
  const far = createServer((asked, answer) => void answer.end(`${asked.method} ${asked.headers.host}`)).listen(0, "127.0.0.1");
  await once(far, "listening");
  const { port } = far.address() as AddressInfo;
  const judged: string[] = [];
  const dialled: string[] = [];
  const proxy = createFilteringProxy({
    judge: async (url) => {
      judged.push(url.hostname);
      if (url.hostname === "open.example.com") return ["127.0.0.1"];
      throw new RetinueError("host_outside_grant", `${url.hostname} is not among the hosts that this agent may reach.`);
    },
    connect: (address, to) => {
      dialled.push(`${address}:${to}`);
      return connectByAddress(address, to);
    },
    onRefused: () => undefined,
  });
  const near = createTcpServer((socket) => proxy.accept(socket)).listen(0, "127.0.0.1");
  await once(near, "listening");
  const ask = async (head: readonly string[]): Promise<string> => {
    const socket = connect((near.address() as AddressInfo).port, "127.0.0.1");
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString();
  };
  return {
    port,
    judged,
    dialled,
    ask,
    async [Symbol.asyncDispose]() {
      proxy.close();
      near.close();
      far.close();
      far.closeAllConnections();
    },
  };
};

test("N10: the proxy dials the host of the address that it judged, whatever the Host header says", async () => {
  await using place = await startProxy();
  const { port, judged, dialled, ask } = place;
  const open = await ask([`GET http://open.example.com:${port}/ HTTP/1.1`, "Host: closed.example.com", "Connection: close"]);
  expect(open).toContain(`GET open.example.com:${port}`);
  const closed = await ask(["GET http://closed.example.com/ HTTP/1.1", `Host: open.example.com:${port}`, "Connection: close"]);
  expect(closed).toMatch(/^HTTP\/1\.1 403 /);
  expect(judged).toEqual(["open.example.com", "closed.example.com"]);
  expect(dialled).toEqual([`127.0.0.1:${port}`]);
});

test.each([
  ["a path, with the host in the header", ["GET / HTTP/1.1", "Host: open.example.com"], 403],
  [
    "a tunnel to another host than its header names",
    ["CONNECT closed.example.com:443 HTTP/1.1", "Host: open.example.com:443"],
    403,
  ],
  ["two Host headers", ["GET http://closed.example.com/ HTTP/1.1", "Host: a", "Host: open.example.com"], 403],
  ["a user before the host", ["GET http://open.example.com@closed.example.com/ HTTP/1.1", "Host: open.example.com"], 403],
])("N10: the proxy dials nothing for %s", async (_, head, status) => {
  await using place = await startProxy();
  expect(await place.ask([...head, "Connection: close"])).toMatch(new RegExp(String.raw`^HTTP/1\.1 ${status} `));
  expect(place.dialled).toEqual([]);
});
