/** The recording half of a cassette: passes one request on to the real server, and its answer back while it comes. */
import { request as requestPlainly } from "node:http";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { request as requestSecurely } from "node:https";
import type { CassetteResponse } from "./cassette-file.ts";

export type Passed = Omit<CassetteResponse, "chunks"> & { readonly chunks: readonly Buffer[] };

export type Outgoing = {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

/** Sends the request to the real server and its answer on to the client as it comes. */
export const passOn = ({ method, url, headers, body }: Outgoing, response: ServerResponse): Promise<Passed> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let status = 0;
    let kept: Record<string, string> = {};
    const finish = (end: Passed["end"]): void => resolve({ status, headers: kept, chunks, end });
    const send = url.protocol === "https:" ? requestSecurely : requestPlainly;
    const upstream = send(url, { method, headers: toForwarded(headers), agent: false });
    response.once("close", () => {
      if (response.writableFinished) return;
      finish("left");
      upstream.destroy();
    });
    upstream.once("error", () => {
      finish("cut");
      response.destroy();
    });
    upstream.once("response", (incoming) => {
      status = incoming.statusCode ?? 0;
      kept = toKept(incoming.headers);
      response.writeHead(status, kept);
      response.flushHeaders();
      incoming.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        response.write(chunk);
      });
      incoming.once("end", () => {
        finish("whole");
        response.end();
      });
      incoming.once("error", () => {
        finish("cut");
        response.destroy();
      });
    });
    upstream.end(body);
  });

/** Without what belongs to the connection, and without leave to compress: what is recorded shall be readable. */
const toForwarded = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !/^(?:host|connection|keep-alive|transfer-encoding|accept-encoding|te|upgrade|expect|proxy-.*)$/.test(name),
    ),
  );

/** What clients look at; anything else may be a secret or differ every time. */
const toKept = (headers: IncomingHttpHeaders): Record<string, string> => {
  const kept: Record<string, string> = {};
  for (const name of ["content-type", "retry-after", "retry-after-ms"]) {
    const value = headers[name];
    if (typeof value === "string") kept[name] = value;
  }
  return kept;
};
