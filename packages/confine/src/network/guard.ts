/**
 * Decides whether an address may be dialled. What passes is a URL together with the IP addresses that were checked; whoever dials
 * dials one of these and nothing else, so that a name cannot mean one thing when it is judged and another when it is used.
 */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { RetinueError } from "@retinue/protocol";
import { isPublicAddress } from "./address.ts";
import { isBlockedPort } from "./blocked-ports.ts";
import { createHostList, toHost, toPort } from "./host-list.ts";
import { isOwnAddress } from "./own-address.ts";

/** All addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export type GuardOptions = {
  /** Hosts that may be private: of the company, or on this machine. */
  readonly allowHosts?: readonly string[];
  /** Hosts that are never dialled, allowed or not. */
  readonly denyHosts?: readonly string[];
  /** Whether an interface of this machine has an address; the machine is asked by default. */
  readonly isOwnAddress?: (address: string) => boolean;
  /** The system's resolver by default. */
  readonly resolve?: Resolve;
};

export type Target = {
  readonly url: URL;
  /** The only addresses that may be dialled for it. */
  readonly addresses: readonly string[];
};

export type Guard = {
  /** Judges what the text alone tells; throws `act_denied`. A relative address is taken from `base`. */
  readonly judge: (address: string, base?: URL) => URL;
  /** Asks for the addresses of a judged URL, once, and leaves those that may be dialled; throws `act_denied` where there is none. */
  readonly resolve: (url: URL) => Promise<Target>;
};

const MAX_URL_CHARS = 8192;

/** Names that never lead to the public internet. */
const PRIVATE_NAMES = ["localhost", "local", "localdomain", "internal", "intranet", "lan", "home.arpa", "onion"];

let isNamedPrivate: ((url: URL) => boolean) | undefined;

export const createGuard = ({
  allowHosts = [],
  denyHosts = [],
  isOwnAddress: isOwn = isOwnAddress,
  resolve = resolveBySystem,
}: GuardOptions = {}): Guard => {
  const isOpen = (address: string): boolean => isPublicAddress(address) && !isOwn(address);
  const isAllowed = createHostList(allowHosts);
  const isDenied = createHostList(denyHosts);
  return {
    judge: (address, base) => {
      const url = parse(address, base);
      const host = toHost(url);
      if (isDenied(url)) throw refuse(`The settings deny ${host}.`, "Do without it.");
      if (isAllowed(url)) return url;
      if (isBlockedPort(toPort(url))) throw refuse(`Port ${toPort(url)} is not for the web.`, "Use another address.");
      if (isIP(host) === 0 ? isPrivateName(url) : !isOpen(host)) throw refuseAsPrivate(host, `${host} is`);
      return url;
    },
    resolve: async (url) => {
      const host = toHost(url);
      if (isIP(host) !== 0) return { url, addresses: [host] };
      const answers = await resolve(host);
      const addresses = isAllowed(url) ? answers.filter((answer) => isIP(answer) !== 0) : answers.filter(isOpen);
      if (answers.length === 0) throw new RetinueError("tool_failed", `Unknown host ${host}.`, { hint: "Check the address." });
      if (addresses.length === 0) throw refuseAsPrivate(host, `${host} leads to`);
      return { url, addresses };
    },
  };
};

const parse = (address: string, base: URL | undefined): URL => {
  if (address.length > MAX_URL_CHARS)
    throw refuse(`The address is longer than ${MAX_URL_CHARS} characters.`, "Use a shorter one.");
  // The parser would drop line breaks and tabs, so that what is read by a human is not what is fetched.
  if (/[\p{Cc}\p{Cf}]/u.test(address)) throw refuse("The address holds invisible characters.", "Write it without them.");
  const url = URL.parse(address, base?.href);
  if (url === null) throw refuse(`"${address}" is no address.`, "Give a whole one, such as https://example.com/page.");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw refuse(`"${url.protocol}" addresses are not fetched.`, "Only http and https are.");
  if (url.username !== "" || url.password !== "")
    throw refuse("The address holds a user name or password.", "Write it without them.");
  if (toHost(url) === "") throw refuse(`"${address}" names no host.`, "Give a whole address.");
  return url;
};

/** A name without a dot is completed by the search list of this machine's own network. */
const isPrivateName = (url: URL): boolean =>
  (isNamedPrivate ??= createHostList(PRIVATE_NAMES))(url) || !toHost(url).includes(".");

const resolveBySystem: Resolve = async (host) => {
  try {
    return (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && (thrown.code === "ENOTFOUND" || thrown.code === "ENODATA")) return [];
    throw new RetinueError("tool_failed", `DNS lookup failed for ${host}.`, {
      hint: "The network or its name server may be down; try later.",
      cause: thrown,
    });
  }
};

const refuse = (message: string, hint: string): RetinueError => new RetinueError("act_denied", message, { hint });

const refuseAsPrivate = (host: string, subject: string): RetinueError =>
  refuse(
    `${subject} an address of this machine or of a private network, which is not fetched.`,
    `Use a public address. If it is meant to be reached, the user can name it in web.allowHosts: [${JSON.stringify(host)}].`,
  );
