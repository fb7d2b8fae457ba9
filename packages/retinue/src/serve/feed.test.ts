/** The feed over real sockets: whatever happens to connections and clients, each has every recorded event once and in order. */
import { createClient, type SocketLike } from "@retinue/client";
import { createSqliteLog } from "@retinue/store/sqlite";
import { createRunDrafts } from "@retinue/store/testing";
import { FEED_CLOSE } from "@retinue/protocol";
import { createConnection } from "node:net";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { upgradeHeaders } from "./testing/raw-request.ts";
import { serveProject, type ServedProject, type ServeProjectOptions } from "./testing/serve-project.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const SESSION = "ses_feed";
const LONG = { timeout: 30_000, interval: 10 };

const open = async (options: ServeProjectOptions = {}): Promise<ServedProject> => {
  const project = await serveProject(options);
  cleanups.push(project.close);
  return project;
};

/** A run that somebody else drives: it is asked for, begun, and says as much as it is told to. */
const createSpeaker = async ({ store }: Pick<ServedProject, "store">, size = 20) => {
  const run = createRunDrafts({ sessionId: SESSION, runId: "run_feed" });
  await store.append([run.requested("speak")]);
  const lease = await store.lease("run_feed");
  await store.append([run.started(lease.epoch)], lease);
  let said = 2;
  return {
    said: () => said,
    speak: async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) {
        await store.append([run.asked(said / 2), run.answered(said / 2, `${said} `.padEnd(size, "x"))], lease);
        said += 2;
      }
    },
  };
};

const expectNoGap = async (times: number): Promise<void> => {
  const project = await open();
  const speaker = await createSpeaker(project);
  let sockets: SocketLike[] = [];
  let opened = 0;
  class Cut extends WebSocket {
    constructor(url: string, protocols?: string[]) {
      super(url, protocols);
      opened += 1;
      sockets.push(this);
    }
  }
  const { server } = project;
  const client = createClient({
    url: server.url,
    token: server.token,
    WebSocket: Cut as unknown as new () => SocketLike,
    waits: { firstMs: 1, longestMs: 2 },
  });
  const seqs: number[] = [];
  const feed = client.followSession(SESSION, { onEvent: ({ seq }) => seqs.push(seq) });
  cleanups.push(feed.close);
  // A generator of our own: which cut comes when is the same every time.
  let seed = 7;
  const chance = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (let cuts = 0; cuts < times; cuts += 1) {
    await speaker.speak(1 + Math.floor(chance() * 3));
    const way = chance();
    // Before the handshake, while events are on their way, and when all have come.
    if (way > 0.3) await new Promise((resolve) => setTimeout(resolve, way * 8));
    if (way > 0.8) await vi.waitFor(() => expect(seqs.at(-1)).toBe(speaker.said()), LONG);
    for (const socket of sockets) socket.close();
    sockets = [];
    await vi.waitFor(() => expect(sockets.length).toBeGreaterThan(0), { timeout: 30_000, interval: 2 });
  }
  await speaker.speak(1);
  await vi.waitFor(() => expect(seqs.at(-1)).toBe(speaker.said()), LONG);
  expect(seqs).toEqual(Array.from({ length: speaker.said() }, (_, index) => index + 1));
  expect(opened).toBeGreaterThanOrEqual(times);
  expect(feed.store().view.gap).toBeNull();
};

test("a feed that is cut 20 times at random has no gap and no repeat", () => expectNoGap(20));
test("a feed that is cut 200 times at random has no gap and no repeat", { tags: ["long"] }, () => expectNoGap(200));

/** Shakes hands and never reads again. */
const openStalled = async ({ server }: ServedProject): Promise<{ readonly closed: Promise<void> }> => {
  const socket = createConnection(server.port, "127.0.0.1");
  cleanups.push(() => socket.destroy());
  const headers = upgradeHeaders({ Host: `127.0.0.1:${server.port}`, Authorization: `Bearer ${server.token}` });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.write(`GET /api/sessions/${SESSION}/feed HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  await new Promise<void>((resolve) => socket.once("data", () => resolve()));
  socket.pause();
  socket.on("error", () => undefined);
  return { closed: new Promise((resolve) => socket.once("close", () => resolve())) };
};

test("one stalled client among many is dropped, and the others have everything", async () => {
  const project = await open({ limits: { waitingBytes: 64 * 1024, stallMs: 300 } });
  const speaker = await createSpeaker(project, 64 * 1024);
  const { client } = project;
  const status = async (): Promise<number> => (await client.status()).sockets;
  const feeds = Array.from({ length: 8 }, () => client.followSession(SESSION));
  for (const { close } of feeds) cleanups.push(close);
  await openStalled(project);
  await vi.waitFor(async () => expect(await status()).toBe(9), LONG);
  await speaker.speak(200);
  for (const feed of feeds) await vi.waitFor(() => expect(feed.store().view.lastSeq).toBe(speaker.said()), LONG);
  for (const feed of feeds) expect([feed.state(), feed.store().view.gap]).toEqual(["open", null]);
  await vi.waitFor(async () => expect(await status()).toBe(8), LONG);
});

test("a client that is behind gets what it missed from the record, at its own pace", async () => {
  const project = await open({ limits: { waitingBytes: 16 * 1024, pageEvents: 4 } });
  const speaker = await createSpeaker(project, 8 * 1024);
  await speaker.speak(50);
  const seqs: number[] = [];
  const feed = project.client.followSession(SESSION, { onEvent: ({ seq }) => seqs.push(seq) });
  cleanups.push(feed.close);
  await speaker.speak(50);
  await vi.waitFor(() => expect(seqs.at(-1)).toBe(speaker.said()), LONG);
  expect(seqs).toEqual(Array.from({ length: speaker.said() }, (_, index) => index + 1));
});

test("what another process writes to the same file arrives, and a session that begins there is told", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "retinue-feed-"));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, "retinue.db");
  const other = createSqliteLog({ path: file });
  cleanups.push(() => other.close());
  const project = await open({ store: createSqliteLog({ path: file }) });
  const told: string[] = [];
  const all = project.client.followAll({ onSession: ({ sessionId }) => told.push(sessionId) });
  cleanups.push(all.close);
  await vi.waitFor(async () => expect((await project.client.status()).sockets).toBe(1), LONG);
  const speaker = await createSpeaker({ store: other });
  await vi.waitFor(() => expect(told).toContain(SESSION), LONG);
  const feed = project.client.followSession(SESSION);
  cleanups.push(feed.close);
  await speaker.speak(20);
  await vi.waitFor(() => expect(feed.store().view.lastSeq).toBe(speaker.said()), LONG);
});

test("a session that is not there ends the feed, and one that is deleted ends those that listen", async () => {
  const project = await open();
  let gone = 0;
  const none = project.client.followSession("ses_none", { onGone: () => (gone += 1) });
  await vi.waitFor(() => expect([none.state(), gone]).toEqual(["closed", 1]), LONG);
  await createSpeaker(project);
  const feed = project.client.followSession(SESSION, { onGone: () => (gone += 1) });
  await vi.waitFor(() => expect(feed.state()).toBe("open"), LONG);
  await project.client.deleteSession({ params: { sessionId: SESSION }, query: { force: "true" } });
  await vi.waitFor(() => expect(feed.state()).toBe("closed"), LONG);
  expect(FEED_CLOSE.unknown).toBe(4404);
});
