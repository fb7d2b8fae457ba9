/** The names under which the server may be called, each compared exactly: a page of another origin, or a name that was bent to this address, is refused. */

export type Addresses = {
  /** The value of `Host`. */
  readonly isHost: (host: string | undefined) => boolean;
  /** The value of `Origin`. */
  readonly isOrigin: (origin: string) => boolean;
};

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

export const isLoopback = (host: string): boolean => ["127.0.0.1", "localhost", "::1", "[::1]"].includes(host);

export type AddressOptions = {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  /** Further names, as of a proxy in front: `name` or `name:port`. */
  readonly names?: readonly string[];
};

export const createAddresses = ({ host, port, isSecure, names = [] }: AddressOptions): Addresses => {
  const scheme = isSecure ? "https" : "http";
  const bare = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  const isAny = bare === "0.0.0.0" || bare === "[::]";
  const own = isLoopback(host) || isAny ? LOOPBACK : [bare];
  const hosts = new Set([...own.map((name) => `${name}:${port}`), ...names.map((name) => name.toLowerCase())]);
  const usual = isSecure ? 443 : 80;
  if (port === usual) for (const name of own) hosts.add(name);
  const origins = new Set([...hosts].map((name) => `${scheme}://${name}`));
  return {
    isHost: (given) => given !== undefined && hosts.has(given.toLowerCase()),
    isOrigin: (given) => origins.has(given),
  };
};
