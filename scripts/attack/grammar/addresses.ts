/** Addresses of this machine and of the metadata service, in every spelling, for fetches and for requests that a command writes to its proxy by hand. */
import { OWN_ADDRESSES } from "../shelter.ts";
import type { Random } from "./pick.ts";
import { pick } from "./pick.ts";
import type { Terrain } from "./terrain.ts";

const [OWN_4, OWN_6] = OWN_ADDRESSES;

const partsOf = (address: string): readonly number[] => address.split(".").map(Number);

const toNumber = (address: string): number => partsOf(address).reduce((sum, part) => sum * 256 + part, 0);

const toHexGroups = (address: string): string => {
  const [a = 0, b = 0, c = 0, d = 0] = partsOf(address);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
};

const SPELLINGS_4: readonly ((address: string) => string)[] = [
  (address) => address,
  (address) => String(toNumber(address)),
  (address) => `0x${toNumber(address).toString(16)}`,
  (address) =>
    partsOf(address)
      .map((part) => `0${part.toString(8)}`)
      .join("."),
  (address) => `[::ffff:${address}]`,
  (address) => `[::ffff:${toHexGroups(address)}]`,
  (address) => `[0:0:0:0:0:ffff:${toHexGroups(address)}]`,
  (address) => `[::${address}]`,
  (address) => `[64:ff9b::${toHexGroups(address)}]`,
  (address) => `[2002:${toHexGroups(address)}::]`,
  (address) => `${address}.`,
  (address) =>
    address
      .split("")
      .map((digit) => (digit === "." ? "。" : String.fromCodePoint(0xff10 + Number(digit))))
      .join(""),
];

const SPELLINGS_6: readonly ((address: string) => string)[] = [
  (address) => `[${address}]`,
  (address) => `[${address.toUpperCase()}]`,
  (address) => `[${address.replace("::", ":0:0:0:")}]`,
];

/** A host of this machine as it may stand in an address. */
export const drawOwnHost = (random: Random): string =>
  random() < 0.25
    ? pick(random, SPELLINGS_6)(pick(random, [OWN_6, "::1"]))
    : random() < 0.1
      ? pick(random, ["localhost", "localhost.", "LOCALHOST", "127.1", "0"])
      : pick(random, SPELLINGS_4)(pick(random, [OWN_4, OWN_4, "127.0.0.1", "127.8.8.8", "0.0.0.0"]));

export const drawOwnUrl = (random: Random, { port }: Terrain): string =>
  `${pick(random, ["http", "http", "HTTP", "https"])}://${pick(random, ["", "", "user@", "user:word@"])}${drawOwnHost(random)}:${port}${pick(random, ["/", "/x?y", ""])}`;

/** The proxy of a sandbox, which is told one host in its first line and others beside it. */
const PROXY = 29128;
/** Judged as public: nothing answers there. */
const PUBLIC = "93.184.216.34";

export const drawProxyRequest = (random: Random, { port }: Terrain): string => {
  const own = `${drawOwnHost(random)}:${port}`;
  const near = pick(random, [`127.0.0.1:${port}`, `localhost:${port}`, `${OWN_4}:${port}`, own]);
  const host = pick(random, [near, near, "example.com", PUBLIC]);
  const target = pick(random, [
    `http://${PUBLIC}:${port}/`,
    `http://${PUBLIC}/`,
    `http://${own}/`,
    `http://${PUBLIC}@${own}/`,
    "/",
    `//${own}/`,
  ]);
  const more = pick(random, ["", `X-Forwarded-Host: ${near}\\r\\n`, `Host: ${near}\\r\\n`, "Proxy-Connection: keep-alive\\r\\n"]);
  const first = random() < 0.3 ? `CONNECT ${pick(random, [own, `${PUBLIC}:${port}`])} HTTP/1.1` : `GET ${target} HTTP/1.1`;
  return `(exec 3<>/dev/tcp/127.0.0.1/${PROXY} && printf '${first}\\r\\nHost: ${host}\\r\\n${more}\\r\\nhello' >&3 && timeout 5 head -c 60 <&3) 2>&1`;
};
