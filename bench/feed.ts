/**
 * Feeds under load: two sessions with 49 clients each that read, on one server and written to in turns; one of the two has a client besides that never reads. Says how long
 * events took to reach those who read (p50, p99) with and without it, and what the server's memory did. Both are measured at the same time, so that
 * whatever else the machine does happens to both: their difference is the stalled client's. The p99 are compared block by block, and the middle of those
 * ratios counts, so that a moment in which the machine stood still counts once. `npm run bench:feed`
 */
import { spawn } from "node:child_process";
import { createConnection } from "node:net";
import { once } from "node:events";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";

const CLIENTS = 50;
const EVENTS = Number(process.env["EVENTS"] ?? 5_000);
const ROUNDS = Number(process.env["ROUNDS"] ?? 2);
const EVERY_MS = 8;
const BYTES = 8 * 1024;
/** So many events of each session are compared with each other. */
const BLOCK = 50;
/** Of the p99 with the stalled client to that without, in the middle of all blocks. */
const MOST_RATIO = 1.15;
/** What the server may hold more at the end than after a fifth of the events: what a stalled client may have waiting, and the slack of the collector. */
const MOST_GROWTH_MB = 64;

/** The stalled client goes from one to the other with the rounds. */
const SESSIONS = ["ses_one", "ses_other"] as const;
type Session = (typeof SESSIONS)[number];

type Delays = { readonly p50: number; readonly p99: number };
type Round = {
  readonly plain: Delays;
  readonly stalled: Delays;
  /** Of the p99 of each block. */
  readonly ratios: readonly number[];
  readonly rssStartMb: number;
  readonly rssEndMb: number;
};
/** How long an event took to one client. */
type Delay = { readonly step: number; readonly ms: number };

const percentile = (sorted: readonly number[], part: number): number =>
  Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0) * 100) / 100;

const toDelays = (delays: readonly Delay[]): Delays => {
  const sorted = delays.map(({ ms }) => ms).toSorted((one, other) => one - other);
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
};

const toRatios = (plain: readonly Delay[], stalled: readonly Delay[]): readonly number[] => {
  const blockOf = ({ step }: Delay): number => Math.floor((step - 1) / BLOCK);
  const others = Map.groupBy(plain, blockOf);
  return [...Map.groupBy(stalled, blockOf)].map(
    ([block, delays]) => toDelays(delays).p99 / toDelays(others.get(block) ?? []).p99,
  );
};

/** The server in a process of its own, so that its memory is its own. */
const startServer = async () => {
  const child = spawn(process.execPath, [fileURLToPath(new URL("feed-server.ts", import.meta.url))], {
    stdio: ["pipe", "pipe", "inherit"],
    env: {
      ...process.env,
      EVENTS: String(EVENTS),
      EVERY_MS: String(EVERY_MS),
      BYTES: String(BYTES),
      SESSIONS: SESSIONS.join(" "),
    },
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

type Address = { readonly port: number; readonly token: string };

const openReaders = async (session: Session, { port, token }: Address, delays: Delay[]): Promise<readonly WebSocket[]> => {
  const sockets = Array.from({ length: CLIENTS - 1 }, () => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/sessions/${session}/feed`, ["retinue.v1", `retinue.token.${token}`]);
    socket.addEventListener("message", ({ data }) => {
      const now = Date.now() + (performance.now() % 1);
      const frame = JSON.parse(String(data)) as {
        type: string;
        events?: { type: string; step: number; content?: { text: string }[] }[];
      };
      for (const { type, step, content } of frame.events ?? [])
        if (type === "model.answered") delays.push({ step, ms: now - Number(content?.[0]?.text.split(" ")[0]) });
    });
    return socket;
  });
  await Promise.all(sockets.map((socket) => once(socket, "open")));
  return sockets;
};

/** A client that opens its feed and never reads. */
const openStalled = async (session: Session, { port, token }: Address): Promise<void> => {
  const stalled = createConnection(port, "127.0.0.1");
  stalled.on("error", () => undefined);
  stalled.write(
    `GET /api/sessions/${session}/feed HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  await once(stalled, "data");
  stalled.pause();
};

const measure = async (withStalled: Session): Promise<Round> => {
  const { child, next, ...address } = await startServer();
  const delays: Record<Session, Delay[]> = { ses_one: [], ses_other: [] };
  const sockets = await Promise.all(SESSIONS.map((session) => openReaders(session, address, delays[session])));
  await openStalled(withStalled, address);
  child.stdin.write("go\n");
  const { rssStartMb, rssEndMb } = (await next()) as { rssStartMb: number; rssEndMb: number };
  const all = EVENTS * (CLIENTS - 1);
  while (SESSIONS.some((session) => delays[session].length < all)) await new Promise((resolve) => setTimeout(resolve, 50));
  for (const socket of sockets.flat()) socket.close();
  child.stdin.end();
  await once(child, "close");
  const [plain] = SESSIONS.filter((session) => session !== withStalled) as [Session];
  return {
    plain: toDelays(delays[plain]),
    stalled: toDelays(delays[withStalled]),
    ratios: toRatios(delays[plain], delays[withStalled]),
    rssStartMb,
    rssEndMb,
  };
};

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
};

console.log(
  `load of the machine: ${loadavg()
    .map((load) => load.toFixed(1))
    .join(" ")}, ${availableParallelism()} cores`,
);
const rounds: Round[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const one = await measure(SESSIONS[round % 2] as Session);
  rounds.push(one);
  console.log(JSON.stringify({ ...one, ratios: median(one.ratios).toFixed(2) }));
}
const ratios = rounds.flatMap((round) => round.ratios);
const growth = median(rounds.map(({ rssStartMb, rssEndMb }) => rssEndMb - rssStartMb));
console.log(
  `${CLIENTS - 1} clients read each of two sessions, one of which has a stalled client besides: ${EVENTS} events of ${BYTES / 1024} KB each, one of either every ${EVERY_MS} ms; ${ROUNDS} rounds`,
);
console.log(
  `p99 without ${median(rounds.map(({ plain }) => plain.p99)).toFixed(1)} ms, with it ${median(rounds.map(({ stalled }) => stalled.p99)).toFixed(1)} ms; ratio in the middle of ${ratios.length} blocks ${median(ratios).toFixed(2)} (at most ${MOST_RATIO})`,
);
console.log(`memory of the server grew by ${growth} MB over the last four fifths (at most ${MOST_GROWTH_MB} MB)`);
process.exitCode = median(ratios) <= MOST_RATIO && growth <= MOST_GROWTH_MB ? 0 : 1;
