/**
 * The proxy that the environment names for an address: `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, in small letters too. A server on this machine is asked
 * without one, since no proxy can reach it.
 */

type Env = Readonly<Record<string, string | undefined>>;

export const proxyOf = (address: string, env: Env): string | undefined => {
  const { protocol, hostname, port } = new URL(address);
  if (isLoopback(hostname) || isExempt(hostname, port, valueOf(env, "no_proxy") ?? "")) return undefined;
  return valueOf(env, protocol === "https:" ? "https_proxy" : "http_proxy");
};

const valueOf = (env: Env, name: string): string | undefined => env[name] || env[name.toUpperCase()] || undefined;

const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname);

/** Names stand for themselves and what is below them, with a port for that port only; `*` stands for all. */
const isExempt = (hostname: string, port: string, list: string): boolean =>
  list
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      if (entry === "*") return true;
      const [, host = "", only] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      return (only === undefined || only === port) && (hostname === host || hostname.endsWith(`.${host}`));
    });
