/** Addresses of the machine itself: its loopback, its links and its interfaces. What listens there answers to the user, not to an agent. */
import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";

const near = new BlockList();
near.addSubnet("0.0.0.0", 8, "ipv4");
near.addSubnet("127.0.0.0", 8, "ipv4");
near.addSubnet("169.254.0.0", 16, "ipv4");
near.addAddress("::", "ipv6");
near.addAddress("::1", "ipv6");
near.addSubnet("fe80::", 10, "ipv6");

/** Loopback, link-local and metadata addresses, also where an IPv4 address is written as IPv6. */
export const isNearAddress = (address: string): boolean => near.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

/** Whether an interface of this machine has the address now. */
export const isInterfaceAddress = (address: string): boolean =>
  Object.values(networkInterfaces()).some((addresses) => addresses?.some((own) => own.address === address));
