/**
 * A list of hosts from the settings. `example.com` names the host and every host below it, `*.example.com` only those below, an IP
 * address only itself; with `:8080` an entry holds for that port alone.
 */
import { isIP } from "node:net";
import { RetinueError } from "@retinue/protocol";

type HostEntry = { readonly host: string; readonly below: boolean; readonly itself: boolean; readonly port: string | undefined };

export const createHostList = (entries: readonly string[]): ((url: URL) => boolean) => {
  const list = entries.map(toEntry);
  return (url) => {
    const host = toHost(url);
    return list.some(
      (entry) =>
        (entry.port === undefined || entry.port === toPort(url)) &&
        ((entry.itself && host === entry.host) || (entry.below && host.endsWith(`.${entry.host}`))),
    );
  };
};

/** The host as it is compared: lower case, in its shortest form, without brackets and without the dot of the root. */
export const toHost = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");

export const toPort = (url: URL): string => url.port || (url.protocol === "https:" ? "443" : "80");

const toEntry = (entry: string): HostEntry => {
  const below = entry.startsWith("*.");
  const named = below ? entry.slice(2) : entry;
  const bracketed = isIP(named) === 6 ? `[${named}]` : named;
  // The port is taken from the text: a URL drops the one that is usual for its scheme.
  const port = /:(\d{1,5})$/.exec(bracketed)?.[1];
  if (!/^[\p{L}\p{N}._:[\]-]+$/u.test(bracketed) || !URL.canParse(`http://${bracketed}/`))
    throw new RetinueError("settings_invalid", `"${entry}" is no host.`, {
      hint: 'Hosts are written like "example.com", "*.example.com", "10.0.0.7" or "localhost:8080".',
    });
  const host = toHost(new URL(`http://${bracketed}/`));
  const isName = isIP(host) === 0;
  return { host, below: isName, itself: !below, port };
};
