/** Tells values that look as if a machine had drawn them from values that are words, which stand in texts that have nothing to do with them. */

/** Of which people make passwords for databases on their own machine. */
const COMMON: ReadonlySet<string> = new Set(
  (
    "password passwort passwd secret changeme changeit letmein welcome qwerty qwertz admin administrator root user username guest test " +
    "testing tester example sample demo dummy foobar foobarbaz default postgres postgresql mysql mariadb mongo mongodb redis rabbitmq " +
    "elastic elasticsearch minio minioadmin sqlserver oracle database development production staging localhost localdev local dev docker " +
    "compose kubernetes none null undefined disabled enabled true false placeholder replace replaceme your-key your-token your-api-key " +
    "your-password your-secret put-your-key-here insert-key-here xxxx todo not-set unset empty"
  ).split(" "),
);

/** A word in one spelling: letters alone, all small, all large, or with a large one at the beginning. */
const ONE_WORD = /^(?:[a-z]{1,15}|[A-Z]{1,15}|[A-Z][a-z]{1,14})$/;

/** Not worth hiding: whoever guesses has it among the first, and texts hold it anyway. */
export const isWord = (value: string): boolean => {
  const folded = value.toLowerCase();
  const stem = folded.replace(/[\d!?.*#_-]{1,6}$/, "");
  return (
    ONE_WORD.test(value) ||
    COMMON.has(folded) ||
    COMMON.has(stem) ||
    folded.split(/[-_. ]/).every((part) => COMMON.has(part)) ||
    /^\d{1,11}$/.test(value) ||
    /^(.)\1*$/.test(value)
  );
};

const LEAST_RANDOM_CHARS = 16;
const LEAST_BITS_PER_CHAR = 3;

/** Long, of letters and digits, with no character much more frequent than the others. */
export const isRandom = (value: string): boolean =>
  value.length >= LEAST_RANDOM_CHARS &&
  /^[\w+/=.~:-]+$/.test(value) &&
  /\d/.test(value) &&
  /[a-z]/i.test(value) &&
  bitsPerChar(value) >= LEAST_BITS_PER_CHAR;

const bitsPerChar = (value: string): number => {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
};
