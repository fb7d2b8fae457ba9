/** Takes secrets out of what a cassette records: those it is told, and those it sees in headers that carry credentials. */

const MARK = "[scrubbed]";

/** Shorter values are no secrets, and would take ordinary words out of texts. */
const SHORTEST = 6;

const CREDENTIAL_HEADER = /auth|key|token|secret|cookie|password|credential/i;

export type Scrubber = {
  /** Learns what a request carries in its headers. */
  readonly learn: (headers: Readonly<Record<string, string | string[] | undefined>>) => void;
  readonly text: (text: string) => string;
  /** The chunks as they are, or as one chunk if something had to be taken out, since a secret may lie across two. */
  readonly chunks: (chunks: readonly Buffer[]) => readonly Buffer[];
};

export const createScrubber = (secrets: readonly string[]): Scrubber => {
  const spellings = new Set<string>();
  const add = (secret: string): void => {
    if (secret.length < SHORTEST) return;
    for (const spelling of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) spellings.add(spelling);
    spellings.add(Buffer.from(secret, "utf8").toString("base64"));
  };
  for (const secret of secrets) add(secret);

  const scrub = (text: string, spell: (spelling: string) => string): string => {
    let clean = text;
    for (const spelling of [...spellings].toSorted((left, right) => right.length - left.length))
      clean = clean.replaceAll(spell(spelling), MARK);
    return clean;
  };
  return {
    learn: (headers) => {
      for (const [name, value] of Object.entries(headers))
        if (CREDENTIAL_HEADER.test(name))
          for (const one of [value ?? []].flat()) for (const credential of toCredentials(name, one)) add(credential);
    },
    text: (text) => scrub(text, (spelling) => spelling),
    chunks: (chunks) => {
      // As Latin-1 every byte is one character, so that what is no secret comes out as it went in.
      const bytes = Buffer.concat(chunks).toString("latin1");
      const clean = scrub(bytes, (spelling) => Buffer.from(spelling, "utf8").toString("latin1"));
      return clean === bytes ? chunks : [Buffer.from(clean, "latin1")];
    },
  };
};

/** `Bearer abc` carries `abc`, and the cookie `a=b; c=d` carries `b` and `d`. */
const toCredentials = (name: string, value: string): string[] =>
  /cookie/i.test(name)
    ? value.split(/;\s*/).map((pair) => pair.slice(pair.indexOf("=") + 1))
    : [value.replace(/^\s*(?:bearer|basic|digest|token|apikey)\s+/i, "").trim()];
