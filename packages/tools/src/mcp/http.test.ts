/** SAFETY H6, H8 over HTTP: where headers go, and what a server that misbehaves there can do. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { describe, expect, it } from "vitest";
import { toText } from "@retinue/confine/testing";
import { connect } from "./testing/connect.ts";

type Answer = (request: { readonly id?: number; readonly method?: string }, response: ServerResponse) => void;
type Seen = { readonly method: string; readonly headers: IncomingMessage["headers"] };

const serve = async (answer: Answer) => {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    seen.push({ method: request.method ?? "", headers: request.headers });
    if (request.method !== "POST") return void response.writeHead(405).end();
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (body += chunk));
    request.on("end", () => answer(JSON.parse(body) as Parameters<Answer>[0], response));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    seen,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

const json = (response: ServerResponse, value: object): void =>
  void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", ...value }));

/** A server with one tool; what its call does is up to the test. */
const withTool =
  (call: Answer): Answer =>
  (request, response) => {
    switch (request.method) {
      case "initialize":
        return json(response, {
          id: request.id,
          result: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "test", version: "1" } },
        });
      case "tools/list":
        return json(response, {
          id: request.id,
          result: { tools: [{ name: "go", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }] },
        });
      case "tools/call":
        return call(request, response);
      case undefined:
      default:
        return void response.writeHead(202).end();
    }
  };

const HEADERS = { Authorization: "Bearer ${MCP_TOKEN}" };
const TOKEN = "token-0123456789";

describe("a server over HTTP", () => {
  it("H8: gets its headers, and a host that it redirects to gets nothing", async () => {
    await using thief = await serve(withTool((request, response) => json(response, { id: request.id, result: { content: [] } })));
    await using server = await serve(
      withTool((_request, response) => void response.writeHead(307, { location: thief.url }).end()),
    );
    await using servers = await connect({ s: { url: server.url, headers: HEADERS } }, { env: { MCP_TOKEN: TOKEN } });
    await expect(servers.call("s.go")).rejects.toMatchObject({
      code: "tool_failed",
      message: expect.stringContaining("redirect"),
    });
    expect(server.seen[0]?.headers["authorization"]).toBe(`Bearer ${TOKEN}`);
    expect(thief.seen).toEqual([]);
  });

  it("H8: C8: a token that the server repeats is not shown", async () => {
    await using server = await serve(withTool((_request, response) => void response.writeHead(500).end(`no entry for ${TOKEN}`)));
    await using servers = await connect({ s: { url: server.url, headers: HEADERS } }, { env: { MCP_TOKEN: TOKEN } });
    const error: unknown = await servers.call("s.go").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "tool_failed", message: expect.stringContaining("no entry for [redacted]") });
  });

  it.each(["ftp://example.com/x", "file:///etc/passwd", "nonsense", "https://user:secret@example.com/"])(
    "H8: %s is no URL of a server",
    async (url) => {
      await using servers = await connect({ s: { url } });
      expect(servers.servers()).toMatchObject([{ status: "refused", error: { code: "mcp_server_invalid" } }]);
      expect(JSON.stringify(servers.servers())).not.toContain("secret");
    },
  );

  it.each([
    ["application/json", ""],
    ["text/event-stream", "data: "],
  ])("H6: an endless answer as %s is cut off", async (type, start) => {
    await using server = await serve(
      withTool((_request, response) => {
        response.writeHead(200, { "content-type": type });
        response.write(start);
        const part = "x".repeat(1024 * 1024);
        const more = (): void => {
          while (!response.destroyed) if (!response.write(part)) return void response.once("drain", more);
        };
        more();
      }),
    );
    await using servers = await connect({ s: { url: server.url } });
    await expect(servers.call("s.go")).rejects.toMatchObject({
      code: "tool_failed",
      message: expect.stringContaining("it sent more than 16 MiB at once"),
    });
  });

  it("H6: many events that are small each are no flood", async () => {
    await using server = await serve(
      withTool((request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const comment = `: ${"x".repeat(1024 * 1024)}\n\n`;
        for (let count = 0; count < 40; count += 1) response.write(comment);
        response.end(
          `data: ${JSON.stringify({ jsonrpc: "2.0", id: request.id, result: { content: [{ type: "text", text: "done" }] } })}\n\n`,
        );
      }),
    );
    await using servers = await connect({ s: { url: server.url } });
    expect(toText(await servers.call("s.go"))).toBe("done");
  });

  it("H6: a login page in the place of a server is reported", async () => {
    await using server = await serve(
      (_request, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<html>Log in"),
    );
    await using servers = await connect({ s: { url: server.url } });
    expect(servers.servers()).toMatchObject([
      { status: "failed", error: { code: "mcp_server_failed", message: expect.stringContaining("text/html") } },
    ]);
  });

  it("H6: a session that the server forgot is opened again with the next call", async () => {
    let calls = 0;
    await using server = await serve(
      withTool((request, response) => {
        calls += 1;
        if (calls === 1) return void response.writeHead(404).end("no such session");
        return json(response, { id: request.id, result: { content: [{ type: "text", text: "here again" }] } });
      }),
    );
    await using servers = await connect({ s: { url: server.url } });
    await expect(servers.call("s.go")).rejects.toMatchObject({ code: "tool_failed" });
    expect(toText(await servers.call("s.go"))).toBe("here again");
  });

  it("H6: a server that drops the connection during a call and is gone fails the call", async () => {
    let isGone = false;
    await using server = await serve((request, response) => {
      if (isGone) return void response.destroy();
      return withTool((_call, answering) => {
        isGone = true;
        answering.writeHead(200, { "content-type": "text/event-stream" });
        answering.write(": hello\n\n", () => answering.destroy());
      })(request, response);
    });
    await using servers = await connect({ s: { url: server.url } });
    await expect(servers.call("s.go")).rejects.toMatchObject({
      code: "tool_failed",
      message: expect.stringContaining("does not answer any more"),
    });
  });
});
