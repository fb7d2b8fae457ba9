/** The ways in which a secret may be written: as it is, in a URL, inside JSON, in hex, and in base64 wherever it lies in what was encoded. */

/** Shorter ones are words as well as secrets; replacing them would tear holes into every text. */
export const SHORTEST = 6;

/** Where the common program breaks its lines. */
const BASE64_LINE = 76;

export const toSpellings = (secret: string): readonly string[] => {
  const text = secret.toWellFormed();
  const json = JSON.stringify(text).slice(1, -1);
  const hex = Buffer.from(text).toString("hex");
  const lines = text.includes("\n") ? text.split(/\r?\n/).map((line) => line.trim()) : [];
  const all = [
    text,
    encodeURIComponent(text),
    json,
    JSON.stringify(json).slice(1, -1),
    hex,
    hex.toUpperCase(),
    ...toBase64(text),
    // Of a key in many lines every line that is not just its frame.
    ...lines.filter((line) => line.length >= 16 && !line.startsWith("-----")),
  ];
  return [...new Set(all)].filter((spelling) => spelling.length >= SHORTEST);
};

/** What of the encoded text depends on the secret alone, for the three ways in which it may lie in groups of three bytes. */
const toBase64 = (text: string): readonly string[] => {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const end = (before + bytes.length) % 3 === 0 ? encoded.length : encoded.length - 1;
    const own = encoded.slice(before === 0 ? 0 : before + 1, end);
    const urlSafe = own.replaceAll("+", "-").replaceAll("/", "_");
    const pieces =
      own.length > BASE64_LINE && before === 0 ? (own.match(/.{1,76}/g) ?? []).filter((piece) => piece.length >= 16) : [];
    return [own, urlSafe, ...pieces];
  });
};
