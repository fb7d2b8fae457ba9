/** Puts `{{secret:NAME}}` where the value of a secret stands that was typed into a page, also as it stands in addresses and in JSON. */

/** Shorter ones would be found by chance in other texts. */
const LEAST_CHARS = 4;

export const createMask =
  /** What a call referred to, such as `{{secret:NAME}}`, by each value that it stood for. */
  (typed: () => ReadonlyMap<string, string>) =>
    (text: string): string => {
      let masked = text;
      for (const [value, reference] of typed()) {
        if (value.length < LEAST_CHARS) {
          if (masked === value) return reference;
          continue;
        }
        for (const form of formsOf(value)) masked = masked.replaceAll(form, reference);
      }
      return masked;
    };

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
