import { networkInterfaces } from "node:os";
import { describe, expect, test } from "vitest";
import { createGuard } from "./guard.ts";
import { createTargetJudge } from "./judge-target.ts";
import { isOwnAddress } from "./own-address.ts";

/** Public addresses, which nobody dials here: an interface of this machine is said to have them. */
const OWN = ["203.0.114.7", "2a00:1450:4001:80f::200e"];
const isOwn = (address: string): boolean => isOwnAddress(address, () => OWN);

/** Spellings of the same two addresses. */
const SPELLINGS = [
  "http://203.0.114.7/",
  "http://[::ffff:203.0.114.7]/",
  "http://[::ffff:cb00:7207]/",
  "http://[0:0:0:0:0:ffff:cb00:7207]/",
  "http://[64:ff9b::203.0.114.7]/",
  "http://3405804039/",
  "http://0xcb007207/",
  "http://0313.0.0162.07/",
  "http://203.0.29191/",
  "http://[2a00:1450:4001:80f::200e]/",
  "http://[2a00:1450:4001:080f:0000:0000:0000:200e]/",
];

describe("N19: this machine by its own public address", () => {
  test.each(SPELLINGS)("N19: %s is not fetched", (address) => {
    const guard = createGuard({ isOwnAddress: isOwn });
    expect(() => guard.judge(address)).toThrow(/this machine/);
    expect(createGuard({ isOwnAddress: () => false }).judge(address).href).toContain("http://");
  });

  test.each(["203.0.114.7", "::ffff:203.0.114.7", "::ffff:cb00:7207", "64:ff9b::cb00:7207", "2a00:1450:4001:80f:0:0:0:200e"])(
    "N19: a name that leads to %s is not fetched",
    async (answer) => {
      const guard = createGuard({ isOwnAddress: isOwn, resolve: async () => [answer] });
      await expect(guard.resolve(guard.judge("http://name.example/"))).rejects.toMatchObject({ code: "act_denied" });
      const others = createGuard({ isOwnAddress: isOwn, resolve: async () => [answer, "9.9.9.9"] });
      expect((await others.resolve(others.judge("http://name.example/"))).addresses).toEqual(["9.9.9.9"]);
    },
  );

  test("N19: the proxy does not dial loopback in any spelling, also where the host is named", async () => {
    for (const answer of ["127.0.0.1", "::ffff:127.0.0.1", "::ffff:7f00:1", "64:ff9b::7f00:1", "::1", "0:0:0:0:0:0:0:1"]) {
      const judge = createTargetJudge({ hosts: [["*"]], allowHosts: ["named.example"], resolve: async () => [answer] });
      await expect(judge(new URL("https://named.example/")), answer).rejects.toMatchObject({ code: "act_denied" });
    }
  });

  test("N19: a host that the user has named may be this machine", () => {
    const guard = createGuard({ isOwnAddress: isOwn, allowHosts: ["203.0.114.7"] });
    expect(guard.judge("http://203.0.114.7/").hostname).toBe("203.0.114.7");
  });

  test("N19: every address of an interface counts, also written as mapped", () => {
    const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    expect(all.length).toBeGreaterThan(0);
    for (const { address, family } of all) {
      expect(isOwnAddress(address), address).toBe(true);
      if (family === "IPv4") expect(isOwnAddress(`::ffff:${address}`), address).toBe(true);
    }
    expect(isOwnAddress("9.9.9.9")).toBe(false);
  });
});
