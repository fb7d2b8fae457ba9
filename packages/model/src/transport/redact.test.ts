import { describe, expect, it } from "vitest";
import { createRedactor, toExcerpt } from "./redact.ts";

const KEY = "sk-test-Abc123/def+456==";

describe("the redactor", () => {
  const redact = createRedactor([KEY, "hunter2-token"]);

  it("takes out known secrets as they are and in other spellings", () => {
    for (const text of [
      `key ${KEY} is wrong`,
      `?key=${encodeURIComponent(KEY)}`,
      JSON.stringify({ sent: KEY }),
      "x hunter2-token y hunter2-token z",
    ]) {
      const clean = redact(text);
      expect(clean).not.toContain("Abc123");
      expect(clean).not.toContain("hunter2");
      expect(clean).toContain("[redacted]");
    }
  });

  it("takes out whatever looks like a credential", () => {
    for (const text of [
      "Authorization: Bearer abc.def.ghi",
      '{"authorization":"Bearer abc.def.ghi"}',
      "authorization=abc.def.ghi",
      "x-api-key: abc.def.ghi",
      '"x-api-key": "abc.def.ghi"',
      "api_key=abc.def.ghi&x=1",
      "Proxy-Authorization: Basic abc.def.ghi",
      "got Bearer abc.def.ghi from you",
      "Incorrect API key provided: sk-abc.def.ghi",
      "AIzaabc.def.ghi-0123456789".replaceAll(".", "_"),
    ]) {
      expect(redact(text)).not.toMatch(/abc[._]def/);
      expect(redact(text)).toContain("[redacted]");
    }
  });

  it("leaves ordinary words alone", () => {
    for (const text of ["The model `gpt-9` does not exist.", "Rate limit reached, retry in 3 s", "max_tokens is too large: 9000"])
      expect(redact(text)).toBe(text);
  });

  it("leaves no beginning of a secret where a text was cut", () => {
    for (let length = 4; length < KEY.length; length++)
      expect(redact(`cut here: ${KEY.slice(0, length)}`)).toBe("cut here: [redacted]");
  });

  it("does not take a placeholder for a secret", () => {
    expect(createRedactor(["x", ""])("max context exceeded")).toBe("max context exceeded");
  });
});

describe("toExcerpt", () => {
  it("makes one short line without control characters", () => {
    expect(toExcerpt("  a\r\n\tb\u001b[31mc\u2028d ")).toBe("a b [31mc d");
    expect(toExcerpt("x".repeat(400), 10)).toBe(`${"x".repeat(10)}…`);
  });
});
