/**
 * The words of an HTML page in one pass without a tree: for pages that are too deep or too large to build one, in time and memory that
 * grow with their length alone.
 */

/** What a page consists of, as far as one pass can see. */
export type HtmlMeasure = {
  /** Whatever begins like a tag, tag or not: each is work for a parser. */
  readonly angles: number;
  /** How deep elements stand in one another, not counting those that end without being ended. */
  readonly depth: number;
};

/** Their content is no text of the page. */
const SILENT: ReadonlySet<string> = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "math",
  "iframe",
  "object",
  "head",
]);

const BLOCKS: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote body br dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr " +
    "li main nav ol option p pre section summary table tbody td tfoot th thead title tr ul"
  ).split(" "),
);

/** Elements without content, and elements whose end may be left out. */
const UNNESTED: ReadonlySet<string> = new Set(
  (
    "area base br col embed hr img input link meta param source track wbr p li dt dd option optgroup tr td th thead tbody tfoot rp rt " +
    "colgroup html head body"
  ).split(" "),
);

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  mdash: "—",
  ndash: "–",
  hellip: "…",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  copy: "©",
  middot: "·",
  bull: "•",
};

type Tag = { readonly name: string; readonly closes: boolean; readonly end: number };

export const htmlToText = (html: string): string => {
  const pieces: string[] = [];
  scan(html, {
    onText: (from, to) => void pieces.push(html.slice(from, to).replaceAll(/\s+/g, " ")),
    onTag: ({ name }) => {
      if (BLOCKS.has(name)) pieces.push("\n");
    },
  });
  return decodeEntities(pieces.join(""))
    .replaceAll(/ *\n */g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
};

export const measureHtml = (html: string): HtmlMeasure => {
  let angles = 0;
  for (let at = html.indexOf("<"); at >= 0; at = html.indexOf("<", at + 1)) angles += 1;
  let open = 0;
  let depth = 0;
  scan(html, {
    onText: () => undefined,
    onTag: ({ name, closes }) => {
      if (UNNESTED.has(name)) return;
      open = closes ? Math.max(0, open - 1) : open + 1;
      depth = Math.max(depth, open);
    },
  });
  return { angles, depth };
};

type Listeners = { readonly onText: (from: number, to: number) => void; readonly onTag: (tag: Tag) => void };

const scan = (html: string, { onText, onTag }: Listeners): void => {
  const unended = new Set<string>();
  let at = 0;
  while (at < html.length) {
    const start = html.indexOf("<", at);
    if (start < 0) return onText(at, html.length);
    if (start > at) onText(at, start);
    if (html.startsWith("<!--", start)) {
      const end = html.indexOf("-->", start + 4);
      at = end < 0 ? html.length : end + 3;
      continue;
    }
    const tag = readTag(html, start);
    if (tag === undefined) {
      // A lone "<" is text. All that follow at once are one piece, so that a page of nothing else stays linear.
      const next = skipAngles(html, start);
      onText(start, next);
      at = next;
      continue;
    }
    onTag(tag);
    at = tag.end;
    if (!SILENT.has(tag.name) || tag.closes || unended.has(tag.name)) continue;
    const end = endOfSilence(html, tag);
    // What is not ended from here on is not ended later either, and is not looked for again.
    if (end === undefined) unended.add(tag.name);
    else at = end;
  }
};

const skipAngles = (html: string, from: number): number => {
  let at = from + 1;
  while (html[at] === "<") at += 1;
  return at;
};

const readTag = (html: string, start: number): Tag | undefined => {
  const matched = /<(\/?)([a-z][a-z0-9:-]{0,40})|<[!?]/iy;
  matched.lastIndex = start;
  const found = matched.exec(html);
  if (found === null) return undefined;
  const end = html.indexOf(">", start);
  return { name: (found[2] ?? "").toLowerCase(), closes: found[1] === "/", end: end < 0 ? html.length : end + 1 };
};

/** Where the element that is left out ends. */
const endOfSilence = (html: string, { name, end }: Tag): number | undefined => {
  const closing = new RegExp(`</${name}[\\s>]`, "gi");
  closing.lastIndex = end;
  return closing.exec(html)?.index;
};

const decodeEntities = (text: string): string =>
  text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole;
  });
