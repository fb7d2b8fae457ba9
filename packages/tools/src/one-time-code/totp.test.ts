import { describe, expect, test } from "vitest";
import { parseTotpKey, totp } from "./totp.ts";

/** The seeds and values of RFC 6238, appendix B. */
const SEEDS = {
  sha1: "12345678901234567890",
  sha256: "12345678901234567890123456789012",
  sha512: "1234567890123456789012345678901234567890123456789012345678901234",
} as const;

const VECTORS = [
  [59, "94287082", "46119246", "90693936"],
  [1_111_111_109, "07081804", "68084774", "25091201"],
  [1_111_111_111, "14050471", "67062674", "99943326"],
  [1_234_567_890, "89005924", "91819424", "93441116"],
  [2_000_000_000, "69279037", "90698825", "38618901"],
  [20_000_000_000, "65353130", "77737706", "47863826"],
] as const;

describe("one-time codes", () => {
  test.each(VECTORS)("are those of RFC 6238 at second %i", (second, ...codes) => {
    for (const [at, algorithm] of (["sha1", "sha256", "sha512"] as const).entries())
      expect(totp({ key: Buffer.from(SEEDS[algorithm]), algorithm, digits: 8, periodMs: 30_000 }, second * 1000)).toBe(codes[at]);
  });

  test("a secret is read as base32, however it is written, and as an address of an authenticator app", () => {
    const key = new Uint8Array(Buffer.from(SEEDS.sha1));
    const base32 = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    expect(parseTotpKey(base32)).toEqual({ key, algorithm: "sha1", digits: 6, periodMs: 30_000 });
    expect(parseTotpKey("gezd gnbv gy3t qojq-gezd gnbv gy3t qojq").key).toEqual(key);
    expect(parseTotpKey(`otpauth://totp/Shop:ada?secret=${base32}&algorithm=SHA256&digits=8&period=60`)).toEqual({
      key,
      algorithm: "sha256",
      digits: 8,
      periodMs: 60_000,
    });
  });

  test.each(["", "not base32!", "otpauth://totp/x", "otpauth://totp/x?secret=GEZDGNBV&digits=40"])(
    "%j is refused without being shown",
    (secret) => {
      expect(() => parseTotpKey(secret)).toThrow("The secret is none that one-time codes can be made from");
    },
  );
});
