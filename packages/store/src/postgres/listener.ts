/**
 * A connection that hears what is announced on a channel, for as long as the store is open. One that was lost, or does not answer
 * any more, is replaced: at once, then in pauses, for as long as it takes. Each new one may have missed something, and says so.
 */
import type { ClientConfig } from "pg";
import { Client } from "pg";
import { destroySocket } from "./destroy-socket.ts";

export type Listener = {
  /** Resolves when the first connection listens, rejects when it cannot be made. */
  readonly started: Promise<void>;
  readonly stop: () => void;
};

export type ListenerOptions = {
  /** With the time limits of connecting and asking. */
  readonly config: ClientConfig;
  readonly channel: string;
  readonly heard: (payload: string) => void;
  readonly missed: () => void;
  /** How often the connection is asked whether it is still there. */
  readonly pingEveryMs: number;
};

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2000;

export const startListener = (options: ListenerOptions): Listener => {
  const { channel, heard, missed } = options;
  let isStopped = false;
  let current: Connection | undefined;

  /** Keeps one connection after the other alive until it is stopped; gives up with the first only. */
  const keep = async (started: () => void): Promise<void> => {
    let pauseMs = FIRST_PAUSE_MS;
    for (let count = 0; ; count += 1) {
      const connection = connect(options);
      current = connection;
      try {
        await connection.listen(channel, heard);
        pauseMs = FIRST_PAUSE_MS;
        if (count === 0) started();
        else missed();
        await connection.ended;
      } catch (error) {
        if (count === 0) throw error;
      } finally {
        connection.destroy();
      }
      if (isStopped) return;
      await pause(pauseMs);
      if (isStopped) return;
      pauseMs = Math.min(MAX_PAUSE_MS, 2 * pauseMs);
    }
  };

  return {
    started: new Promise((resolve, reject) => {
      keep(resolve).then(resolve, reject);
    }),
    stop: () => {
      isStopped = true;
      current?.destroy();
    },
  };
};

type Connection = {
  readonly listen: (channel: string, heard: (payload: string) => void) => Promise<void>;
  /** Resolves when it is lost or does not answer. */
  readonly ended: Promise<void>;
  readonly destroy: () => void;
};

const connect = ({ config, pingEveryMs }: ListenerOptions): Connection => {
  const client = new Client(config);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  client.on("error", () => end());
  client.on("end", () => end());
  let ping: NodeJS.Timeout | undefined;
  return {
    listen: async (channel, heard) => {
      client.on("notification", ({ payload }) => heard(payload ?? ""));
      await client.connect();
      await client.query(`LISTEN ${channel}`);
      ping = setInterval(() => {
        client.query("SELECT 1").catch(() => end());
      }, pingEveryMs).unref();
    },
    ended,
    destroy: () => {
      clearInterval(ping);
      end();
      destroySocket(client);
    },
  };
};

const pause = async (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
