/**
 * Whether a host is one of a grant. `example.com` names the host and every host below it, `*.example.com` only those below, an address only
 * itself, `*` every host; with `:8080` a pattern holds for that port alone.
 */
import { isIP } from "node:net";

export const reachesHost = (pattern: string, host: string): boolean => {
  if (pattern === "*") return true;
  const wanted = toParts(pattern.startsWith("*.") ? pattern.slice(2) : pattern);
  const given = toParts(host);
  if (wanted.port !== undefined && wanted.port !== given.port) return false;
  if (given.name === wanted.name) return !pattern.startsWith("*.");
  return isIP(wanted.name) === 0 && wanted.name !== "" && given.name.endsWith(`.${wanted.name}`);
};

/** In lower case, without brackets and without the dot of the root. */
const toParts = (host: string): { readonly name: string; readonly port: string | undefined } => {
  const bare = isIP(host) === 6 ? `[${host}]` : host.toLowerCase();
  const [, name = bare, port] = /^(.*?)(?::(\d{1,5}))?$/s.exec(bare) ?? [];
  return { name: name.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, ""), port };
};
