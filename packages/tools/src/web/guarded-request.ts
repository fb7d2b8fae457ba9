/**
 * The only door from the tools to the web: every hop of a request is judged, its name resolved once, and the address that was checked
 * is the one dialled. No proxy, cookie or credential of the environment takes part.
 */
import type { LookupFunction } from "node:net";
import { isIP } from "node:net";
import type { Readable } from "node:stream";
import { RetinueError } from "@retinue/protocol";
import type { Agent, Dispatcher } from "undici";
import type { Guard, Target } from "@retinue/confine";
import { toHost } from "@retinue/confine";
import { toRequestError } from "./request-error.ts";

export type GuardedRequest = {
  readonly guard: Guard;
  readonly url: string;
  readonly method?: "GET" | "POST";
  /** Sent to the origin that was asked first and to no other. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Redirects to another host are followed, or handed back to be asked for by themselves. */
  readonly otherHosts: "follow" | "hand-back";
  readonly signal: AbortSignal;
  /** Certificates to trust besides those of the system, as PEM. */
  readonly ca?: string;
};

export type GuardedResponse =
  | {
      readonly type: "response";
      /** Where the answer came from in the end. */
      readonly url: URL;
      readonly status: number;
      readonly headers: ReadonlyMap<string, string>;
      /** As it came, still encoded. */
      readonly body: Readable;
      /** Ends the connection. Must be called. */
      readonly close: () => Promise<void>;
    }
  | { readonly type: "redirect"; readonly from: URL; readonly to: URL };

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Said about ourselves to every host. */
const USER_AGENT = "Retinue/0.1 (agent runtime)";

type Hop = { readonly url: URL; readonly method: "GET" | "POST"; readonly body: string | undefined };

export const requestGuarded = async (request: GuardedRequest): Promise<GuardedResponse> => {
  const first = request.guard.judge(request.url);
  let hop: Hop = { url: first, method: request.method ?? "GET", body: request.body };
  for (let redirects = 0; ; redirects += 1) {
    request.signal.throwIfAborted();
    const target = await untilAborted(request.guard.resolve(hop.url), request.signal);
    const headers = hop.url.origin === first.origin ? { ...request.headers } : {};
    const { response, close } = await dial({ request, hop, target, headers });
    const location = REDIRECTS.has(response.statusCode) ? toHeaders(response.headers).get("location") : undefined;
    if (location === undefined)
      return {
        type: "response",
        url: hop.url,
        status: response.statusCode,
        headers: toHeaders(response.headers),
        body: response.body,
        close,
      };
    await close();
    const to = judgeRedirect(request.guard, hop.url, location);
    if (redirects >= MAX_REDIRECTS)
      throw new RetinueError("act_denied", `${first.href} redirects more than ${MAX_REDIRECTS} times.`, {
        hint: "Use the address of the page itself.",
      });
    if (request.otherHosts === "hand-back" && !isSameHost(hop.url, to)) return { type: "redirect", from: hop.url, to };
    hop = toNextHop(hop, response.statusCode, to);
  }
};

const judgeRedirect = (guard: Guard, from: URL, location: string): URL => {
  const to = guard.judge(location, from);
  if (from.protocol === "https:" && to.protocol === "http:")
    throw new RetinueError("act_denied", `${from.href} redirects from https to the unprotected ${to.href}.`, {
      hint: "Ask for that address by itself if it is meant.",
    });
  return to;
};

/** The same host, or its `www.`: whoever allows a host allows those below it. */
const isSameHost = (from: URL, to: URL): boolean => {
  const host = toHost(from);
  return toHost(to) === host || toHost(to) === `www.${host}`;
};

/** As browsers do: only 307 and 308 repeat a method with its body, and a body never goes to another origin. */
const toNextHop = (hop: Hop, status: number, to: URL): Hop => {
  const repeats = (status === 307 || status === 308) && to.origin === hop.url.origin;
  return repeats ? { ...hop, url: to } : { url: to, method: "GET", body: undefined };
};

type Dial = {
  readonly request: GuardedRequest;
  readonly hop: Hop;
  readonly target: Target;
  readonly headers: Readonly<Record<string, string>>;
};

type Dialled = { readonly response: Dispatcher.ResponseData; readonly close: () => Promise<void> };

const dial = async ({ request, hop, target, headers }: Dial): Promise<Dialled> => {
  const agent = await createPinnedAgent(target, request.ca);
  const close = (): Promise<void> => agent.destroy();
  try {
    const response = await agent.request({
      origin: hop.url.origin,
      path: hop.url.pathname + hop.url.search,
      method: hop.method,
      headers: { "user-agent": USER_AGENT, ...headers },
      body: hop.body ?? null,
      signal: request.signal,
    });
    // Whoever reads the body sees its errors; a connection that was given up has no reader.
    response.body.on("error", () => undefined);
    return { response, close };
  } catch (thrown) {
    await close();
    throw toRequestError(thrown, { url: hop.url, signal: request.signal });
  }
};

/** An agent that can reach nothing but the addresses of its target. */
const createPinnedAgent = async ({ addresses }: Target, ca: string | undefined): Promise<Agent> => {
  const undici = await import("undici");
  const pinned = addresses.map((address) => ({ address, family: isIP(address) }));
  // Not called for a host that is an IP address itself: those were judged as they stand.
  const lookup: LookupFunction = (_host, options, callback) => {
    const [first] = pinned;
    if (options.all === true) callback(null, [...pinned]);
    else if (first === undefined) callback(new Error("There is no address to dial."), "");
    else callback(null, first.address, first.family);
  };
  return new undici.Agent({
    allowH2: false,
    connections: 1,
    pipelining: 1,
    connect: { lookup, ...(ca === undefined ? {} : { ca }) },
  });
};

/** Several values of one header become one, as the protocol says. */
const toHeaders = (headers: Dispatcher.ResponseData["headers"]): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(", ") : value] as const],
    ),
  );

/** Name servers cannot be told to stop; they are left behind. */
const untilAborted = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
};
