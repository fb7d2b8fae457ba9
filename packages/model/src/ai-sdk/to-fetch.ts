/** How the AI SDK's providers reach a server: through a proxy, with certificates of one's own, with a query. Nothing where the way is the usual one. */
import { rootCertificates } from "node:tls";
import type { Reach } from "../transport/endpoint.ts";

export const toFetch = async ({ query = {}, way }: Reach = {}): Promise<{ readonly fetch?: typeof fetch }> => {
  if (way === undefined && Object.keys(query).length === 0) return {};
  const { Agent, ProxyAgent, fetch: fetchBy } = await import("undici");
  const tls = way?.ca === undefined ? {} : { ca: [...rootCertificates, way.ca] };
  const dispatcher =
    way?.proxy === undefined ? new Agent({ connect: tls }) : new ProxyAgent({ uri: way.proxy, requestTls: tls, proxyTls: tls });
  const reach = (input: string | URL, init: object): ReturnType<typeof fetchBy> => {
    const url = new URL(input);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return fetchBy(url, { ...init, dispatcher });
  };
  return { fetch: reach as unknown as typeof fetch }; // undici's types differ from Node's in names only.
};
