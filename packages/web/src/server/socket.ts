/** A socket of the server that is opened again whenever it is lost, after a pause that grows. */
import { FEED_CLOSE } from "@retinue/protocol";
import type { Connection } from "../session/live-session.ts";

export type SocketOptions<Frame> = {
  /** Asked anew for every connection: it carries the last number that is known. */
  readonly address: () => string;
  readonly onFrame: (frame: Frame) => void;
  readonly onConnection: (connection: Connection) => void;
};

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;

/** Gives the function that closes it. */
export const openSocket = <Frame>({ address, onFrame, onConnection }: SocketOptions<Frame>): (() => void) => {
  let isClosed = false;
  let pauseMs = FIRST_PAUSE_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let socket: WebSocket | undefined;
  const connect = (): void => {
    const opened = new WebSocket(address());
    socket = opened;
    opened.addEventListener("message", ({ data }) => {
      pauseMs = FIRST_PAUSE_MS;
      onConnection("live");
      onFrame(JSON.parse(String(data)) as Frame); // Our own server wrote it.
    });
    opened.addEventListener("close", ({ code }) => {
      if (isClosed) return;
      if (code === FEED_CLOSE.unknown) return onConnection("gone");
      onConnection("lost");
      timer = setTimeout(connect, pauseMs * (0.75 + Math.random() / 2));
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    });
  };
  connect();
  return () => {
    isClosed = true;
    clearTimeout(timer);
    socket?.close();
  };
};

export const socketAddress = (path: string): string =>
  `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;
