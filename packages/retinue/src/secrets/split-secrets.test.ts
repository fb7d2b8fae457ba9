/** Secrets that come in pieces, in lines and in other spellings, drawn at random: what comes out in pieces is what comes out in one. */
import { describe, expect, test } from "vitest";
import { createRedactor } from "./create-redactor.ts";
import { toSpellings } from "./spellings.ts";

/** The same numbers for the same seed. */
const createRandom = (seed: number): ((below: number) => number) => {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

const SECRETS = [
  "sk-canary-0123456789/abc+def?",
  "pässwörd <canary> & more",
  "canary-2",
  "aab-aab-aab-aac",
  'quo"te\\new-secret',
];
const FILLER = [
  "the ",
  "key is ",
  "sk-",
  "canary",
  "\n",
  "\n    ",
  "\n> ",
  "\\n",
  "\\",
  "\r\n",
  "aab-",
  "%2",
  "\\u00",
  "=",
  "c2st",
  "a",
  "p",
];

describe("L14 a secret in pieces", () => {
  test("comes out in pieces as it comes out in one, wherever it is split", () => {
    const random = createRandom(11);
    const { text, stream } = createRedactor(SECRETS);
    for (let round = 0; round < 3_000; round += 1) {
      const parts = Array.from({ length: 1 + random(6) }, () => {
        const spellings = toSpellings(SECRETS[random(SECRETS.length)] ?? "");
        const spelling = spellings[random(spellings.length)] ?? "";
        const cut = random(3) === 0 ? random(spelling.length) : spelling.length;
        return random(2) === 0 ? (FILLER[random(FILLER.length)] ?? "") : spelling.slice(0, cut);
      });
      const whole = parts.join("");
      const filter = stream();
      let out = "";
      for (let at = 0; at < whole.length;) {
        const length = 1 + random(random(4) === 0 ? 30 : 3);
        out += filter.push(whole.slice(at, at + length));
        at += length;
      }
      expect(out + filter.end(), JSON.stringify(whole)).toBe(text(whole));
    }
  });

  test.each(SECRETS)("%s is found in every spelling, split at every place, and nothing of it is told before", (secret) => {
    for (const spelling of toSpellings(secret)) {
      const { stream } = createRedactor([secret]);
      for (let at = 1; at < spelling.length; at += 1) {
        const filter = stream();
        expect(filter.push(spelling.slice(0, at)), spelling).toBe("");
        expect(filter.push(spelling.slice(at)) + filter.end(), spelling).toBe("[redacted]");
      }
    }
  });

  test.each([
    ["a line end", "\n"],
    ["a line end of Windows", "\r\n"],
    ["a line end and an indent", "\n        "],
    ["a line end in a quotation", "\n> "],
    ["a line end inside JSON", "\\n"],
  ])("is found over %s, at every place", (_what, lineEnd) => {
    const secret = "sk-canary-0123456789abcdef";
    const { text, stream } = createRedactor([{ name: "A_KEY", value: secret }]);
    for (let at = 1; at < secret.length; at += 1) {
      const wrapped = `key: ${secret.slice(0, at)}${lineEnd}${secret.slice(at)}\nnext`;
      expect(text(wrapped)).toBe("key: [redacted:A_KEY]\nnext");
      const filter = stream();
      expect(
        wrapped
          .split("")
          .map((char) => filter.push(char))
          .join("") + filter.end(),
      ).toBe("key: [redacted:A_KEY]\nnext");
    }
  });

  test("is found in base64 that a program has broken into lines", () => {
    const secret = "sk-canary-0123456789-".repeat(8);
    const { text } = createRedactor([secret]);
    const lines = Buffer.from(`x=${secret}`).toString("base64").replaceAll(/.{64}/g, "$&\n");
    expect(Buffer.from(text(lines), "base64").toString()).not.toContain("canary");
  });

  test.each([
    [
      "escapes of JSON",
      (secret: string) =>
        secret
          .split("")
          .map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
          .join(""),
    ],
    [
      "percent signs with small letters",
      (secret: string) => encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase()),
    ],
    ["percent signs for every byte", (secret: string) => Buffer.from(secret).toString("hex").replaceAll(/../g, "%$&")],
    [
      "escapes of Python's JSON",
      (secret: string) =>
        JSON.stringify(secret)
          .slice(1, -1)
          .replaceAll(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`),
    ],
  ])("is found in %s", (_what, write) => {
    for (const secret of SECRETS) expect(createRedactor([secret]).text(`>${write(secret)}<`)).toBe(">[redacted]<");
  });
});
