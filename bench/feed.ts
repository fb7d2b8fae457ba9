/**
 * Feeds under load: 50 clients on one session, then the same with one of them that never reads. Says how long events took to reach the others (p50, p99) and what the
 * server's memory did; the ratio of the two p99 is the figure to look at. `npm run bench:feed`
 */
import { spawn } from "node:child_process";
import { createConnection } from "node:net";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const CLIENTS = 50;
const EVENTS = Number(process.env["EVENTS"] ?? 1_500);
const EVERY_MS = 4;
const BYTES = 8 * 1024;

type Figures = {
  readonly p50: number;
  readonly p99: number;
  readonly rssStartMb: number;
  readonly rssEndMb: number;
  readonly events: number;
};

const percentile = (sorted: readonly number[], part: number): number =>
  Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0) * 100) / 100;

/** The server in a process of its own, so that its memory is its own. */
const startServer = async () => {
  const child = spawn(process.execPath, [fileURLToPath(new URL("feed-server.ts", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, EVENTS: String(EVENTS), EVERY_MS: String(EVERY_MS), BYTES: String(BYTES) },
  });
  const lines = (async function* () {
    let text = "";
    for await (const piece of child.stdout.setEncoding("utf8")) {
      text += String(piece);
      for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n")) {
        yield JSON.parse(text.slice(0, at)) as Record<string, unknown>;
        text = text.slice(at + 1);
      }
    }
  })();
  const next = async (): Promise<Record<string, unknown>> => (await lines.next()).value ?? {};
  return { child, next, ...((await next()) as { port: number; token: string }) };
};

const measure = async (withStalled: boolean): Promise<Figures> => {
  const { child, next, port, token } = await startServer();
  const delays: number[] = [];
  let received = 0;
  const sockets = Array.from({ length: CLIENTS - (withStalled ? 1 : 0) }, () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/sessions/ses_bench/feed`, ["retinue.v1", `retinue.token.${token}`]);
    socket.addEventListener("message", ({ data }) => {
      const now = Date.now() + (performance.now() % 1);
      const frame = JSON.parse(String(data)) as { type: string; events?: { type: string; content?: { text: string }[] }[] };
      for (const event of frame.events ?? [])
        if (event.type === "model.answered") {
          received += 1;
          delays.push(now - Number(event.content?.[0]?.text.split(" ")[0]));
        }
    });
    return socket;
  });
  await Promise.all(sockets.map((socket) => once(socket, "open")));
  if (withStalled) {
    const stalled = createConnection(port, "127.0.0.1");
    stalled.on("error", () => undefined);
    stalled.write(
      `GET /api/sessions/ses_bench/feed HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    await once(stalled, "data");
    stalled.pause();
  }
  child.stdin.write("go\n");
  const { rssStartMb, rssEndMb } = (await next()) as { rssStartMb: number; rssEndMb: number };
  while (received < EVENTS * sockets.length) await new Promise((resolve) => setTimeout(resolve, 50));
  for (const socket of sockets) socket.close();
  child.stdin.end();
  await once(child, "close");
  const sorted = delays.toSorted((one, other) => one - other);
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99), rssStartMb, rssEndMb, events: received };
};

const rounds = Number(process.env["ROUNDS"] ?? 3);
const all: { readonly plain: Figures; readonly stalled: Figures }[] = [];
for (let round = 0; round < rounds; round += 1) all.push({ plain: await measure(false), stalled: await measure(true) });
const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
for (const { plain, stalled } of all) console.log(JSON.stringify({ plain, stalled }));
const [plain, stalled] = [median(all.map((one) => one.plain.p99)), median(all.map((one) => one.stalled.p99))];
console.log(`${CLIENTS} clients, ${EVENTS} events of ${BYTES / 1024} KB, one every ${EVERY_MS} ms; medians of ${rounds}`);
console.log(`p99 of all reading ${plain} ms, with one stalled ${stalled} ms: ratio ${(stalled / plain).toFixed(2)}`);
