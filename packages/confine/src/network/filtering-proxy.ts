/**
 * An HTTP proxy in our own process that is handed connections out of a sandbox: CONNECT for https and others, whole URLs for http. Every request
 * is judged anew, so that redirects are too, and refused ones are answered with the reason, which is also kept for whoever ran the command.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream";
import { RetinueError } from "@retinue/protocol";
import type { Connect } from "./dial.ts";
import { dial } from "./dial.ts";
import { toPort } from "./host-list.ts";
import type { JudgeTarget } from "./judge-target.ts";

export type ProxyOptions = {
  readonly judge: JudgeTarget;
  readonly connect: Connect;
  readonly onRefused: (why: string) => void;
  /** Who asks, for the text of a refusal; the sandbox by default. */
  readonly who?: string;
  /** What a client must show; for a proxy that listens where others can reach it. */
  readonly password?: string;
};

/** The name that goes with the password of a proxy. */
export const PROXY_USER = "retinue";

export type FilteringProxy = { readonly accept: (socket: Socket) => void; readonly close: () => void };

const MOST_CONNECTIONS = 512;

/** Imported at the top of a module, node:http brings a whole second HTTP client along, which no start should wait for. */
const http = (): typeof import("node:http") => process.getBuiltinModule("node:http");

export const createFilteringProxy = ({ judge, connect, onRefused, who = "sandbox", password }: ProxyOptions): FilteringProxy => {
  const isKnown = toPasswordCheck(password);
  const open = new Set<Duplex>();
  const hold = <T extends Duplex>(socket: T): T => {
    open.add(socket);
    // A connection that breaks breaks for both sides, and for nobody else.
    socket.on("error", () => socket.destroy());
    socket.once("close", () => open.delete(socket));
    return socket;
  };
  const reach = async (url: URL): Promise<Socket> => hold(await dial(await judge(url), Number(toPort(url)), connect));
  const explain = (thrown: unknown, to: string): Answer => {
    const answer = toAnswer(thrown, to, who);
    if (answer.status === 403) onRefused(answer.text);
    return answer;
  };
  const server = http().createServer({ requestTimeout: 0, keepAliveTimeout: 5000 });
  server.on("connect", (asked: IncomingMessage, socket: Duplex, head: Buffer) => {
    const to = asked.url ?? "";
    if (!isKnown(asked))
      return void socket.end(`HTTP/1.1 407 ${UNKNOWN}\r\n${CHALLENGE}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    void (async () => {
      try {
        const far = await reach(toAuthority(to));
        if (socket.destroyed) return void far.destroy();
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        if (head.length > 0) far.write(head);
        pipeline(socket, far, () => undefined);
        pipeline(far, socket, () => undefined);
      } catch (thrown) {
        const { status, phrase, text } = explain(thrown, to);
        const body = `${text}\n`;
        socket.end(
          `HTTP/1.1 ${status} ${phrase}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
        );
      }
    })();
  });
  server.on("request", (asked: IncomingMessage, answer: ServerResponse) => {
    const to = asked.url ?? "";
    if (!isKnown(asked)) return void answer.writeHead(407, UNKNOWN, { "proxy-authenticate": SCHEME, connection: "close" }).end();
    void (async () => {
      try {
        const url = toPlainUrl(to);
        await forward({ asked, answer, url, far: await reach(url) });
      } catch (thrown) {
        const { status, text } = explain(thrown, to);
        if (answer.headersSent) return void answer.destroy();
        const headers = { "content-type": "text/plain; charset=utf-8", "proxy-status": "retinue", connection: "close" };
        answer.writeHead(status, headers).end(`${text}\n`);
      }
    })();
  });
  return {
    accept: (socket) => {
      if (open.size >= MOST_CONNECTIONS) return void socket.destroy();
      server.emit("connection", hold(socket));
    },
    close: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
};

const UNKNOWN = "Proxy Authentication Required";
const SCHEME = 'Basic realm="retinue"';
const CHALLENGE = `proxy-authenticate: ${SCHEME}`;

const toPasswordCheck = (password: string | undefined): ((asked: IncomingMessage) => boolean) => {
  if (password === undefined) return () => true;
  const expected = digest(`Basic ${Buffer.from(`${PROXY_USER}:${password}`).toString("base64")}`);
  return ({ headers }) => timingSafeEqual(digest(headers["proxy-authorization"] ?? ""), expected);
};

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

type Forwarded = {
  readonly asked: IncomingMessage;
  readonly answer: ServerResponse;
  readonly url: URL;
  readonly far: Socket;
};

const forward = ({ asked, answer, url, far }: Forwarded): Promise<void> =>
  new Promise((resolve, reject) => {
    const outgoing = http().request({
      createConnection: () => far,
      method: asked.method ?? "GET",
      path: url.pathname + url.search,
      headers: { ...toEndHeaders(asked.headers), host: url.host, connection: "close" },
      setHost: false,
    });
    outgoing.once("response", (response) => {
      answer.writeHead(response.statusCode ?? 502, toEndHeaders(response.headers));
      pipeline(response, answer, () => resolve());
    });
    outgoing.once("error", reject);
    answer.once("close", () => far.destroy());
    pipeline(asked, outgoing, () => undefined);
  });

/** Headers that are meant for the next hop alone. */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  // Only this proxy says that it answers itself.
  "proxy-status",
  "te",
  "trailer",
  "upgrade",
]);

const toEndHeaders = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_HEADERS.has(name)));

/** `host:port` of a CONNECT. */
const toAuthority = (text: string): URL => {
  const url = /^[^/?#@\\\s]+:\d{1,5}$/.test(text) ? URL.parse(`https://${text}/`) : null;
  if (url === null) throw new RetinueError("act_denied", `"${text}" is no host and port.`);
  return url;
};

const toPlainUrl = (text: string): URL => {
  const url = /^http:\/\//i.test(text) ? URL.parse(text) : null;
  if (url === null)
    throw new RetinueError("act_denied", `"${text}" is no whole http address; this is the proxy of the sandbox and no server.`);
  return url;
};

type Answer = { readonly status: number; readonly phrase: string; readonly text: string };

const MOST_NAME = 200;

/** A refusal is told as one, a host that does not answer as a bad gateway. */
const toAnswer = (thrown: unknown, to: string, who: string): Answer => {
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  const hint = thrown instanceof RetinueError && thrown.hint !== undefined ? ` ${thrown.hint}` : "";
  if (thrown instanceof RetinueError && thrown.code !== "tool_failed")
    return { status: 403, phrase: "Forbidden", text: `The ${who} does not connect to ${to.slice(0, MOST_NAME)}: ${why}${hint}` };
  return { status: 502, phrase: "Bad Gateway", text: `${to.slice(0, MOST_NAME)} cannot be reached: ${why}${hint}` };
};
