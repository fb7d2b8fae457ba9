import { expect, test } from "vitest";
import { createMask } from "./mask-secrets.ts";

const masked = (value: string, text: string): string => createMask(() => new Map([[value, "{{S}}"]]))(text);

test.each([
  // A long one wherever it stands.
  ["correct-horse", "?p=correct-horse&x", "?p={{S}}&x"],
  ["735192", "Code735192!", "Code{{S}}!"],
  ["a b&c1", "/?q=a%20b%26c1", "/?q={{S}}"],
  // A short one as a word.
  ["1234", "PIN 1234, once more: 1234.", "PIN {{S}}, once more: {{S}}."],
  ["1234", "?pin=1234&order=12345", "?pin={{S}}&order=12345"],
  ["1234", "x1234 91234 1234é", "x1234 91234 1234é"],
  ["1234", '{"pin":"1234"}', '{"pin":"{{S}}"}'],
  ["a.c", "abc a.c", "abc {{S}}"],
  ["$&-1", "it is $&-1!", "it is {{S}}!"],
  // One or two characters stand everywhere.
  ["12", "12 of 12", "12 of 12"],
  ["12", "12", "{{S}}"],
])("of the secret %j in %j is left %j", (value, text, expected) => {
  expect(masked(value, text)).toBe(expected);
});
