/**
 * Which IP addresses lie on the public internet. Everything else (this machine, its networks, the metadata services of clouds, ranges
 * set aside for some other use) is private to us, in whatever form of IPv6 an IPv4 address is hidden.
 */
import { BlockList, isIP } from "node:net";

const PRIVATE_IPV4: readonly (readonly [network: string, prefix: number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** What inside the global unicast range is not for the public: protocol assignments with Teredo, 6to4 and the documentation ranges. */
const PRIVATE_IPV6: readonly (readonly [network: string, prefix: number])[] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const toBlockList = (ranges: typeof PRIVATE_IPV4, family: "ipv4" | "ipv6"): BlockList => {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family);
  return list;
};

const privateIpv4 = toBlockList(PRIVATE_IPV4, "ipv4");
const privateIpv6 = toBlockList(PRIVATE_IPV6, "ipv6");
const globalIpv6 = toBlockList([["2000::", 3]], "ipv6");

/** False for what is no IP address. */
export const isPublicAddress = (address: string): boolean => {
  switch (isIP(address)) {
    case 4:
      return !privateIpv4.check(address, "ipv4");
    case 6:
      return isPublicIpv6(address);
    default:
      return false;
  }
};

const isPublicIpv6 = (address: string): boolean => {
  const groups = toGroups(address);
  if (groups === undefined) return false;
  const last = toIpv4(groups[6] ?? 0, groups[7] ?? 0);
  // An IPv4 address in other clothes is judged as what it is: mapped, and behind the well-known prefix of NAT64.
  if (startsWith(groups, [0, 0, 0, 0, 0, 0xffff]) || startsWith(groups, [0x64, 0xff9b, 0, 0, 0, 0])) return isPublicAddress(last);
  if (!globalIpv6.check(address, "ipv6") || privateIpv6.check(address, "ipv6")) return false;
  // ISATAP ends with the IPv4 address of the host behind it.
  const isIsatap = (groups[4] === 0 || groups[4] === 0x200) && groups[5] === 0x5efe;
  return !isIsatap || isPublicAddress(last);
};

/** The eight groups of an IPv6 address; undefined for one with a zone, which only means something on this machine. */
const toGroups = (address: string): readonly number[] | undefined => {
  if (!URL.canParse(`http://[${address}]/`)) return undefined;
  const [head = "", tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::");
  const before = toNumbers(head);
  const after = toNumbers(tail ?? "");
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
};

const toNumbers = (groups: string): readonly number[] =>
  groups === "" ? [] : groups.split(":").map((group) => Number.parseInt(group, 16));

const toIpv4 = (high: number, low: number): string => [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");

const startsWith = (groups: readonly number[], prefix: readonly number[]): boolean =>
  prefix.every((group, at) => groups[at] === group);
