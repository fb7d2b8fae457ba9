import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { GuardOptions } from "@retinue/confine";
import { createGuard } from "@retinue/confine";
import type { GuardedRequest, GuardedResponse } from "./guarded-request.ts";
import { requestGuarded } from "./guarded-request.ts";
import { countDialledSockets } from "./testing/dialled-sockets.ts";
import { startLoopbackServer } from "./testing/loopback-server.ts";
import { createSelfSigned } from "@retinue/confine/testing";

type Options = Partial<GuardedRequest> & { readonly url: string };

const request = (options: Options, guarding: GuardOptions): Promise<GuardedResponse> =>
  requestGuarded({ guard: createGuard(guarding), otherHosts: "follow", signal: new AbortController().signal, ...options });

/** The status and text of an answer, or what it redirects to. */
const settle = async (response: GuardedResponse): Promise<string> => {
  if (response.type === "redirect") return `redirect ${response.to.href}`;
  const body = await text(response.body);
  await response.close();
  return `${response.status} ${body}`;
};

const toLoopback = async (): Promise<readonly string[]> => ["127.0.0.1"];

/** An address of this machine beside the usual one. */
const SECOND_ADDRESS = process.platform === "linux" ? "127.0.0.2" : "::1";

describe("requestGuarded", () => {
  it("D4: dials the address it checked and asks for it once", async () => {
    await using checked = await startLoopbackServer((_, response) => response.end("checked"), { host: SECOND_ADDRESS });
    await using rebound = await startLoopbackServer((_, response) => response.end("rebound"));
    const answers = [SECOND_ADDRESS, "127.0.0.1"];
    let asked = 0;
    const guarding = {
      allowHosts: ["rebind.example.com"],
      resolve: async () => {
        asked += 1;
        return [answers.shift() ?? "127.0.0.1"];
      },
    };
    expect(await settle(await request({ url: `http://rebind.example.com:${checked.port}/` }, guarding))).toBe("200 checked");
    expect({ asked, checked: checked.connections(), rebound: rebound.connections() }).toEqual({
      asked: 1,
      checked: 1,
      rebound: 0,
    });
    expect(checked.asked[0]?.headers.host).toBe(`rebind.example.com:${checked.port}`);
  });

  it("D4: dials nothing when the first answer is private, whatever the second would be", async () => {
    await using server = await startLoopbackServer((_, response) => response.end("reached"));
    using sockets = countDialledSockets();
    const answers = [["127.0.0.1"], ["1.1.1.1"]];
    const guarding = { resolve: async () => answers.shift() ?? [] };
    await expect(request({ url: `http://rebind.example.com:${server.port}/` }, guarding)).rejects.toMatchObject({
      code: "act_denied",
    });
    expect({ dialled: sockets.count(), reached: server.connections(), left: answers.length }).toEqual({
      dialled: 0,
      reached: 0,
      left: 1,
    });
  });

  it("tries the next address of a host when one is dead", async () => {
    await using server = await startLoopbackServer((_, response) => response.end("alive"));
    const guarding = { allowHosts: ["two.example.com"], resolve: async () => ["127.0.0.77", "127.0.0.1"] };
    expect(await settle(await request({ url: `http://two.example.com:${server.port}/` }, guarding))).toBe("200 alive");
  });

  it("D5: judges every hop of a redirect", async () => {
    await using secret = await startLoopbackServer((_, response) => response.end("secret"));
    const targets = [
      `http://127.0.0.1:${secret.port}/`,
      `http://localhost:${secret.port}/`,
      `http://0x7f.1:${secret.port}/`,
      `http://[::ffff:127.0.0.1]:${secret.port}/`,
      `//127.0.0.1:${secret.port}/`,
      `\\\\127.0.0.1:${secret.port}\\`,
      "http://169.254.169.254/latest/meta-data/",
      "file:///etc/passwd",
      "ftp://public.example.com/",
      "data:text/plain,x",
      "javascript:alert(1)",
      "http://user:password@public.example.com/",
      `http://private.example.com:${secret.port}/`,
    ];
    await using server = await startLoopbackServer((asked, response) => {
      response.writeHead(302, { location: targets[Number(asked.url?.slice(1))] }).end();
    });
    const guarding = { allowHosts: ["public.example.com"], resolve: toLoopback };
    for (const at of targets.keys())
      await expect(
        request({ url: `http://public.example.com:${server.port}/${at}` }, guarding),
        targets[at],
      ).rejects.toMatchObject({
        code: "act_denied",
      });
    expect({ asked: server.asked.length, secret: secret.connections() }).toEqual({ asked: targets.length, secret: 0 });
  });

  it("D5: follows five redirects and refuses the sixth", async () => {
    await using server = await startLoopbackServer((asked, response) => {
      const left = Number(asked.url?.slice(1));
      if (left === 0) response.end("there");
      else response.writeHead(302, { location: `/${left - 1}` }).end();
    });
    const guarding = { allowHosts: ["127.0.0.1"] };
    expect(await settle(await request({ url: `${server.origin}/5` }, guarding))).toBe("200 there");
    expect(server.asked).toHaveLength(6);
    await expect(request({ url: `${server.origin}/11` }, guarding)).rejects.toThrow("redirects more than 5 times");
    expect(server.asked).toHaveLength(12);
  });

  it("D5: refuses to go from https to http, and goes from http to https", async () => {
    const certificate = createSelfSigned({ names: ["safe.example.com"], addresses: ["127.0.0.1"] });
    await using plain = await startLoopbackServer((asked, response) => {
      if (asked.url === "/") response.end("plain");
      else response.writeHead(301, { location: `https://safe.example.com:${asked.url?.slice(1)}/end` }).end();
    });
    await using safe = await startLoopbackServer(
      (asked, response) => {
        if (asked.url === "/end") response.end("safe");
        else response.writeHead(302, { location: `${plain.origin}/` }).end();
      },
      { certificate },
    );
    const guarding = { allowHosts: ["safe.example.com", "127.0.0.1"], resolve: toLoopback };
    await expect(
      request({ url: `https://safe.example.com:${safe.port}/down`, ca: certificate.cert }, guarding),
    ).rejects.toMatchObject({ code: "act_denied", message: expect.stringContaining("from https to the unprotected") });
    expect(plain.connections()).toBe(0);
    expect(await settle(await request({ url: `${plain.origin}/${safe.port}`, ca: certificate.cert }, guarding))).toBe("200 safe");
  });

  it("checks certificates", async () => {
    const certificate = createSelfSigned({ names: ["safe.example.com"], addresses: [] });
    await using server = await startLoopbackServer((_, response) => response.end("safe"), { certificate });
    const guarding = { allowHosts: ["example.com"], resolve: toLoopback };
    const to = (host: string): string => `https://${host}:${server.port}/`;
    await expect(request({ url: to("safe.example.com") }, guarding)).rejects.toThrow("a certificate that nobody vouches for");
    await expect(request({ url: to("other.example.com"), ca: certificate.cert }, guarding)).rejects.toThrow(
      "certificate of another host",
    );
    expect(server.asked).toEqual([]);
    expect(await settle(await request({ url: to("safe.example.com"), ca: certificate.cert }, guarding))).toBe("200 safe");
  });

  it("hands a redirect to another host back when it is not to be followed", async () => {
    await using other = await startLoopbackServer((_, response) => response.end("other"));
    await using server = await startLoopbackServer((asked, response) => {
      const hosts: Record<string, string> = {
        "/other": "other.example.com",
        "/www": "www.one.example.com",
        "/up": "example.com",
      };
      response.writeHead(302, { location: `http://${hosts[asked.url ?? ""]}:${other.port}/x` }).end();
    });
    const guarding = { allowHosts: ["example.com"], resolve: toLoopback };
    const go = async (path: string): Promise<string> =>
      settle(await request({ url: `http://one.example.com:${server.port}${path}`, otherHosts: "hand-back" }, guarding));
    expect(await go("/other")).toBe(`redirect http://other.example.com:${other.port}/x`);
    expect(await go("/up")).toBe(`redirect http://example.com:${other.port}/x`);
    expect(other.connections()).toBe(0);
    expect(await go("/www")).toBe("200 other");
  });

  it("D9: sends headers and bodies to the origin that was asked and to no other", async () => {
    await using other = await startLoopbackServer((_, response) => response.end("other"));
    await using server = await startLoopbackServer((asked, response) => {
      if (asked.url === "/same") response.writeHead(307, { location: "/away" }).end();
      else response.writeHead(307, { location: `http://127.0.0.1:${other.port}/`, "set-cookie": "session=1" }).end();
    });
    const headers = { authorization: "Bearer secret-key", "x-subscription-token": "secret-key", cookie: "a=secret-key" };
    const guarding = { allowHosts: ["127.0.0.1"] };
    await settle(await request({ url: `${server.origin}/same`, method: "POST", headers, body: "secret-key" }, guarding));
    expect(server.asked.map(({ url, headers: sent, body }) => [url, sent.authorization, body])).toEqual([
      ["/same", "Bearer secret-key", "secret-key"],
      ["/away", "Bearer secret-key", "secret-key"],
    ]);
    expect(JSON.stringify(other.asked)).not.toMatch(/secret-key|session=1/);
    expect(other.asked).toMatchObject([{ method: "GET", body: "" }]);
  });

  it("D8: takes no proxy from the environment, neither for http nor for https", async () => {
    await using proxy = await startLoopbackServer((_, response) => response.end("by proxy"));
    const certificate = createSelfSigned({ names: [], addresses: ["127.0.0.1"] });
    await using plain = await startLoopbackServer((_, response) => response.end("direct"));
    await using safe = await startLoopbackServer((_, response) => response.end("direct"), { certificate });
    const names = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "NODE_USE_ENV_PROXY"];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = name === "NODE_USE_ENV_PROXY" ? "1" : proxy.origin;
    try {
      for (const { origin } of [plain, safe])
        expect(await settle(await request({ url: `${origin}/`, ca: certificate.cert }, { allowHosts: ["127.0.0.1"] }))).toBe(
          "200 direct",
        );
    } finally {
      for (const [at, name] of names.entries()) {
        const value = before[at];
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
    expect(proxy.connections()).toBe(0);
  });

  it("says in words why a host cannot be reached, without what was sent", async () => {
    const closed = await startLoopbackServer(() => undefined);
    await closed[Symbol.asyncDispose]();
    await using broken = await startLoopbackServer((asked) => void asked.socket.destroy());
    await using odd = await startLoopbackServer((asked) => void asked.socket.end("SSH-2.0-OpenSSH\r\n"));
    const go = (origin: string) =>
      request({ url: `${origin}/`, headers: { authorization: "secret-key" } }, { allowHosts: ["127.0.0.1"] }).catch(String);
    const said = [await go(closed.origin), await go(broken.origin), await go(odd.origin)];
    expect(said).toEqual([
      "RetinueError: 127.0.0.1 refuses the connection.",
      "RetinueError: 127.0.0.1 broke the connection off.",
      "RetinueError: 127.0.0.1 does not speak HTTP.",
    ]);
  });

  it("stops when told to, also while a name server is silent", async () => {
    const stopping = new AbortController();
    const guarding = {
      resolve: () => {
        stopping.abort(new Error("stopped"));
        return new Promise<readonly string[]>(() => undefined);
      },
    };
    await expect(request({ url: "http://slow.example.com/", signal: stopping.signal }, guarding)).rejects.toThrow("stopped");
  });
});
