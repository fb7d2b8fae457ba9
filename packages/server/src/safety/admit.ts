/**
 * Whether a request or a handshake is let in: by its `Host`, its `Origin`, what the browser says of where it comes from, and its key. One function,
 * for every route and every socket.
 */
import type { ErrorCode } from "@retinue/protocol";
import { RetinueError } from "@retinue/protocol";
import type { Addresses } from "./addresses.ts";
import type { Keys } from "./keys.ts";
import type { Throttle } from "./throttle.ts";

export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly header: (name: string) => string | undefined;
  readonly isSocket?: boolean;
  /** The address that it was sent from. */
  readonly sender?: string | undefined;
};

export type Guard = {
  /** Throws where it comes under a wrong name or from another page. */
  readonly checkOrigin: (asked: Asked) => void;
  /** How it is known; throws `request_unauthorized` or `request_throttled`. */
  readonly authenticate: (asked: Asked) => "token" | "cookie";
  readonly isKnown: (asked: Asked) => boolean;
  /** The cookie that it brings, right or wrong. */
  readonly cookieOf: (asked: Asked) => string | undefined;
};

/** A socket of a page carries no header of its own: its token stands among the protocols that it offers. */
export const TOKEN_PROTOCOL = "retinue.token.";
export const FEED_PROTOCOL = "retinue.v1";

export type GuardOptions = {
  readonly addresses: Addresses;
  readonly keys: Keys;
  readonly throttle: Throttle;
  readonly cookieName: string;
};

const refuse = (code: ErrorCode, message: string): never => {
  throw new RetinueError(code, message);
};

const isSafe = (method: string): boolean => method === "GET" || method === "HEAD";

const tokenOf = ({ header, isSocket = false }: Asked): string | undefined => {
  const bearer = /^Bearer ([^\s]+)$/.exec(header("authorization") ?? "")?.[1];
  if (bearer !== undefined || !isSocket) return bearer;
  const offered = (header("sec-websocket-protocol") ?? "").split(",").map((name) => name.trim());
  return offered.find((name) => name.startsWith(TOKEN_PROTOCOL))?.slice(TOKEN_PROTOCOL.length);
};

export const createGuard = ({ addresses, keys, throttle, cookieName }: GuardOptions): Guard => {
  const cookieOf = ({ header }: Asked): string | undefined =>
    (header("cookie") ?? "")
      .split(";")
      .map((pair) => pair.trim())
      .find((pair) => pair.startsWith(`${cookieName}=`))
      ?.slice(cookieName.length + 1);
  const known = (asked: Asked): "token" | "cookie" | undefined => {
    const token = tokenOf(asked);
    if (token !== undefined) return keys.isToken(token) ? "token" : undefined;
    const cookie = cookieOf(asked);
    return cookie !== undefined && keys.isCookie(cookie) ? "cookie" : undefined;
  };

  return {
    checkOrigin: ({ header, path, method }) => {
      if (!addresses.isHost(header("host"))) refuse("request_host", "The server is not called by this name.");
      const origin = header("origin");
      if (origin !== undefined && !addresses.isOrigin(origin)) refuse("request_origin", "The request comes from another page.");
      const site = header("sec-fetch-site");
      const isNavigation = isSafe(method) && !path.startsWith("/api/");
      if (site !== undefined && site !== "same-origin" && site !== "none" && !isNavigation)
        refuse("request_origin", "The request comes from another page.");
    },
    cookieOf,
    isKnown: (asked) => known(asked) !== undefined,
    authenticate: (asked) => {
      const how = known(asked);
      if (how === undefined) {
        if (tokenOf(asked) !== undefined || cookieOf(asked) !== undefined) throttle.failed(asked.sender);
        if (throttle.isClosed(asked.sender)) refuse("request_throttled", "There were too many wrong keys within a minute.");
        return refuse("request_unauthorized", "The request has no valid key.");
      }
      // A cookie is sent by the browser whoever asks: only the page itself names its origin.
      if (how === "cookie" && asked.header("origin") === undefined && (asked.isSocket === true || !isSafe(asked.method)))
        refuse("request_origin", "The request does not say which page it comes from.");
      return how;
    },
  };
};
