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

/** False for what is not an IP address. */
export const isPublicAddress = (address: string): boolean => {
  const canonical = toCanonicalAddress(address);
  // A zone only means something on this machine.
  if (canonical === undefined || address.includes("%")) return false;
  if (isIP(canonical) === 4) return !privateIpv4.check(canonical, "ipv4");
  if (!globalIpv6.check(canonical, "ipv6") || privateIpv6.check(canonical, "ipv6")) return false;
  // ISATAP ends with the IPv4 address of the host behind it.
  const groups = toGroups(canonical) ?? [];
  const isIsatap = (groups[4] === 0 || groups[4] === 0x200) && groups[5] === 0x5efe;
  return !isIsatap || isPublicAddress(toIpv4(groups[6] ?? 0, groups[7] ?? 0));
};

/**
 * One spelling for each address: an IPv4 address inside IPv6 (mapped, or behind the well-known prefix of NAT64) becomes IPv4, IPv6 is compressed.
 * A zone is left out. Undefined for what is not an IP address.
 */
export const toCanonicalAddress = (address: string): string | undefined => {
  const bare = address.replace(/%.*$/s, "");
  switch (isIP(bare)) {
    case 4:
      return bare;
    case 6: {
      const groups = toGroups(bare);
      if (groups === undefined) return undefined;
      const holdsIpv4 = startsWith(groups, [0, 0, 0, 0, 0, 0xffff]) || startsWith(groups, [0x64, 0xff9b, 0, 0, 0, 0]);
      return holdsIpv4 ? toIpv4(groups[6] ?? 0, groups[7] ?? 0) : new URL(`http://[${bare}]/`).hostname.slice(1, -1);
    }
    default:
      return undefined;
  }
};

/** The eight groups of an IPv6 address. */
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
