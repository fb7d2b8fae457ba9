/**
 * The feed of one session for any number of clients. The session is followed once and each event is encoded once. Every client gets each recorded event
 * once and in order: one that is behind is served from the record, at its own pace, and never holds up the others.
 */
import type { RetinueEvent, SessionFrame, SessionId } from "@retinue/protocol";
import { FEED_CLOSE, isLive } from "@retinue/protocol";
import type { Feeds } from "../backend.ts";
import type { FeedLimits } from "./limits.ts";
import type { Frame, Sink } from "./sink.ts";
import { toFrame } from "./sink.ts";

export type SessionHub = {
  /**
   * Serves a client from the event after this one on, until the function returned is called. `recordedSeq` is the last event of the record.
   * Undefined where the hub has ended meanwhile: then there is another one.
   */
  readonly join: (sink: Sink, afterSeq: number, recordedSeq?: number) => (() => void) | undefined;
  readonly headSeq: () => number;
  /** Tells everybody that the session was deleted, and ends. */
  readonly gone: () => void;
  readonly close: (code: number, reason: string) => void;
  readonly size: () => number;
};

type Client = {
  readonly sink: Sink;
  /** The last recorded event that was sent. */
  cursor: number;
  isReading: boolean;
  /** How many events are read for it at a time. */
  pageEvents: number;
  /** Since when nothing was taken, while something waits. */
  stalledAt: number | null;
  leastWaiting: number;
};

type Batch = { readonly from: number; readonly events: { readonly event: RetinueEvent; readonly text: string }[]; to: number };

export type SessionHubOptions = {
  readonly sessionId: SessionId;
  readonly feeds: Pick<Feeds, "read" | "follow">;
  readonly limits: FeedLimits;
  /** The last event of the session at the time. */
  readonly headSeq: number;
  /** Nobody listens any more, or the session cannot be read. */
  readonly onEmpty: () => void;
};

const eventsFrame = (texts: readonly string[], lastSeq: number): Frame =>
  toFrame(`{"type":"events","events":[${texts.join(",")}]}`, lastSeq);

const frameOf = (frame: SessionFrame): Frame => toFrame(JSON.stringify(frame));

const WATCH_MS = 1_000;

export const createSessionHub = ({ sessionId, feeds, limits, headSeq, onEmpty }: SessionHubOptions): SessionHub => {
  const clients = new Set<Client>();
  const stop = new AbortController();
  let head = headSeq;
  let batch: Batch | null = null;
  let ended = false;

  const end = (): void => {
    if (ended) return;
    ended = true;
    clearInterval(watch);
    stop.abort();
    onEmpty();
  };
  const leave = (client: Client): void => {
    if (clients.delete(client) && clients.size === 0) end();
  };
  const closeAll = (code: number, reason: string): void => {
    for (const { sink } of clients) sink.close(code, reason);
    clients.clear();
    end();
  };

  const isFull = ({ sink }: Client): boolean => sink.waitingBytes() > limits.waitingBytes;
  const send = (client: Client, frame: Frame): void => client.sink.send(frame, () => void catchUp(client));

  /** Sends from the record what a client has not had yet, as long as it takes it. */
  const catchUp = async (client: Client): Promise<void> => {
    if (client.isReading || client.cursor >= head || isFull(client) || !clients.has(client)) return;
    client.isReading = true;
    try {
      const page = await feeds.read(sessionId, { after: client.cursor, limit: client.pageEvents });
      if (!clients.has(client)) return;
      const due = page?.events.filter(({ seq }) => seq <= head) ?? [];
      const last = due.at(-1);
      if (last === undefined) return;
      client.cursor = last.seq;
      const frame = eventsFrame(
        due.map((event) => JSON.stringify(event)),
        last.seq,
      );
      if (frame.data.byteLength < limits.waitingBytes / 4)
        client.pageEvents = Math.min(client.pageEvents * 2, limits.mostPageEvents);
      else client.pageEvents = limits.pageEvents;
      send(client, frame);
    } catch {
      client.sink.close(1011, "The record cannot be read.");
      leave(client);
    } finally {
      client.isReading = false;
    }
    await catchUp(client);
  };

  const flush = (): void => {
    const due = batch;
    batch = null;
    if (due === null) return;
    head = due.to;
    let shared: Frame | undefined;
    for (const client of clients) {
      const isNext = client.cursor === due.from && !client.isReading;
      if (isNext && !isFull(client)) {
        shared ??= eventsFrame(
          due.events.map(({ text }) => text),
          due.to,
        );
        client.cursor = due.to;
        send(client, shared);
      } else if (client.cursor > due.from && client.cursor < due.to && !client.isReading) {
        const rest = due.events.filter(({ event }) => !isLive(event) && event.seq > client.cursor);
        client.cursor = due.to;
        send(
          client,
          eventsFrame(
            rest.map(({ text }) => text),
            due.to,
          ),
        );
      } else void catchUp(client);
    }
  };

  const follow = async (): Promise<void> => {
    for await (const event of feeds.follow(sessionId, { afterSeq: head, signal: stop.signal })) {
      if (batch === null) {
        batch = { from: head, events: [], to: head };
        setImmediate(flush);
      }
      batch.events.push({ event, text: JSON.stringify(event) });
      if (!isLive(event)) batch.to = event.seq;
    }
  };

  /** A client that has much waiting and takes nothing of it is dropped: it can come back and go on where it was. */
  const watch = setInterval(
    () => {
      const now = performance.now();
      for (const client of clients) {
        const waiting = client.sink.waitingBytes();
        if (!isFull(client) || waiting < client.leastWaiting || client.stalledAt === null) {
          client.stalledAt = isFull(client) ? now : null;
          client.leastWaiting = waiting;
        } else if (now - client.stalledAt >= limits.stallMs) {
          client.sink.close(FEED_CLOSE.tooSlow, "The client does not read.");
          leave(client);
        }
      }
    },
    Math.min(WATCH_MS, limits.stallMs),
  ).unref();

  void follow().catch(() => closeAll(1011, "The record cannot be read."));

  return {
    headSeq: () => head,
    join: (sink, afterSeq, recordedSeq = head) => {
      if (ended) return undefined;
      // Who claims to know events that there are not begins anew.
      const cursor = afterSeq > Math.max(head, recordedSeq) ? 0 : afterSeq;
      const client: Client = { sink, cursor, isReading: false, pageEvents: limits.pageEvents, stalledAt: null, leastWaiting: 0 };
      clients.add(client);
      send(client, frameOf({ type: "hello", sessionId, afterSeq: cursor, headSeq: head }));
      void catchUp(client);
      return () => leave(client);
    },
    gone: () => {
      for (const client of clients) client.sink.send(frameOf({ type: "gone" }), () => undefined);
      closeAll(FEED_CLOSE.unknown, "The session was deleted.");
    },
    close: closeAll,
    size: () => clients.size,
  };
};
