import { RetinueError } from "@retinue/protocol";
import { describe, expect, it } from "vitest";
import type { GuardOptions } from "./guard.ts";
import { createGuard } from "./guard.ts";

const PUBLIC = "93.184.215.14";

/** A guard over names with fixed answers, and how often it asked for them. */
const createTestGuard = (answers: Readonly<Record<string, readonly string[]>>, options: GuardOptions = {}) => {
  const asked: string[] = [];
  const guard = createGuard({
    ...options,
    resolve: async (host) => {
      asked.push(host);
      return answers[host] ?? [];
    },
  });
  const check = (url: string) => guard.resolve(guard.judge(url));
  return { guard, asked, check };
};

const refusalOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
  } catch (thrown) {
    if (thrown instanceof RetinueError) return thrown.code;
    throw thrown;
  }
  return "passed";
};

describe("guard", () => {
  it("lets public addresses and names pass with what was checked", async () => {
    const { check, asked } = createTestGuard({ "example.com": [PUBLIC, "2606:4700::1"] });
    expect(await check("https://example.com:8443/a?b#c")).toEqual({
      url: new URL("https://example.com:8443/a?b#c"),
      addresses: [PUBLIC, "2606:4700::1"],
    });
    expect((await check("http://[2606:4700::1]/")).addresses).toEqual(["2606:4700::1"]);
    expect((await check("http://1.1.1.1/")).addresses).toEqual(["1.1.1.1"]);
    expect(asked).toEqual(["example.com"]);
  });

  it("D2: refuses a name that leads to a private address", async () => {
    for (const address of [
      "127.0.0.1",
      "10.0.0.1",
      "::1",
      "::ffff:169.254.169.254",
      "fd00:ec2::254",
      "fe80::1%eth0",
      "nonsense",
    ]) {
      const { check } = createTestGuard({ "evil.example.com": [address] });
      expect(await refusalOf(() => check("http://evil.example.com/"))).toBe("act_denied");
    }
  });

  it("D3: drops the private answers of a name and keeps the public ones", async () => {
    const { check } = createTestGuard({ "mixed.example.com": ["10.0.0.1", PUBLIC, "::1", "::ffff:127.0.0.1"] });
    expect((await check("http://mixed.example.com/")).addresses).toEqual([PUBLIC]);
  });

  it("says that a host does not exist", async () => {
    const { check } = createTestGuard({});
    await expect(check("http://nowhere.example.com/")).rejects.toThrow("Unknown host nowhere.example.com.");
  });

  it("asks nobody about names that never are public", async () => {
    const { guard, asked } = createTestGuard({});
    for (const host of [
      "localhost",
      "a.localhost",
      "printer.local",
      "db.internal",
      "router.lan",
      "wiki",
      "x.home.arpa",
      "LOCALHOST.",
    ])
      expect(await refusalOf(() => guard.judge(`http://${host}/`))).toBe("act_denied");
    expect(asked).toEqual([]);
  });

  it.each(["example.com", "https//example.com", "", "//example.com/x", "http://", "https:///", "http://exa mple.com/"])(
    "refuses %j as no address",
    (address) => {
      expect(() => createGuard().judge(address)).toThrow(/is no address|names no host|invisible/);
    },
  );

  it.each([
    "http://attacker\u0000.allowed.com/",
    "http://attacker%00.allowed.com/",
    "http://allowed.com%0d%0aHost:evil.com/",
    "http://allowed.com\r\nHost: evil.com/",
    "http://all\towed.com/",
    "http://allowed.com\n/",
    "http://evil.com%20.allowed.com/",
    "http://evil.com .allowed.com/",
    "http://evil.com%23.allowed.com/",
    "http://evil.com%2f.allowed.com/",
    "http://evil\u200b.allowed.com/",
    "http://allowed.com/\u202efdp.exe",
  ])("D7: refuses %j", async (address) => {
    expect(await refusalOf(() => createGuard({ allowHosts: ["allowed.com"] }).judge(address))).toBe("act_denied");
  });

  it("refuses a user name or password, ports of other protocols and endless addresses", () => {
    const { judge } = createGuard();
    expect(() => judge("https://user@example.com/")).toThrow("user name or password");
    expect(() => judge("https://:secret@example.com/")).toThrow("user name or password");
    expect(() => judge("http://example.com:25/")).toThrow("Port 25");
    expect(() => judge("http://example.com:6667/")).toThrow("Port 6667");
    expect(() => judge(`http://example.com/${"x".repeat(9000)}`)).toThrow("longer than 8192");
  });

  it("opens a private host that is named, also behind a private answer", async () => {
    const { check } = createTestGuard(
      { "wiki.corp.example": ["10.1.2.3"], localhost: ["127.0.0.1"], "other.example": ["10.1.2.3"] },
      { allowHosts: ["corp.example", "localhost:8080", "10.1.2.3", "::1"] },
    );
    expect((await check("http://wiki.corp.example/")).addresses).toEqual(["10.1.2.3"]);
    expect((await check("http://localhost:8080/")).addresses).toEqual(["127.0.0.1"]);
    expect((await check("http://10.1.2.3/")).addresses).toEqual(["10.1.2.3"]);
    expect((await check("http://0x0a.1.2.3/")).addresses).toEqual(["10.1.2.3"]);
    expect((await check("http://[0:0:0:0:0:0:0:1]/")).addresses).toEqual(["::1"]);
    // The port, the name and the address are each what was named, and nothing else is.
    for (const url of [
      "http://localhost/",
      "http://localhost:8081/",
      "http://other.example/",
      "http://10.1.2.4/",
      "http://127.0.0.1:8080/",
    ])
      expect(await refusalOf(() => check(url))).toBe("act_denied");
  });

  it("D6: takes hosts of a list whole, up to a dot", async () => {
    const { check } = createTestGuard(
      Object.fromEntries(
        [
          "trusted.com",
          "a.trusted.com",
          "trusted.com.evil.com",
          "evil-trusted.com",
          "xtrusted.com",
          "trusted.co",
          "sub.only.com",
          "only.com",
        ].map((host) => [host, ["10.0.0.1"]]),
      ),
      { allowHosts: ["Trusted.COM", "*.only.com"] },
    );
    for (const host of ["trusted.com", "a.trusted.com", "TRUSTED.com.", "sub.only.com"])
      expect((await check(`http://${host}/`).catch(() => ({ addresses: host }))).addresses).toEqual(["10.0.0.1"]);
    for (const host of ["trusted.com.evil.com", "evil-trusted.com", "xtrusted.com", "trusted.co", "only.com"])
      expect(await refusalOf(() => check(`http://${host}/`))).toBe("act_denied");
  });

  it("denies what is denied, allowed or not", () => {
    const { judge } = createGuard({ allowHosts: ["example.com"], denyHosts: ["bad.example.com", "1.1.1.1"] });
    expect(judge("http://example.com/").hostname).toBe("example.com");
    expect(() => judge("http://bad.example.com/")).toThrow("The settings deny bad.example.com.");
    expect(() => judge("http://x.bad.example.com./")).toThrow("deny");
    expect(() => judge("http://0x01010101/")).toThrow("deny");
  });

  it("refuses a list that holds no hosts", () => {
    for (const entry of ["http://example.com", "example.com/x", "a b", "", "user@example.com", "*"])
      expect(() => createGuard({ allowHosts: [entry] })).toThrow(/is no host/);
  });
});
