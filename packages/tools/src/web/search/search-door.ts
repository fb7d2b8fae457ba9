/**
 * The way to one search engine: requests go to its own host and nowhere else, answers are JSON of bounded size, and failures are told in
 * our own words, so that nothing the engine echoes, a key least of all, gets any further.
 */
import { RetinueError } from "@retinue/protocol";
import { createGuard } from "@retinue/confine";
import type { Resolve } from "@retinue/confine";
import { requestGuarded } from "../guarded-request.ts";
import { toHost, toPort } from "@retinue/confine";
import { ACCEPT_ENCODING, readBody } from "../read-body.ts";
import { toRequestError } from "../request-error.ts";

export type SearchDoorOptions = {
  /** As people call the engine. */
  readonly name: string;
  readonly baseUrl: string;
  /** What the user can do about a refusal, by status. */
  readonly hints: Readonly<Record<number, string>>;
  readonly resolve?: Resolve;
  readonly ca?: string;
};

export type SearchCall = {
  /** Below the base address. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON by POST. */
  readonly body?: unknown;
  readonly signal: AbortSignal;
};

export type SearchDoor = { readonly host: string; readonly ask: (call: SearchCall) => Promise<unknown> };

const MAX_BYTES = 2 * 1024 * 1024;
const TIME_LIMIT_MS = 15_000;

export const createSearchDoor = ({ name, baseUrl, hints, resolve, ca }: SearchDoorOptions): SearchDoor => {
  const base = URL.parse(baseUrl);
  if (base === null || !/^https?:$/.test(base.protocol) || base.username !== "" || base.password !== "")
    throw new RetinueError("settings_invalid", `The address of ${name} must be http or https, without user name and password.`);
  const host = toHost(base);
  // The settings name the host, so that it may be one of this machine or of a private network.
  const guard = createGuard({ allowHosts: [`${base.hostname}:${toPort(base)}`], ...(resolve === undefined ? {} : { resolve }) });
  const fail = (what: string, hint: string): RetinueError => new RetinueError("tool_failed", `${name} ${what}`, { hint });
  return {
    host,
    ask: async ({ path, query = {}, headers = {}, body, signal }) => {
      const url = new URL(path, base.href.endsWith("/") ? base.href : `${base.href}/`);
      for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
      const limit = AbortSignal.timeout(TIME_LIMIT_MS);
      const response = await requestGuarded({
        guard,
        url: url.href,
        method: body === undefined ? "GET" : "POST",
        headers: {
          accept: "application/json",
          "accept-encoding": ACCEPT_ENCODING,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        otherHosts: "hand-back",
        signal: AbortSignal.any([signal, limit]),
        ...(ca === undefined ? {} : { ca }),
      }).catch((thrown: unknown) => {
        if (limit.aborted && !signal.aborted) throw fail("does not answer.", "Try again later, or do without a search.");
        throw thrown;
      });
      if (response.type === "redirect")
        throw fail("redirects to another host.", "The user should check its address in the settings.");
      try {
        if (response.status !== 200)
          throw fail(`answers ${response.status}.`, hints[response.status] ?? "Try again later, or do without a search.");
        const { bytes, cut } = await readBody({
          body: response.body,
          encoding: response.headers.get("content-encoding"),
          maxBytes: MAX_BYTES,
        });
        return cut ? undefined : (JSON.parse(bytes.toString("utf8")) as unknown);
      } catch (thrown) {
        if (thrown instanceof SyntaxError)
          throw fail("answers with something that is no JSON.", hints[0] ?? "The user should check its address in the settings.");
        throw toRequestError(thrown, { url: response.url, signal });
      } finally {
        await response.close();
      }
    },
  };
};
