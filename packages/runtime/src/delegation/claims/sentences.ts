/** Splits what an agent says into sentences, without what it only quotes: code blocks and quoted lines. */

/** Longer ones are no prose; rules look at their beginning alone, so that no answer takes long to look through. */
const LONGEST = 1_000;

/** The lines of a text, each cut at a length that rules can look through quickly. */
export const toLines = (text: string): readonly string[] => text.split("\n").map((line) => line.slice(0, LONGEST));

const isFence = (line: string): boolean => line.trimStart().startsWith("```");

/** A full stop ends a sentence before a space; those inside of names, paths and figures do not. */
const END = /(?<=[.!?;])\s+(?=\S)/;

export const toSentences = (text: string): readonly string[] => {
  const sentences: string[] = [];
  let isFenced = false;
  for (const line of text.split("\n")) {
    if (isFence(line)) isFenced = !isFenced;
    else if (!isFenced && !line.trimStart().startsWith(">"))
      sentences.push(
        ...line
          .split(END)
          .map((part) => part.slice(0, LONGEST))
          .filter((part) => part.trim() !== ""),
      );
  }
  return sentences;
};
