/** Words in what was recorded: where they stand, and the part around them that is shown. Text is searched whole, and cut only for whoever reads it. */

const MOST_CHARS = 600;
const GAP = "\n…\n";

/** Where the words stand, in any case and however they are wrapped; -1 where they do not. */
export const findWords = (text: string, words: string): number => text.search(toPattern(words));

const toPattern = (words: string): RegExp =>
  new RegExp(
    words
      .trim()
      .split(/\s+/)
      // A tree of a page escapes the quotes that are in a name.
      .map((word) =>
        word
          .split('"')
          .map((part) => RegExp.escape(part))
          .join(String.raw`\\?"`),
      )
      .join(String.raw`\s+`),
    "iu",
  );

/** At most 600 characters: around the words where they are in it, else the beginning and the end. */
export const cutQuote = (text: string, words?: string): string => {
  if (text.length <= MOST_CHARS) return text;
  const at = words === undefined ? -1 : findWords(text, words);
  const room = MOST_CHARS - 2 * GAP.length;
  if (at < 0) return `${text.slice(0, room / 2)}${GAP}${text.slice(-room / 2)}`;
  const from = Math.max(0, Math.min(at - Math.floor(room / 2), text.length - room));
  return `${from > 0 ? GAP : ""}${text.slice(from, from + room)}${from + room < text.length ? GAP : ""}`;
};
