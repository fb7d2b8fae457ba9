/** Where requests of one model go and how its server is called in messages. The key is only in here and in the headers. */
import { RetinueError } from "@retinue/protocol";
import type { Way } from "./connections.ts";
import { createRedactor } from "./redact.ts";

export type Endpoint = {
  readonly provider: string;
  /** As messages name it: never with user, password or query. */
  readonly host: string;
  readonly origin: string;
  readonly path: string;
  /** Names and values in turn, as undici takes them. */
  readonly headers: string[];
  readonly redact: (text: string) => string;
  readonly way?: Way;
};

/** How a server is reached besides its address: what is added to every URL, and a proxy or certificates on the way. */
export type Reach = { readonly query?: Readonly<Record<string, string>>; readonly way?: Way };

export type EndpointOptions = {
  readonly provider: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly reach?: Reach | undefined;
};

const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;

// What undici would refuse at every request is refused here once.
const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

export const createEndpoint = (options: EndpointOptions): Endpoint => {
  const url = URL.parse(options.url);
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw new RetinueError("settings_invalid", `The baseUrl of provider ${options.provider} is no http or https URL.`, {
      hint: `Set providers.${options.provider}.baseUrl to something like http://127.0.0.1:11434/v1.`,
    });
  const { query = {}, way } = options.reach ?? {};
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const headers: string[] = ["content-type", "application/json", "accept", "text/event-stream"];
  const secrets: string[] = [decodeURIComponent(url.password), url.search.slice(1), ...secretsOfWay(way)];
  if (url.username !== "" && !Object.keys(options.headers).some((name) => name.toLowerCase() === "authorization")) {
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.push("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
  }
  for (const [name, raw] of Object.entries(options.headers)) {
    const value = raw.trim();
    if (!HEADER_VALUE.test(value))
      throw new RetinueError(
        "settings_invalid",
        `The ${name} header of provider ${options.provider} holds a line break or another character that no header may hold.`,
        {
          hint: "Check the key or the header for stray characters.",
        },
      );
    headers.push(name.toLowerCase(), value);
    if (SECRET_HEADER.test(name)) secrets.push(value, value.replace(/^\w+\s+/, ""));
  }
  return {
    provider: options.provider,
    host: url.host,
    origin: url.origin,
    path: url.pathname + url.search,
    headers,
    redact: createRedactor(secrets),
    ...(way === undefined ? {} : { way }),
  };
};

/** A proxy's address may hold a password. */
const secretsOfWay = (way: Way | undefined): string[] => {
  const url = way?.proxy === undefined ? undefined : URL.parse(way.proxy);
  return url?.password ? [decodeURIComponent(url.password)] : [];
};
