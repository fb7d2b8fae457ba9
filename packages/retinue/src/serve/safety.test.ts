/** The cases of the safety catalogue that concern the server, against a real one: what an attacker sends, and that nothing comes of it. */
import { FEED_CLOSE, ROUTE_PLACES } from "@retinue/protocol";
import { createConnection, createServer as createTcp } from "node:net";
import { writeFile } from "node:fs/promises";
import { request as httpsRequest } from "node:https";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { RawAnswer, RawRequest } from "./testing/raw-request.ts";
import { rawRequest, upgradeHeaders } from "./testing/raw-request.ts";
import { TLS_FILES } from "./testing/tls-files.ts";
import type { ServedProject } from "./testing/serve-project.ts";
import { serveProject } from "./testing/serve-project.ts";

let project: ServedProject;
let page: string;
let sessionId: `ses_${string}`;

beforeAll(async () => {
  project = await serveProject({
    script: (request) => {
      const isAnswered = request.messages.some(({ role }) => role === "tool");
      return isAnswered ? { text: "Done." } : { toolCalls: [{ tool: "write", input: { path: "made.txt", content: "1" } }] };
    },
  });
  page = project.folder;
  await writeFile(path.join(page, "secret.txt"), "the secret of the project");
  ({ sessionId } = await project.client.startSession({ body: { workspaceId: project.workspaceId, text: "hold" } }));
  await vi.waitFor(async () => expect((await project.client.listApprovals()).approvals).toHaveLength(1), { timeout: 20_000 });
});
afterAll(() => project.close());

const bearer = (token = project.server.token): Record<string, string> => ({ Authorization: `Bearer ${token}` });
const ownOrigin = (): string => `http://127.0.0.1:${project.server.port}`;
const JSON_BODY = { "Content-Type": "application/json" };

const ask = (request: Omit<RawRequest, "port">): Promise<RawAnswer> =>
  rawRequest({
    port: project.server.port,
    ...request,
    headers: { Host: `127.0.0.1:${project.server.port}`, ...request.headers },
  });

const codeOf = ({ text }: RawAnswer): string => (JSON.parse(text) as { error: { code: string } }).error.code;

const fill = (place: string): string =>
  place
    .replace(":sessionId", sessionId)
    .replace(":workspaceId", project.workspaceId)
    .replace(":runId", "run_x")
    .replace(":approvalId", "apr_x_y")
    .replace(":artifactId", "art_x")
    .replace(":name", "main")
    .replace(":testRunId", "t");

const signIn = async (): Promise<string> => {
  const answer = await ask({
    method: "POST",
    path: "/api/sign-in",
    headers: { ...JSON_BODY, Origin: ownOrigin() },
    body: JSON.stringify({ token: project.server.token }),
  });
  return answer.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
};

const upgrade = (headers: Record<string, string>, at = `/api/sessions/${sessionId}/feed`): Promise<RawAnswer> =>
  ask({ path: at, headers: upgradeHeaders(headers) });

const eventCount = async (): Promise<number> => (await project.store.read(sessionId)).length;

test("E1 without a token, or with a wrong one, every route, stream and socket answers 401 and the page is only a door", async () => {
  const places = Object.values(ROUTE_PLACES).filter(([, at]) => at !== "/api/sign-in");
  for (const [method, at] of places)
    for (const headers of [{}, bearer("x".repeat(43))]) {
      const answer = await ask({
        method,
        path: fill(at),
        headers: { ...JSON_BODY, ...headers },
        ...(method === "GET" || method === "DELETE" ? {} : { body: "{}" }),
      });
      expect([at, [401, 429].includes(answer.status)]).toEqual([at, true]);
      expect(answer.text).not.toContain(project.folder);
    }
  for (const at of [`/api/sessions/${sessionId}/feed`, "/api/feed"]) expect((await upgrade({}, at)).status).toBeGreaterThan(400);
  for (const at of ["/index.html", "/assets/main.js", "/manifest.json", "/healthz", "/sessions"])
    expect([401, 429]).toContain((await ask({ path: at })).status);
  const door = await ask({ path: "/" });
  expect(door.status).toBe(200);
  expect(door.text).toContain("Token or password");
});

test("E2 a handshake of another page's origin is refused, whatever it carries", async () => {
  const cookie = await signIn();
  for (const key of [bearer(), { Cookie: cookie }]) {
    expect((await upgrade({ ...key, Origin: "https://evil.example" })).status).toBe(403);
    expect((await upgrade({ ...key, Origin: ownOrigin() })).status).toBe(101);
  }
});

test("E3 origins that only look like ours, null, and none with a cookie are refused", async () => {
  const { port } = project.server;
  const cookie = await signIn();
  const alike = [
    "null",
    "http://localhost.evil.com",
    `http://localhost:1@evil`,
    "http://127.0.0.1.nip.io",
    `http://127.0.0.1:${port}.evil.com`,
    `https://127.0.0.1:${port}`,
    `http://127.0.0.1:${port + 1}`,
    `http://127.0.0.1`,
    `http://127.0.0.1:${port}/`,
    "",
  ];
  for (const Origin of alike) {
    expect([Origin, (await upgrade({ Cookie: cookie, Origin })).status]).toEqual([Origin, 403]);
    const posted = await ask({
      method: "POST",
      path: "/api/sign-out",
      headers: { Cookie: cookie, Origin, ...JSON_BODY },
      body: "{}",
    });
    expect([Origin, posted.status]).toEqual([Origin, 403]);
  }
  expect((await upgrade({ Cookie: cookie })).status).toBe(403);
  expect(
    (await ask({ method: "POST", path: "/api/sign-out", headers: { Cookie: cookie, ...JSON_BODY }, body: "{}" })).status,
  ).toBe(403);
  expect((await ask({ path: "/api/status", headers: { Cookie: cookie, "Sec-Fetch-Site": "cross-site" } })).status).toBe(403);
  expect((await ask({ path: "/api/status", headers: { Cookie: cookie, "Sec-Fetch-Site": "same-origin" } })).status).toBe(200);
});

test("E4 a name that was bent to this address is refused on every kind of path", async () => {
  const { port } = project.server;
  for (const Host of [`evil.example:${port}`, "evil.example", "127.0.0.1", `127.0.0.1:${port + 1}`, `localhost.evil:${port}`])
    for (const at of ["/", "/sign-in.js", "/favicon.ico", "/api/status", "/api/sign-in"]) {
      const answer = await ask({ path: at, headers: { Host, ...bearer() } });
      expect([Host, at, answer.status]).toEqual([Host, at, 421]);
    }
  expect((await ask({ path: "/api/status", headers: { Host: `127.0.0.1:${port}@evil`, ...bearer() } })).status).toBe(400);
  expect((await upgrade({ Host: `evil.example:${port}`, ...bearer() })).status).toBe(421);
  expect((await ask({ path: "/api/status", headers: { Host: `localhost:${port}`, ...bearer() } })).status).toBe(200);
});

test("E5 no answer allows another origin, and each varies by it", async () => {
  const preflight = await ask({
    method: "OPTIONS",
    path: "/api/sessions",
    headers: { Origin: "https://evil.example", "Access-Control-Request-Method": "POST" },
  });
  const own = await ask({ path: "/api/status", headers: { ...bearer(), Origin: ownOrigin() } });
  for (const answer of [preflight, own]) {
    expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(answer.headers["vary"]).toContain("Origin");
  }
  expect(preflight.status).toBe(403);
});

test("E6 bodies that a form can send, and reads with an effect, do nothing", async () => {
  const before = await eventCount();
  const at = `/api/sessions/${sessionId}/cancel`;
  for (const type of [
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json-patch+json",
  ]) {
    const answer = await ask({ method: "POST", path: at, headers: { ...bearer(), "Content-Type": type }, body: "{}" });
    expect([type, answer.status]).toEqual([type, 415]);
  }
  expect((await ask({ method: "POST", path: at, headers: bearer(), body: "{}" })).status).toBe(415);
  for (const method of ["GET", "HEAD", "PUT", "DELETE", "PATCH"]) {
    const answer = await ask({ method, path: at, headers: { ...bearer(), ...JSON_BODY } });
    expect([method, answer.status]).toEqual([method, 405]);
  }
  expect(await eventCount()).toBe(before);
});

describe("E7 the token", () => {
  test("E7 is 256 random bits that stand in no request line, and buys a cookie that scripts and other sites do not see", async () => {
    const other = await serveProject();
    try {
      expect(Buffer.from(project.server.token, "base64url")).toHaveLength(32);
      expect(other.server.token).not.toBe(project.server.token);
      expect(new URL(project.server.link).search).toBe("");
      expect(new URL(project.server.link).hash).toContain(project.server.token);
      const answer = await rawRequest({
        port: other.server.port,
        method: "POST",
        path: "/api/sign-in",
        headers: { Host: `127.0.0.1:${other.server.port}`, ...JSON_BODY },
        body: JSON.stringify({ token: other.server.token }),
      });
      const [cookie = ""] = answer.headers["set-cookie"] ?? [];
      expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
      expect(cookie).not.toContain(other.server.token);
      expect(answer.headers["referrer-policy"]).toBe("no-referrer");
      const inQuery = await rawRequest({
        port: other.server.port,
        path: `/api/status?token=${other.server.token}`,
        headers: { Host: `127.0.0.1:${other.server.port}` },
      });
      expect(inQuery.status).toBe(401);
    } finally {
      await other.close();
    }
  });

  test("E7 after 20 wrong ones further ones are held off, a password too, and the right token still comes in", async () => {
    const guarded = await serveProject({ password: "a long password" });
    const { port, token } = guarded.server;
    const headers = { Host: `127.0.0.1:${port}`, ...JSON_BODY };
    const tryKey = (body: object): Promise<RawAnswer> =>
      rawRequest({ port, method: "POST", path: "/api/sign-in", headers, body: JSON.stringify(body) });
    try {
      expect((await tryKey({ password: "a long password" })).status).toBe(200);
      const statuses: number[] = [];
      for (let n = 0; n < 22; n += 1) statuses.push((await tryKey({ password: `guess ${n}` })).status);
      expect(statuses.slice(0, 19)).toEqual(Array.from({ length: 19 }, () => 401));
      expect(statuses.slice(19)).toEqual([429, 429, 429]);
      expect((await tryKey({ password: "a long password" })).status).toBe(429);
      const wrong = await rawRequest({ port, path: "/api/status", headers: { ...headers, ...bearer("nope") } });
      expect([wrong.status, wrong.headers["retry-after"]]).toEqual([429, "60"]);
      expect((await rawRequest({ port, path: "/api/status", headers: { ...headers, ...bearer(token) } })).status).toBe(200);
    } finally {
      await guarded.close();
    }
  });
});

test("E8 an address that other machines reach is refused without password and TLS, unless that is said", async () => {
  const open = { host: "0.0.0.0" };
  await expect(serveProject(open)).rejects.toMatchObject({ code: "server_open_bind" });
  await expect(serveProject({ ...open, password: "a long password" })).rejects.toMatchObject({ code: "server_open_bind" });
  await expect(serveProject({ host: "::" })).rejects.toMatchObject({ code: "server_open_bind" });
  await expect(serveProject({ ...open, tls: TLS_FILES })).rejects.toMatchObject({ code: "server_open_bind" });
  const protectedOne = await serveProject({ ...open, tls: TLS_FILES, password: "a long password" });
  const answer = await new Promise<{ status: number | undefined; cookie: string | undefined }>((resolve, reject) => {
    const { port } = protectedOne.server;
    const headers = { Host: `127.0.0.1:${port}`, Origin: `https://127.0.0.1:${port}`, ...JSON_BODY };
    const asked = httpsRequest({
      host: "127.0.0.1",
      port,
      method: "POST",
      path: "/api/sign-in",
      headers,
      ca: TLS_FILES.cert,
      agent: false,
    });
    asked.on("error", reject);
    asked.on("response", (got) => resolve({ status: got.resume().statusCode, cookie: got.headers["set-cookie"]?.[0] }));
    asked.end(JSON.stringify({ password: "a long password" }));
  });
  expect(answer).toEqual({ status: 200, cookie: expect.stringContaining("; Secure") });
  await protectedOne.close();
  const meant = await serveProject({ ...open, isInsecure: true });
  expect(meant.server.port).toBeGreaterThan(0);
  await meant.close();
});

const HOSTILE = `<script>alert(1)</script><img src=x onerror=alert(1)><svg onload=alert(1)>`;

test("E9 nothing that a model or a tool wrote is ever a document of this origin", async () => {
  const kinds = [
    undefined,
    "text/html",
    "image/svg+xml",
    "application/xhtml+xml",
    "text/xml",
    "application/pdf",
    "text/javascript",
  ];
  for (const mediaType of kinds) {
    const { artifactId } = await project.store.writeArtifact(sessionId, `${HOSTILE}${mediaType ?? ""}`, mediaType);
    const { headers, text } = await ask({ path: `/api/sessions/${sessionId}/artifacts/${artifactId}`, headers: bearer() });
    expect(text).toContain(HOSTILE);
    expect(headers["content-type"]).toMatch(/^(?:text\/plain; charset=utf-8|application\/octet-stream)$/);
    expect(headers["content-disposition"]).toMatch(/^attachment; filename="[\w-]+"$/);
    expect(headers["content-security-policy"]).toContain("sandbox");
    expect(headers["x-content-type-options"]).toBe("nosniff");
  }
  const picture = await project.store.writeArtifact(sessionId, new Uint8Array([137, 80, 78, 71]), "image/png");
  const shown = await ask({ path: `/api/sessions/${sessionId}/artifacts/${picture.artifactId}`, headers: bearer() });
  expect([shown.headers["content-type"], shown.headers["content-disposition"]]).toEqual(["image/png", "inline"]);
  for (const at of ["/", "/sign-in.js"]) {
    const policy = (await ask({ path: at })).headers["content-security-policy"] ?? "";
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|http:|https:/);
  }
  expect((await ask({ path: "/" })).text).not.toMatch(/<script(?![^>]* src="\/)|\son\w+=|<style|style="/);
});

test("the icon that browsers ask for by themselves is answered before anybody has signed in", async () => {
  const { port } = project.server;
  const answer = await rawRequest({ port, path: "/favicon.ico", headers: { Host: `127.0.0.1:${port}` } });
  expect(answer.status).toBe(200);
  expect(answer.headers["content-type"]).toBe("image/svg+xml");
});

test("E10 the page may load no picture, font or script from elsewhere", async () => {
  const policy = (await ask({ path: "/" })).headers["content-security-policy"] ?? "";
  expect(policy).toContain("img-src 'self' data: blob:");
  expect(policy).toContain("connect-src 'self'");
  expect(policy).toContain("font-src 'self'");
});

/** A socket whose frames are written byte by byte, as no library would. */
const openRaw = async (): Promise<{ write: (bytes: Buffer) => void; closed: Promise<Buffer>; destroy: () => void }> => {
  const socket = createConnection(project.server.port, "127.0.0.1");
  const head = Object.entries(upgradeHeaders({ Host: `127.0.0.1:${project.server.port}`, ...bearer() }));
  socket.write(
    `GET /api/sessions/${sessionId}/feed HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}`).join("\r\n")}\r\n\r\n`,
  );
  const got: Buffer[] = [];
  await new Promise<void>((resolve, reject) => {
    socket.once("data", (data: Buffer) =>
      data.toString().startsWith("HTTP/1.1 101") ? resolve() : reject(new Error(data.toString())),
    );
    socket.once("error", reject);
  });
  socket.on("data", (data: Buffer) => got.push(data));
  socket.on("error", () => undefined);
  const closed = new Promise<Buffer>((resolve) => socket.once("close", () => resolve(Buffer.concat(got))));
  return { write: (bytes) => void socket.write(bytes), closed, destroy: () => socket.destroy() };
};

/** A masked frame; `length` may be another than that of the payload. */
const frame = (first: number, payload: Buffer, length = payload.length): Buffer => {
  const head =
    length < 126
      ? Buffer.from([first, 0x80 | length])
      : (() => {
          const long = Buffer.alloc(10);
          long[0] = first;
          long[1] = 0x80 | 127;
          long.writeBigUInt64BE(BigInt(length), 2);
          return long;
        })();
  return Buffer.concat([head, Buffer.alloc(4), payload]);
};

/** The code of the close frame at the end of what was received. */
const closeCode = (received: Buffer): number => {
  for (let at = received.length - 4; at >= 0; at -= 1) if (received[at] === 0x88) return received.readUInt16BE(at + 2);
  return 0;
};

describe("E11 frames", () => {
  const attacks: readonly [name: string, bytes: () => Buffer, code: number][] = [
    ["a frame of 100 MB", () => frame(0x81, Buffer.alloc(64), 100 * 1024 * 1024), 1009],
    ["a compressed bomb", () => frame(0xc1, Buffer.alloc(32)), 1002],
    ["bad UTF-8", () => frame(0x81, Buffer.from([0xc3, 0x28])), 1007],
    ["binary garbage", () => frame(0x82, Buffer.from([1, 2, 3])), FEED_CLOSE.misbehaved],
    ["deep JSON", () => frame(0x81, Buffer.from("[".repeat(4_000))), FEED_CLOSE.misbehaved],
    [
      "never-ending fragments",
      () => Buffer.concat([frame(0x01, Buffer.alloc(0)), ...Array.from({ length: 200 }, () => frame(0x00, Buffer.alloc(0)))]),
      1008,
    ],
    ["a reserved opcode", () => frame(0x83, Buffer.from("x")), 1002],
  ];
  test.each(attacks)("E11 %s closes the socket with its code, and others hear nothing of it", async (_, bytes, code) => {
    const feed = project.client.followSession(sessionId);
    await vi.waitFor(() => expect(feed.store().view.lastSeq).toBeGreaterThan(0));
    const attacker = await openRaw();
    attacker.write(bytes());
    expect(closeCode(await attacker.closed)).toBe(code);
    expect(feed.state()).toBe("open");
    feed.close();
  });

  test("E11 100,000 small frames at once end with a closed socket and no more memory", async () => {
    const before = process.memoryUsage().rss;
    const attacker = await openRaw();
    const ping = frame(0x81, Buffer.from('{"type":"ping"}'));
    for (let n = 0; n < 100; n += 1) attacker.write(Buffer.concat(Array.from({ length: 1_000 }, () => ping)));
    await attacker.closed;
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
    expect((await ask({ path: "/api/status", headers: bearer() })).status).toBe(200);
  });
});

describe("E12 bodies", () => {
  test("E12 a body that says it is larger, or turns out to be, is refused before it is read", async () => {
    const headers = { ...bearer(), ...JSON_BODY };
    const at = `/api/sessions/${sessionId}/cancel`;
    const said = await ask({ method: "POST", path: at, headers: { ...headers, "Content-Length": "10000000000" } }).catch(
      () => undefined,
    );
    if (said) expect(said.status).toBe(413);
    const found = await ask({
      method: "POST",
      path: at,
      headers: { ...headers, "Transfer-Encoding": "chunked" },
      body: Buffer.alloc(2_000_000, " "),
    }).catch(() => undefined);
    if (found) expect(found.status).toBe(413);
    expect((await ask({ path: "/api/status", headers: bearer() })).status).toBe(200);
  });

  test.each([
    ["headers", "GET /api/status HTTP/1.1\r\nHost: x\r\n", "X-Slow: 1\r\n"],
    ["body", "POST /api/sign-in HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n", " "],
  ])("E12 a request whose %s never end is given up, and its connection closed", async (_, begin, more) => {
    const slow = await serveProject({ times: { headersMs: 300, bodyMs: 600 } });
    const socket = createConnection(slow.server.port, "127.0.0.1");
    socket.on("error", () => undefined);
    let got = "";
    socket.on("data", (data: Buffer) => (got += data.toString()));
    socket.write(begin.replace("HOST", `127.0.0.1:${slow.server.port}`));
    const dripping = setInterval(() => socket.write(more), 50);
    await new Promise<void>((resolve) => socket.once("close", () => resolve()));
    clearInterval(dripping);
    expect(got).toMatch(/^HTTP\/1\.1 408 /);
    await slow.close();
  });

  test("E12 headers that are too many or too long are refused", async () => {
    const long = await ask({ path: "/api/status", headers: { ...bearer(), "X-Long": "x".repeat(40_000) } });
    expect(long.status).toBe(431);
  });
});

test("E13 paths that leave the page's folder find nothing, also with the key", async () => {
  const served = await serveProject({ page: path.join(project.folder, "made-up"), files: {} });
  const { port, token } = served.server;
  const outside = ["secret.txt", "etc/passwd"];
  const tricks = outside.flatMap((file) => [
    `/../${file}`,
    `/..%2f${file}`,
    `/%2e%2e/${file}`,
    `/assets/..%5c..%5c${file}`,
    `//${file}`,
    `/%00${file}`,
    `/assets/%2e%2e%2f${file}`,
    `/....//${file}`,
    `/.%2e/${file}`,
    `/assets/../../${file}`,
  ]);
  try {
    for (const at of tricks) {
      const answer = await rawRequest({ port, path: at, headers: { Host: `127.0.0.1:${port}`, ...bearer(token) } });
      expect([at, [400, 404].includes(answer.status)]).toEqual([at, true]);
      expect(answer.text).not.toContain("the secret of the project");
    }
  } finally {
    await served.close();
  }
});

describe("E14 ids are no authorisation", () => {
  test("E14 an artifact, a run or a question of another session, or a guessed one, is not found", async () => {
    const { artifactId } = await project.store.writeArtifact(sessionId, "only of this session");
    const other = await project.client.startSession({ body: { workspaceId: project.workspaceId, text: "other" } });
    const paths: readonly [string, string, string?][] = [
      ["GET", `/api/sessions/${other.sessionId}/artifacts/${artifactId}`],
      ["GET", `/api/sessions/ses_1/artifacts/${artifactId}`],
      ["GET", "/api/sessions/ses_1"],
      ["GET", "/api/sessions/ses_1/events"],
      ["GET", "/api/sessions/ses_1/stream"],
      ["GET", "/api/approvals/apr_1_2"],
      ["POST", "/api/runs/run_1/cancel", "{}"],
      ["POST", "/api/approvals/apr_1_2/answer", JSON.stringify({ allowed: true, hash: "x" })],
      ["GET", "/api/workspaces/wsp_1/agents"],
    ];
    for (const [method, at, body] of paths) {
      const headers = { ...bearer(), ...(body === undefined ? {} : JSON_BODY) };
      const answer = await ask({ method, path: at, headers, ...(body === undefined ? {} : { body }) });
      expect([at, answer.status]).toEqual([at, 404]);
    }
    const [asked] = (await project.client.listApprovals({ query: { sessionId: other.sessionId } })).approvals;
    if (asked) await project.client.stopSession({ params: { sessionId: other.sessionId }, body: {} });
  });
});

describe("E15 answers", () => {
  test("E15 an answer for another act, one given twice and one from two tabs at once have one effect at most", async () => {
    const [asked] = (await project.client.listApprovals({ query: { sessionId } })).approvals;
    if (!asked) throw new Error("nothing waits");
    const { approvalId, hash } = asked;
    const give = (body: { allowed: boolean; hash: string }): Promise<string> =>
      project.client.answerApproval({ params: { approvalId }, body }).then(
        () => "taken",
        (thrown: { code: string }) => thrown.code,
      );
    expect(await give({ allowed: true, hash: "of another act" })).toBe("approval_changed");
    const both = await Promise.all([
      give({ allowed: false, hash }),
      give({ allowed: true, hash }),
      give({ allowed: true, hash }),
    ]);
    expect(both.filter((one) => one === "taken")).toHaveLength(1);
    expect(["approval_answered", "approval_unknown", "run_settled"]).toContain(await give({ allowed: true, hash }));
    await vi.waitFor(async () => expect((await project.client.getSession({ params: { sessionId } })).status).toBe("completed"), {
      timeout: 20_000,
    });
    const answers = (await project.store.read(sessionId)).filter(({ type }) => type === "approval.answered");
    expect(answers).toHaveLength(1);
    expect(await give({ allowed: true, hash })).toMatch(/approval_(?:unknown|answered)|run_settled/);
  });
});

test("E16 keys that reach into prototypes are refused, and nothing has them afterwards", async () => {
  const bodies = [
    `{"__proto__":{"isAdmin":true},"text":"x","workspaceId":"${project.workspaceId}"}`,
    `{"constructor":{"prototype":{"isAdmin":true}},"text":"x","workspaceId":"${project.workspaceId}"}`,
    `{"text":"x","workspaceId":"${project.workspaceId}","limits":{"__proto__":{"costUsd":1}}}`,
    `{"text":"x","workspaceId":"${project.workspaceId}","unknown":1}`,
    "[".repeat(100_000),
    `{"a":`.repeat(10_000),
  ];
  const before = (await project.client.listSessions()).items.length;
  for (const body of bodies) {
    const answer = await ask({ method: "POST", path: "/api/sessions", headers: { ...bearer(), ...JSON_BODY }, body });
    expect([answer.status, codeOf(answer)]).toEqual([400, "request_invalid"]);
  }
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  expect((await project.client.listSessions()).items).toHaveLength(before);
});

describe("E17 numbers that a client cannot have", () => {
  const given = [
    "-1",
    "-99999999999",
    "999999999",
    "1e309",
    "NaN",
    "9007199254740993",
    "0x10",
    "'; DROP TABLE events",
    "",
    "18446744073709551616",
  ];
  test.each(given)("E17 after=%s is answered with the whole record, once and in order", async (after) => {
    const total = await eventCount();
    const answer = await fetch(`${project.server.url}api/sessions/${sessionId}/stream`, {
      headers: { ...bearer(), "Last-Event-ID": after },
    });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    let text = "";
    const seqs = (): number[] =>
      [...text.matchAll(/^data: (.*)$/gm)].flatMap(([, line = ""]) => {
        const told = JSON.parse(line) as { events?: { seq: number }[] };
        return told.events?.map(({ seq }) => seq) ?? [];
      });
    while (seqs().length < total) text += Buffer.from((await reader.read()).value ?? []).toString();
    await reader.cancel();
    expect(seqs()).toEqual(Array.from({ length: total }, (_, index) => index + 1));
  });

  test("E17 a client that knows of more than there is begins anew", async () => {
    const feed = project.client.followSession(sessionId);
    await vi.waitFor(() => expect(feed.store().view.lastSeq).toBeGreaterThan(5));
    const { view } = feed.store();
    feed.close();
    let resets = 0;
    const ahead = project.client.followSession(sessionId, {
      store: { ...feed.store(), view: { ...view, lastSeq: view.lastSeq + 1_000 } },
      onReset: () => (resets += 1),
    });
    await vi.waitFor(() => expect(ahead.store().view.lastSeq).toBe(view.lastSeq));
    expect(resets).toBe(1);
    expect(ahead.store().view.gap).toBeNull();
    ahead.close();
  });
});

test("E18 an address that came with a request is never called", async () => {
  const called: string[] = [];
  const trap = createTcp((socket) => {
    called.push("connected");
    socket.destroy();
  });
  await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
  const address = trap.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`;
  try {
    for (const name of ["gatewayUrl", "callbackUrl", "baseUrl", "webhook"]) {
      const body = JSON.stringify({ workspaceId: project.workspaceId, text: "x", [name]: url });
      const answer = await ask({ method: "POST", path: "/api/sessions", headers: { ...bearer(), ...JSON_BODY }, body });
      expect([name, answer.status]).toEqual([name, 400]);
      expect((await ask({ path: `/?${name}=${encodeURIComponent(url)}` })).text).not.toContain(url);
      expect((await ask({ path: `/api/status?${name}=${encodeURIComponent(url)}`, headers: bearer() })).status).toBe(200);
    }
    expect(called).toEqual([]);
  } finally {
    trap.close();
  }
});
