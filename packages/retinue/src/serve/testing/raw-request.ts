/** A request exactly as it is written, with whatever `Host` and `Origin`: what no browser would send, and an attacker would. */
import { request } from "node:http";
import type { IncomingHttpHeaders } from "node:http";

export type RawAnswer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string };

export type RawRequest = {
  readonly port: number;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
};

export const rawRequest = ({ port, method = "GET", path, headers = {}, body }: RawRequest): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, method, path, headers, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (piece: string) => (text += piece));
      answer.on("error", reject);
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    asked.on("error", reject);
    asked.on("upgrade", (answer, socket) => {
      socket.destroy();
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: "" });
    });
    asked.end(body);
  });

export const upgradeHeaders = (more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  ...more,
});
