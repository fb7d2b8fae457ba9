import { request } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { servePages } from "../testing/page-server.ts";
import { openPageNetwork } from "./page-network.ts";

const get = (proxy: string, url: string, headers: Record<string, string> = {}): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(proxy);
    request({ hostname, port, path: url, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .once("error", reject)
      .end();
  });

const tunnel = (proxy: string, to: string, header = ""): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(proxy);
    const socket = connect(Number(port), hostname, () => socket.write(`CONNECT ${to} HTTP/1.1\r\nhost: ${to}\r\n${header}\r\n`));
    socket.once("data", (chunk) => {
      socket.destroy();
      resolve(chunk.toString("latin1").split("\r\n")[0] ?? "");
    });
    socket.once("error", reject);
  });

test("N21: the browser's proxy answers nobody who does not know its password", async () => {
  await using pages = await servePages({ "/": "<title>Home</title>" });
  const { host } = pages;
  const network = await openPageNetwork({ allowHosts: () => [host], hosts: () => [["*"]], onRefused: () => undefined });
  const { server, username, password } = network.proxy;
  const basic = (name: string, word: string): string => `Basic ${Buffer.from(`${name}:${word}`).toString("base64")}`;
  try {
    expect(await get(server, `${pages.url}/`)).toBe(407);
    expect(await get(server, `${pages.url}/`, { "proxy-authorization": basic(username, "guessed") })).toBe(407);
    expect(await tunnel(server, host)).toContain(" 407 ");
    expect(await get(server, `${pages.url}/`, { "proxy-authorization": basic(username, password) })).toBe(200);
    expect(await tunnel(server, host, `proxy-authorization: ${basic(username, password)}\r\n`)).toContain(" 200 ");
  } finally {
    await network.close();
  }
});
