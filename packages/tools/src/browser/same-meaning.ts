/**
 * Whether two names of a button mean the same act, as far as that is known. Another word for it does; the opposite, a further act beside it, and a word that nobody
 * here knows do not.
 */
const MEANINGS: readonly (readonly string[])[] = [
  ["save", "store", "keep", "apply", "update"],
  ["submit", "send", "post"],
  ["ok", "okay", "confirm", "accept", "agree", "yes", "allow", "approve"],
  ["no", "reject", "decline", "deny", "refuse"],
  ["cancel", "dismiss", "abort", "discard"],
  ["close", "hide"],
  ["delete", "remove", "erase"],
  ["add", "create", "new", "insert"],
  ["login", "log in", "signin", "sign in", "log on", "sign on"],
  ["logout", "log out", "signout", "sign out", "log off", "sign off"],
  ["register", "sign up", "join"],
  ["edit", "change", "modify"],
  ["search", "find"],
  ["next", "continue", "proceed", "forward"],
  ["previous", "back"],
  ["open", "show", "view"],
  ["buy", "order", "pay", "checkout", "check out", "purchase"],
  ["upload", "import"],
  ["download", "export"],
  ["enable", "activate"],
  ["disable", "deactivate"],
  ["start", "begin", "run"],
  ["stop", "end", "pause"],
  ["undo", "revert", "reset"],
];

const NEGATION = /\b(?:not|never|without|don['’]?t|do not)\b/i;

export const isSameMeaning = (one: string, other: string): boolean => {
  const [ofOne, ofOther] = [meaningsOf(one), meaningsOf(other)];
  if (NEGATION.test(one) !== NEGATION.test(other)) return false;
  if (ofOne.size > 0 || ofOther.size > 0) return ofOne.size === ofOther.size && ofOne.isSubsetOf(ofOther);
  // Neither names an act: the same words, as of a product, mean the same.
  const words = wordsOf(one);
  return words.size > 0 && (words.isSubsetOf(wordsOf(other)) || words.isSupersetOf(wordsOf(other))) && wordsOf(other).size > 0;
};

const meaningsOf = (name: string): ReadonlySet<number> => {
  const text = ` ${[...wordsOf(name)].join(" ")} `;
  return new Set(MEANINGS.flatMap((words, at) => (words.some((word) => text.includes(` ${word} `)) ? [at] : [])));
};

const wordsOf = (name: string): ReadonlySet<string> => new Set(name.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
