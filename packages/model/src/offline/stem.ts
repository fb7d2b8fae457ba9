/** Cuts an English word to the beginning that its other forms share, so that "handled" finds "handles" and "handler". */

export const toStem = (word: string): string => {
  const lower = word.toLowerCase();
  const ending = ENDINGS.find(([end, least]) => lower.endsWith(end) && isStem(lower.slice(0, -end.length), least));
  const stem = ending ? undouble(lower.slice(0, -ending[0].length)) : lower.replace(/([^su])s$/, "$1");
  // "handle" and "handling", "query" and "queries".
  return stem.length > 4 ? stem.replace(/[ey]$/, "") : stem;
};

/** With how much of the word has to remain. Longer endings come first. */
const ENDINGS: readonly (readonly [string, number])[] = [
  ["ization", 4],
  ["isation", 4],
  ["ations", 4],
  ["ation", 4],
  ["ings", 3],
  ["ies", 3],
  ["ied", 3],
  ["ing", 3],
  ["ers", 4],
  ["ed", 3],
  ["es", 4],
  ["er", 4],
];

/** Without a vowel it is no word that was cut, as in "string". */
const isStem = (rest: string, least: number): boolean => rest.length >= least && /[aeiouy]/.test(rest);

/** "stopped" → "stop", "running" → "run", "cancelled" → "cancel"; but "call" stays. */
const undouble = (stem: string): string => (/..([bdgmnprt])\1$|...ll$/.test(stem) ? stem.slice(0, -1) : stem);
