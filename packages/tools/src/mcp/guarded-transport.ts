/**
 * Stands between a server and the protocol: answers that nobody asked for are dropped, and a server that nests, floods or asks without end is
 * left. What it asks of us (sampling, elicitation, roots) nobody answers; the protocol refuses it.
 */
import type { JSONRPCMessage, Transport, TransportSendOptions } from "@modelcontextprotocol/client";

export type GuardOptions = {
  readonly onNote: (text: string) => void;
  /** Milliseconds that only grow. */
  readonly now?: () => number;
};

export type GuardedTransport = Transport & {
  /** Why it was left, where it was. */
  readonly breach: () => string | undefined;
};

const MOST_DEPTH = 128;
/** Requests of the server that were refused, over the life of a connection. */
const MOST_REFUSED = 100;
/** Answers to what nobody asked, over the life of a connection. */
const MOST_STRAY = 100;
/** Requests and notifications of the server. */
const MOST_A_SECOND = 1000;

export const guardTransport = (inner: Transport, { onNote, now = () => performance.now() }: GuardOptions): GuardedTransport => {
  const asked = new Set<string | number>();
  let breach: string | undefined;
  let refused = 0;
  let stray = 0;
  let second = 0;
  let inSecond = 0;

  const leave = (why: string): void => {
    breach ??= why;
    void inner.close();
  };

  /** Whether the protocol may see it. */
  const admit = (message: JSONRPCMessage): boolean => {
    if (breach !== undefined) return false;
    if (isDeeper(message, MOST_DEPTH)) {
      leave(`it sent a message nested more than ${MOST_DEPTH} deep`);
      return false;
    }
    if (!("method" in message)) {
      if (message.id !== undefined && asked.delete(message.id)) return true;
      stray += 1;
      if (stray === 1) onNote("answered what it was not asked");
      if (stray > MOST_STRAY) leave("it keeps answering what it was not asked");
      return false;
    }
    const current = Math.floor(now() / 1000);
    inSecond = current === second ? inSecond + 1 : 1;
    second = current;
    if (inSecond > MOST_A_SECOND) {
      leave(`it sent more than ${MOST_A_SECOND} messages in a second`);
      return false;
    }
    if ("id" in message && message.method !== "ping") {
      refused += 1;
      if (refused === 1) onNote(`asked for ${message.method}, which is refused`);
      if (refused > MOST_REFUSED) {
        leave(`it asked for what is refused more than ${MOST_REFUSED} times`);
        return false;
      }
    }
    return true;
  };

  const guarded: GuardedTransport = {
    start: async () => {
      Object.assign(inner, {
        onmessage: (message, extra) => {
          if (admit(message)) guarded.onmessage?.(message, extra);
        },
        onerror: (error) => guarded.onerror?.(error),
        onclose: () => guarded.onclose?.(),
      } satisfies Partial<Transport>);
      await inner.start();
    },
    send: async (message: JSONRPCMessage, options?: TransportSendOptions) => {
      if ("method" in message && "id" in message) asked.add(message.id);
      await inner.send(message, options);
    },
    close: () => inner.close(),
    breach: () => breach,
    get sessionId() {
      return inner.sessionId;
    },
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    setSupportedProtocolVersions: (versions) => inner.setSupportedProtocolVersions?.(versions),
    ...(inner.hasPerRequestStream === undefined ? {} : { hasPerRequestStream: inner.hasPerRequestStream }),
  };
  return guarded;
};

/** Without recursion, which such a message is made to exhaust. */
const isDeeper = (message: unknown, most: number): boolean => {
  let level: unknown[] = [message];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > most) return true;
    level = level.flatMap((value) => (value !== null && typeof value === "object" ? Object.values(value) : []));
  }
  return false;
};
