/**
 * The ways in which a secret may be written: as it is, in a URL, inside JSON, in hex, and in base64 wherever it lies in what was encoded. Line ends
 * need no spelling of their own: they are passed over where a secret is looked for.
 */

/** Shorter ones are words as well as secrets; replacing them would tear holes into every text. */
export const SHORTEST = 6;

export const toSpellings = (secret: string): readonly string[] => {
  const text = secret.toWellFormed();
  const json = JSON.stringify(text).slice(1, -1);
  const hex = Buffer.from(text).toString("hex");
  const lines = text.includes("\n") ? text.split(/\r?\n/).map((line) => line.trim()) : [];
  const all = [
    text,
    ...toPercent(text),
    json,
    JSON.stringify(json).slice(1, -1),
    ...toUnicodeEscapes(text, json),
    hex,
    hex.toUpperCase(),
    ...toBase64(text),
    // Of a key in many lines every line that is not just its frame.
    ...lines.filter((line) => line.length >= 16 && !line.startsWith("-----")),
  ];
  return [...new Set(all)].filter((spelling) => spelling.length >= SHORTEST);
};

const lowerPercent = (text: string): string => text.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase());

/** As addresses write it: what must be, what a form would, or every byte; with small or large letters. */
const toPercent = (text: string): readonly string[] => {
  const needed = encodeURIComponent(text);
  const also = (chars: RegExp): string => needed.replaceAll(chars, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const every = Buffer.from(text).toString("hex").toUpperCase().replaceAll(/../g, "%$&");
  // Encoders differ in what they leave alone: by RFC 3986, as a form, as Java does, letters and digits only.
  const forms = [/[!'()*]/g, /[!'()*~]/g, /[!'()~]/g, /[!'()*~._-]/g].map(also);
  const written = [needed, ...forms, ...forms.map((form) => form.replaceAll("%20", "+")), encodeURI(text), every];
  return [...written, ...written.map(lowerPercent)];
};

const escape = (char: string, isLower: boolean): string => {
  const code = char.charCodeAt(0).toString(16).padStart(4, "0");
  return `\\u${isLower ? code : code.toUpperCase()}`;
};

/** As JSON may write it: every character, those beyond ASCII, or those beyond ASCII and those that mean something in a page. */
const toUnicodeEscapes = (text: string, json: string): readonly string[] =>
  [true, false].flatMap((isLower) => {
    const all = text.replaceAll(/[^]/g, (char) => escape(char, isLower));
    const beyond = json.replaceAll(/[^\x20-\x7e]/g, (char) => escape(char, isLower));
    const inPages = beyond.replaceAll(/[<>&'/=+]/g, (char) => escape(char, isLower));
    return [all, beyond, inPages, beyond.replaceAll("/", "\\/")];
  });

/** What of the encoded text depends on the secret alone, for the three ways in which it may lie in groups of three bytes. */
const toBase64 = (text: string): readonly string[] => {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const end = (before + bytes.length) % 3 === 0 ? encoded.length : encoded.length - 1;
    const own = encoded.slice(before === 0 ? 0 : before + 1, end);
    return [own, own.replaceAll("+", "-").replaceAll("/", "_")];
  });
};
