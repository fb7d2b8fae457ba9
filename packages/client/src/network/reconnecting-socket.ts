/** A socket that is opened again after each break, at growing distances, until it is closed. What was missed is for its user to ask for. */

/** What is used of a WebSocket. */
export type SocketLike = {
  readonly send: (text: string) => void;
  readonly close: (code?: number, reason?: string) => void;
  readonly addEventListener: (
    type: "open" | "message" | "close" | "error",
    listener: (event: { readonly data?: unknown; readonly code?: number; readonly reason?: string }) => void,
  ) => void;
};

/** How long is waited before a connection is tried again: at first, and at most. */
export type ReconnectWaits = { readonly firstMs: number; readonly longestMs: number };

/** How feeds come by their connections. */
export type FeedSockets = { readonly open: (path: string) => SocketLike; readonly waits: ReconnectWaits };

/** connecting: there is no connection, and one is tried. open: events arrive. closed: it is over. */
export type FeedState = "connecting" | "open" | "closed";

export type ReconnectOptions = {
  readonly sockets: FeedSockets;
  /** Asked before each attempt, so that it goes on after what is known by then. */
  readonly path: () => string;
  readonly onFrame: (frame: unknown) => void;
  readonly onState: (state: FeedState, why?: { readonly code: number; readonly reason: string }) => void;
};

export type ReconnectingSocket = {
  readonly close: () => void;
  /** Breaks the connection, so that it is made anew from what is known. */
  readonly renew: () => void;
};

export const RECONNECT_WAITS: ReconnectWaits = { firstMs: 250, longestMs: 15_000 };
/** A network that went away says nothing: what does not answer a ping for so long is given up. */
const PING_MS = 20_000;
/** There is no such session, or no way in. */
const FINAL = new Set([4404]);

export const openReconnecting = ({ sockets: { open, waits }, path, onFrame, onState }: ReconnectOptions): ReconnectingSocket => {
  let socket: SocketLike | undefined;
  let failures = 0;
  let isClosed = false;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let pinging: ReturnType<typeof setInterval> | undefined;
  let heard = true;

  const detach = (): void => {
    clearInterval(pinging);
    if (!socket) return;
    const old = socket;
    socket = undefined;
    old.close();
  };
  const again = (): void => {
    detach();
    if (isClosed) return;
    onState("connecting");
    const longest = Math.min(waits.longestMs, waits.firstMs * 2 ** failures);
    failures += 1;
    // Clients of a server that comes back do not all come at once.
    waiting = setTimeout(connect, longest * (0.5 + Math.random() / 2));
  };
  const ping = (): void => {
    if (!heard) return again();
    heard = false;
    socket?.send('{"type":"ping"}');
  };
  const connect = (): void => {
    let next: SocketLike;
    try {
      next = open(path());
    } catch {
      return again();
    }
    socket = next;
    heard = true;
    // What an earlier one still says is not listened to.
    const isCurrent = (): boolean => socket === next;
    next.addEventListener("open", () => {
      if (isCurrent()) pinging = setInterval(ping, PING_MS);
    });
    next.addEventListener("message", ({ data }) => {
      if (!isCurrent() || typeof data !== "string") return;
      heard = true;
      failures = 0;
      onFrame(JSON.parse(data));
    });
    // What failed is closed next.
    next.addEventListener("error", () => undefined);
    next.addEventListener("close", ({ code = 1006, reason = "" }) => {
      if (!isCurrent()) return;
      if (!FINAL.has(code)) return again();
      isClosed = true;
      detach();
      onState("closed", { code, reason });
    });
  };

  onState("connecting");
  connect();
  return {
    renew: () => {
      failures = 0;
      clearTimeout(waiting);
      again();
    },
    close: () => {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(waiting);
      detach();
      onState("closed");
    },
  };
};
