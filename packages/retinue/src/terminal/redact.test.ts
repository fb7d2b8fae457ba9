import { describe, expect, test } from "vitest";
import { toJsonLine } from "./json-line.ts";
import { knownSecrets } from "./known-secrets.ts";
import { createRedact, createRedactFilter } from "./redact.ts";

const SECRETS = ["sk-canary-0123456789", "sk-canary-0123456789-longer", "ababab-secret", 'quo"te\\secret'];

const through = (chunks: readonly string[], secrets: readonly string[] = SECRETS): string => {
  const filter = createRedactFilter(secrets);
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
    expect(createRedact(SECRETS)(text)).toBe(expected);
    expect(through(text.split(""))).toBe(expected);
    for (let at = 0; at <= text.length; at += 1) expect(through([text.slice(0, at), text.slice(at)])).toBe(expected);
  });

  test("text that cannot become a secret is not held back", () => {
    expect(createRedactFilter(SECRETS).push("the answer is 4")).toBe("the answer is 4");
    expect(createRedactFilter(SECRETS).push("the answer is sk-")).toBe("the answer is ");
  });

  test("without secrets nothing changes", () => expect(through(["a", "b"], [])).toBe("ab"));

  test("a secret is replaced in keys and values of a JSON line before it is escaped", () => {
    const line = toJsonLine({ "sk-canary-0123456789": ['x quo"te\\secret y', { a: 1, b: null }] }, createRedact(SECRETS));
    expect(JSON.parse(line)).toEqual({ "[redacted]": ["x [redacted] y", { a: 1, b: null }] });
  });
});

describe("the known secrets", () => {
  test("are what the environment names as such, long enough and no path", () => {
    const secrets = knownSecrets({
      OPENAI_API_KEY: "sk-openai-1234",
      GH_TOKEN: "ghp_12345678",
      PATH: "/usr/bin:/bin-and-more",
      SSH_KEY: "/home/someone/.ssh/id",
      SHORT_TOKEN: "abc",
      KEYBOARD: "a-long-enough-value",
    });
    expect(secrets).toEqual(["sk-openai-1234", "ghp_12345678"]);
  });

  test("stand there as they look inside JSON and a URL, too", () => {
    const secrets = knownSecrets({ A_SECRET: 'pass "word" 1' });
    expect(secrets).toContain('pass \\"word\\" 1');
    expect(secrets).toContain("pass%20%22word%22%201");
  });
});
