/**
 * Calls of the server, one function a route, with the types of the route's schemas. In a page that the server serves nothing has to be said; elsewhere
 * the address and the token. It brings nothing but `fetch` and `WebSocket` of the language's own world.
 */
import type { ErrorValue, RouteName } from "@retinue/protocol";
import { ROUTE_PLACES } from "@retinue/protocol";
import type { RouteInput, RouteOutput } from "@retinue/protocol/routes";
import { ApiError } from "./api-error.ts";
import type { AllFeed, AllFeedOptions } from "./follow-all.ts";
import { followAll } from "./follow-all.ts";
import type { SessionFeed, SessionFeedOptions } from "./follow-session.ts";
import { followSession } from "./follow-session.ts";
import type { FeedSockets, ReconnectWaits, SocketLike } from "./reconnecting-socket.ts";
import { RECONNECT_WAITS } from "./reconnecting-socket.ts";
import type { SessionId } from "@retinue/protocol";

/** What a call is given: the parts that its route has, without those that may be left out. */
type Given<Name extends RouteName> = {
  readonly [Part in keyof RouteInput<Name> as RouteInput<Name>[Part] extends undefined ? never : Part]: RouteInput<Name>[Part];
};

type Arguments<Name extends RouteName> = keyof Given<Name> extends never
  ? readonly [options?: CallOptions]
  : object extends Given<Name>[keyof Given<Name>]
    ? keyof Given<Name> extends "query"
      ? readonly [input?: Given<Name>, options?: CallOptions]
      : readonly [input: Given<Name>, options?: CallOptions]
    : readonly [input: Given<Name>, options?: CallOptions];

export type CallOptions = { readonly signal?: AbortSignal };

/** Routes whose answer is JSON. */
export type ClientCall = Exclude<RouteName, "getArtifact" | "streamSession">;

export type Call<Name extends RouteName> = (...given: Arguments<Name>) => Promise<RouteOutput<Name>>;

export type Client = { readonly [Name in ClientCall]: Call<Name> } & {
  /** Where an artifact is fetched from; a page of the server may show a picture from there. */
  readonly artifactUrl: (sessionId: SessionId, artifactId: string) => string;
  readonly readArtifact: (sessionId: SessionId, artifactId: string, options?: CallOptions) => Promise<Blob>;
  /** A session as it happens, folded into a view, over as many connections as it takes. */
  readonly followSession: (sessionId: SessionId, options?: SessionFeedOptions) => SessionFeed;
  /** The list of sessions and the questions that wait, as they change. */
  readonly followAll: (options: AllFeedOptions) => AllFeed;
};

export type ClientOptions = {
  /** The page's own origin by default. */
  readonly url?: string;
  /** Where there is no cookie. */
  readonly token?: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly WebSocket?: new (url: string, protocols?: string[]) => SocketLike;
  /** Between attempts of a feed that lost its connection. */
  readonly waits?: Partial<ReconnectWaits>;
};

type AnyInput = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
};

export const createClient = (options: ClientOptions = {}): Client => {
  const base = (options.url ?? pageOrigin()).replace(/\/+$/, "");
  const send = options.fetch ?? ((...given: Parameters<typeof fetch>) => fetch(...given));
  const headers = options.token === undefined ? {} : { Authorization: `Bearer ${options.token}` };

  const ask = async (name: RouteName, input: AnyInput, { signal }: CallOptions): Promise<Response> => {
    const [method, place] = ROUTE_PLACES[name];
    let response: Response;
    try {
      response = await send(`${base}${fillPath(place, input.params)}${toQuery(input.query)}`, {
        method,
        headers: input.body === undefined ? headers : { ...headers, "Content-Type": "application/json" },
        ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
        ...(signal === undefined ? {} : { signal }),
        credentials: "same-origin",
      });
    } catch (thrown) {
      if (signal?.aborted === true) throw thrown;
      throw new ApiError({ code: "unreachable", message: "The server did not answer.", hint: "Check that it runs." }, 0);
    }
    if (!response.ok) throw await toApiError(response);
    return response;
  };

  const calls = Object.fromEntries(
    (Object.keys(ROUTE_PLACES) as RouteName[]).map((name) => [
      name,
      async (...given: readonly [AnyInput?, CallOptions?]) => {
        const [input, how] = isOptions(given[0]) ? [{}, given[0]] : [given[0] ?? {}, given[1]];
        return (await ask(name, withBody(name, input), how ?? {})).json();
      },
    ]),
  ) as unknown as { readonly [Name in ClientCall]: Call<Name> };

  const sockets: FeedSockets = {
    waits: { ...RECONNECT_WAITS, ...options.waits },
    open: (path) => {
      const Socket: NonNullable<ClientOptions["WebSocket"]> = options.WebSocket ?? WebSocket;
      const protocols = ["retinue.v1", ...(options.token === undefined ? [] : [`retinue.token.${options.token}`])];
      return new Socket(`${base.replace(/^http/, "ws")}${path}`, protocols);
    },
  };
  return {
    ...calls,
    artifactUrl: (sessionId, artifactId) => `${base}${artifactPath(sessionId, artifactId)}`,
    readArtifact: async (sessionId, artifactId, how = {}) =>
      (await ask("getArtifact", { params: { sessionId, artifactId } }, how)).blob(),
    followSession: (sessionId, how) => followSession(sockets, sessionId, how),
    followAll: (how) => followAll(sockets, how),
  };
};

const artifactPath = (sessionId: string, artifactId: string): string =>
  fillPath(ROUTE_PLACES.getArtifact[1], { sessionId, artifactId });

/** Routes that take a body get one. */
const withBody = (name: RouteName, input: AnyInput): AnyInput =>
  input.body === undefined && ROUTE_PLACES[name][0] !== "GET" && ROUTE_PLACES[name][0] !== "DELETE"
    ? { ...input, body: {} }
    : input;

const isOptions = (given: AnyInput | CallOptions | undefined): given is CallOptions => given !== undefined && "signal" in given;

const fillPath = (place: string, params: Readonly<Record<string, string>> = {}): string =>
  place.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));

const toQuery = (query: AnyInput["query"] = {}): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
};

const toApiError = async (response: Response): Promise<ApiError> => {
  const told = (await response.json().catch(() => undefined)) as { readonly error?: ErrorValue } | undefined;
  return new ApiError(told?.error ?? { code: "internal", message: `The server answered ${response.status}.` }, response.status);
};

const pageOrigin = (): string => {
  const origin = (globalThis as { readonly location?: { readonly origin?: string } }).location?.origin;
  if (origin === undefined) throw new TypeError("createClient needs the url of the server outside of a page that it serves.");
  return origin;
};
