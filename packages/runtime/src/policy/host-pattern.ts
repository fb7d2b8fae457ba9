/**
 * Whether a host is one of a grant. `example.com` names the host and every host below it, `*.example.com` only those below, an address only
 * itself, `*` every host; with `:8080` a pattern holds for that port alone.
 */

/** Four numbers, or what has more than one colon: no name of a host looks like either. */
const isAddress = (host: string): boolean => /^\d{1,3}(?:\.\d{1,3}){3}$/.test(host) || isAddress6(host);

const isAddress6 = (host: string): boolean => {
  const last = host.lastIndexOf(":");
  const before = host.slice(0, Math.max(0, last));
  return before.includes(":") && /^[\da-f:.]*$/i.test(before) && /^[\da-f.%]*$/i.test(host.slice(last + 1));
};

export const reachesHost = (pattern: string, host: string): boolean => {
  if (pattern === "*") return true;
  const wanted = toParts(pattern.startsWith("*.") ? pattern.slice(2) : pattern);
  const given = toParts(host);
  if (wanted.port !== undefined && wanted.port !== given.port) return false;
  if (given.name === wanted.name) return !pattern.startsWith("*.");
  return !isAddress(wanted.name) && wanted.name !== "" && given.name.endsWith(`.${wanted.name}`);
};

/** In lower case, without brackets and without the dot of the root. */
const toParts = (host: string): { readonly name: string; readonly port: string | undefined } => {
  const bare = isAddress6(host) ? `[${host}]` : host.toLowerCase();
  const [, name = bare, port] = /^(.*?)(?::(\d{1,5}))?$/s.exec(bare) ?? [];
  return { name: name.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, ""), port };
};
