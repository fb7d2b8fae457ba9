import { describe, expect, test } from "vitest";
import { toJsonLine } from "../terminal/json-line.ts";
import { createRedactor } from "./create-redactor.ts";

const SECRETS = ["sk-canary-0123456789", "sk-canary-0123456789-longer", "ababab-secret", 'quo"te\\secret'];

const through = (chunks: readonly string[], secrets: readonly string[] = SECRETS): string => {
  const filter = createRedactor(secrets).stream();
  return chunks.map((chunk) => filter.push(chunk)).join("") + filter.end();
};

describe("redaction", () => {
  test.each([
    ["sk-canary-0123456789", "[redacted]"],
    ["key=sk-canary-0123456789, again sk-canary-0123456789.", "key=[redacted], again [redacted]."],
    ["sk-canary-0123456789-longer!", "[redacted]!"],
    ["sk-canary-0123456789-long!", "[redacted]-long!"],
    ["abababab-secret", "ab[redacted]"],
    ["sk-canary-012345678", "sk-canary-012345678"],
    ["nothing here", "nothing here"],
  ])("%j comes out as %j, wherever it is split", (text, expected) => {
    expect(createRedactor(SECRETS).text(text)).toBe(expected);
    expect(through(text.split(""))).toBe(expected);
    for (let at = 0; at <= text.length; at += 1) expect(through([text.slice(0, at), text.slice(at)])).toBe(expected);
  });

  test("text that cannot become a secret is not held back", () => {
    expect(createRedactor(SECRETS).stream().push("the answer is 4")).toBe("the answer is 4");
    expect(createRedactor(SECRETS).stream().push("the answer is sk-")).toBe("the answer is ");
  });

  test("what was held back is given once", () => {
    const filter = createRedactor(SECRETS).stream();
    filter.push("the answer is sk-");
    expect([filter.end(), filter.end()]).toEqual(["sk-", ""]);
  });

  test("without secrets nothing changes", () => expect(through(["a", "b"], [])).toBe("ab"));

  test("a secret is replaced in keys and values of a JSON line before it is escaped", () => {
    const line = toJsonLine({ "sk-canary-0123456789": ['x quo"te\\secret y', { a: 1, b: null }] }, createRedactor(SECRETS).text);
    expect(JSON.parse(line)).toEqual({ "[redacted]": ["x [redacted] y", { a: 1, b: null }] });
  });
});

describe("a secret", () => {
  const SECRET = "sk-canary-0123456789/abc+def?";
  const { text: redact } = createRedactor([SECRET]);

  const WAYS: readonly (readonly [where: string, write: (secret: string) => string])[] = [
    ["inside JSON", (secret: string) => JSON.stringify({ key: `"${secret}"` })],
    ["in a URL", (secret: string) => `http://127.0.0.1/?key=${encodeURIComponent(secret)}&x=1`],
    ["in hex", (secret: string) => Buffer.from(`a${secret}b`).toString("hex")],
    ...["", "x", "xy", "xyz"].map(
      (before) =>
        [`in base64 after "${before}"`, (secret: string) => Buffer.from(`${before}${secret}\n`).toString("base64")] as const,
    ),
    ["in base64 for URLs", (secret: string) => Buffer.from(`k=${secret}`).toString("base64url")],
  ];

  test.each(WAYS)("is found %s", (_, write) => {
    const written = write(SECRET);
    const clean = redact(written);
    expect(clean).toContain("[redacted]");
    for (const decoded of [
      clean,
      Buffer.from(clean, "base64").toString(),
      Buffer.from(clean, "hex").toString(),
      decodeURIComponent(clean),
    ])
      expect(decoded).not.toContain("canary");
  });

  test("in many lines is found line by line", () => {
    const lines = ["-----BEGIN KEY-----", "bGluZSBvbmUgb2YgdGhlIGtleQ", "bGluZSB0d28gb2YgdGhlIGtleQ", "-----END KEY-----"];
    const { text } = createRedactor([lines.join("\n")]);
    expect(text(`  ${lines[1]}\n> ${lines[2]}`)).toBe("  [redacted]\n> [redacted]");
  });

  test("is found among many others as a plain search would find it", () => {
    const random = createRandom(7);
    const letters = "ab-";
    const word = (length: number): string => Array.from({ length }, () => letters[Math.floor(random() * 3)]).join("");
    for (let round = 0; round < 300; round += 1) {
      const secrets = Array.from({ length: 5 }, () => word(6 + Math.floor(random() * 4)));
      const haystack = word(60);
      const { text, stream } = createRedactor(secrets);
      const clean = text(haystack);
      expect(secrets.some((secret) => clean.includes(secret))).toBe(false);
      expect(clean.includes("[redacted]")).toBe(secrets.some((secret) => haystack.includes(secret)));
      const filter = stream();
      const cut = Math.floor(random() * haystack.length);
      expect(filter.push(haystack.slice(0, cut)) + filter.push(haystack.slice(cut)) + filter.end()).toBe(clean);
    }
  });
});

/** The same numbers for the same seed. */
const createRandom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

test.each(["hunter-2/x", "/k9.x+y z", "~/a_b!c'd(e)*~", "p@ss:w0rd"])("N7: %s is redacted in every percent form", (value) => {
  const redact = createRedactor([{ name: "PASSWORD", value }]);
  const percent = (isKept: (char: string) => boolean): string =>
    value
      .split("")
      .map((char) => (isKept(char) ? char : `%${char.charCodeAt(0).toString(16)}`))
      .join("");
  const forms = [
    encodeURIComponent(value),
    percent((char) => /[\w.~-]/.test(char)),
    percent((char) => /[\w.-]/.test(char)),
    percent((char) => /[a-z\d]/i.test(char)),
    percent((char) => /[\w.*-]/.test(char)).replaceAll("%20", "+"),
    percent(() => false),
  ];
  for (const form of [...forms, ...forms.map((each) => each.replaceAll(/%[\da-f]{2}/g, (code) => code.toUpperCase()))])
    expect(redact.text(`https://x.example/?a=${form}&b=1`), form).not.toContain(form);
});
