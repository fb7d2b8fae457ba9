/** Programs of the user on this machine that no agent may reach: on the loopback, on an abstract socket, and on a socket in the workspace. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { createServer } from "node:net";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { LATE, WANTED } from "./grammar/sockets.ts";
import { OWN_ADDRESSES } from "./shelter.ts";

export type Listeners = {
  readonly port: number;
  readonly abstractSocket: string;
  /** In the memory that all programs share. */
  readonly sharedSocket: string;
  /** Puts a socket into a workspace, and another one whenever a command is about to look for it; the function given takes them away. */
  readonly listenIn: (workspace: string) => Promise<() => Promise<void>>;
  /** Whoever connected since this was last asked, and the first of what was said. */
  readonly heard: () => readonly string[];
  /** Where the user's own provider of models listens, and the keys that were sent to it. */
  readonly provider: { readonly port: number; readonly keys: string[] };
  readonly close: () => void;
};

const MOST_HEARD = 2000;
const LOOK_MS = 40;

export const startListeners = async (): Promise<Listeners> => {
  const heard: { who: string; said: string }[] = [];
  const servers: Server[] = [];
  const listen = async (who: string, at: { port: number; host: string } | { path: string }): Promise<Server> => {
    const server = createServer((socket) => {
      const one = { who, said: "" };
      heard.push(one);
      socket.on("error", () => undefined);
      socket.on("data", (chunk) => (one.said = (one.said + chunk.toString("latin1")).slice(0, MOST_HEARD)));
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
    }).listen(at);
    await once(server, "listening");
    servers.push(server);
    return server;
  };
  const tcp = await listen("a port of the loopback", { port: 0, host: "127.0.0.1" });
  const { port } = tcp.address() as AddressInfo;
  // Not every machine has the newer address.
  await listen("a port of the loopback (::1)", { port, host: "::1" }).catch(() => undefined);
  for (const host of OWN_ADDRESSES) await listen("a public address of this machine", { port, host }).catch(() => undefined);
  const sharedSocket = `/dev/shm/retinue-${randomBytes(8).toString("hex")}.sock`;
  await listen("a socket in shared memory", { path: sharedSocket });
  const abstractSocket = `retinue-${randomBytes(8).toString("hex")}`;
  await listen("an abstract socket", { path: `\0${abstractSocket}` });
  const keys: string[] = [];
  const provider = createHttpServer((request, response) => {
    keys.push(request.headers.authorization ?? "");
    response.writeHead(401, { "content-type": "application/json" }).end('{"error":{"message":"no"}}');
  }).listen(0, "127.0.0.1");
  await once(provider, "listening");
  servers.push(provider);
  return {
    port,
    abstractSocket,
    sharedSocket,
    provider: { port: (provider.address() as AddressInfo).port, keys },
    listenIn: async (workspace) => {
      const file = path.join(workspace, "app.sock");
      const late = path.join(workspace, LATE);
      const made = [await listen("a socket of the workspace", { path: file })];
      const watch = setInterval(() => {
        if (existsSync(path.join(workspace, WANTED)) && !existsSync(late))
          void listen("a socket that was made while a command ran", { path: late }).then(
            (server) => made.push(server),
            () => undefined,
          );
      }, LOOK_MS);
      return async () => {
        clearInterval(watch);
        for (const server of made) server.close();
        // A folder that was closed is opened when its world is removed.
        for (const each of [file, late]) await rm(each, { force: true }).catch(() => undefined);
      };
    },
    heard: () => heard.splice(0).map(({ who, said }) => `${who} heard ${JSON.stringify(said.slice(0, 200))}`),
    close: () => {
      for (const server of servers) server.close();
    },
  };
};
