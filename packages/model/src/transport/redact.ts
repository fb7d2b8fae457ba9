/** Keeps keys out of everything that providers and sockets say, since some servers echo the request they refuse. */

const MARK = "[redacted]";

/** Things that look like credentials whoever they belong to. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [
    /\b((?:proxy-)?authorization|x-api-key|api[-_]?key|x-goog-api-key|cookie)(["']?\s*[:=]\s*["']?)(?:(?:Bearer|Basic|Token)\s+)?[^\s"',;}]+/gi,
    `$1$2${MARK}`,
  ],
  [/\b(Bearer|Basic)\s+[\w.~+/*-]{3,}=*/gi, `$1 ${MARK}`],
  [/\b(?:sk|pk|rk|gsk|xai|key|hf|AIza)[-_][\w*.-]{6,}/g, MARK],
  [/\bAIza[\w-]{10,}/g, MARK],
];

/** Shorter ones are placeholders such as `x`, which stand in ordinary words too. */
const SECRET_CHARS = 4;

/** The shortest beginning of a secret that is taken for one where a text was cut. */
const CUT_CHARS = 4;

const withoutCutSecret = (text: string, secret: string): string => {
  for (let length = secret.length - 1; length >= CUT_CHARS; length--)
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + MARK;
  return text;
};

export const createRedactor = (secrets: readonly string[]): ((text: string) => string) => {
  const known = secrets.filter((secret) => secret.length >= SECRET_CHARS).toSorted((a, b) => b.length - a.length);
  const forms = known.flatMap((secret) => [
    ...new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]),
  ]);
  return (text) => {
    let clean = text;
    for (const form of forms) clean = withoutCutSecret(clean.replaceAll(form, MARK), form);
    for (const [pattern, replacement] of PATTERNS) clean = clean.replace(pattern, replacement);
    return clean;
  };
};

/** One line of at most so many characters, fit for an error message. */
export const toExcerpt = (text: string, chars = 300): string => {
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
  const line = text.replace(/[\u0000-\u0020\u007f-\u00a0\u2028\u2029]+/g, " ").trim();
  return line.length > chars ? `${line.slice(0, chars)}…` : line;
};
