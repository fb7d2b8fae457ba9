/**
 * Puts `{{secret:NAME}}` where the value of a secret stands in what a page shows, sends or says. A long value is found in whatever it is part of, also as it stands in addresses and in JSON;
 * a short one, such as a PIN, only where it is a word of its own, so that other numbers stay what they are.
 */

/** Shorter ones would be found by chance inside of other words and numbers. */
const LEAST_ANYWHERE = 6;
/** Shorter ones stand in every list and every date; they are known only where nothing else is. */
const LEAST_WORD = 3;

export const createMask =
  /** What a call referred to, such as `{{secret:NAME}}`, by each value that it stood for. */
  (typed: () => ReadonlyMap<string, string>) =>
    (text: string): string => {
      let masked = text;
      for (const [value, reference] of typed()) {
        if (value.length < LEAST_WORD) {
          if (masked === value) return reference;
        } else if (value.length < LEAST_ANYWHERE) masked = masked.replaceAll(toWordPattern(value), () => reference);
        else for (const form of formsOf(value)) masked = masked.replaceAll(form, () => reference);
      }
      return masked;
    };

/** Finds the value in texts as people read them. */
export const toTextPattern = (value: string): RegExp | null =>
  value.length < LEAST_WORD ? null : value.length < LEAST_ANYWHERE ? toWordPattern(value) : new RegExp(escape(value), "gu");

const toWordPattern = (value: string): RegExp => new RegExp(String.raw`(?<![\p{L}\p{N}])${escape(value)}(?![\p{L}\p{N}])`, "gu");

const escape = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

export const formsOf = (value: string): readonly string[] => [
  ...new Set([
    value,
    encodeURIComponent(value),
    new URLSearchParams({ v: value }).toString().slice(2),
    JSON.stringify(value).slice(1, -1),
    value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;"),
    Buffer.from(value).toString("base64"),
    // As it stands in bytes that are read as one character each.
    Buffer.from(value).toString("latin1"),
  ]),
];
