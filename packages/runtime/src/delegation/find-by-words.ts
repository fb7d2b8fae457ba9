/** Finds what a few words mean among many named and described things, best first: agents that a prompt has no room for, skills of a large collection. */

export type Described = { readonly name: string; readonly description: string };

const toWords = (text: string): readonly string[] =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Those that have at least one of the words, in their name before their description; of equals the one that came first. */
export const findByWords = <Thing extends Described>(query: string, things: Iterable<Thing>, most: number): readonly Thing[] => {
  const wanted = new Set(toWords(query));
  const scored: { readonly thing: Thing; readonly score: number }[] = [];
  for (const thing of things) {
    const name = new Set(toWords(thing.name));
    const description = toWords(thing.description);
    let score = thing.name.toLowerCase() === query.trim().toLowerCase() ? 100 : 0;
    for (const word of wanted) {
      if (name.has(word)) score += 8;
      else if ([...name].some((part) => isAlike(part, word))) score += 4;
      if (description.includes(word)) score += 3;
      else if (description.some((part) => isAlike(part, word))) score += 1;
    }
    if (score > 0) scored.push({ thing, score });
  }
  return scored
    .toSorted((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ thing }) => thing);
};

/** `tests` and `test`, `review` and `reviewer`. */
const isAlike = (one: string, other: string): boolean => {
  const shorter = Math.min(one.length, other.length);
  return shorter >= 4 && (one.startsWith(other) || other.startsWith(one));
};
