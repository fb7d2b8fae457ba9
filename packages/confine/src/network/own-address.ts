/** Addresses of the machine itself: its loopback, its links and its interfaces. What listens there answers to the user, not to an agent. */
import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { toCanonicalAddress } from "./address.ts";

const near = new BlockList();
near.addSubnet("0.0.0.0", 8, "ipv4");
near.addSubnet("127.0.0.0", 8, "ipv4");
near.addSubnet("169.254.0.0", 16, "ipv4");
near.addAddress("::", "ipv6");
near.addAddress("::1", "ipv6");
near.addSubnet("fe80::", 10, "ipv6");

/** Loopback, link-local and metadata addresses, in every spelling. What is not an address counts as near. */
export const isNearAddress = (address: string): boolean => {
  const canonical = toCanonicalAddress(address);
  return canonical === undefined || near.check(canonical, isIP(canonical) === 6 ? "ipv6" : "ipv4");
};

/** Whether an interface of this machine has the address now, in whatever spelling either is told. */
export const isOwnAddress = (address: string, readInterfaces: () => readonly string[] = readSystemInterfaces): boolean => {
  const canonical = toCanonicalAddress(address);
  return canonical === undefined || readInterfaces().some((own) => toCanonicalAddress(own) === canonical);
};

const readSystemInterfaces = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));
