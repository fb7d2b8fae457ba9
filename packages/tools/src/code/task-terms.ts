/** The words of a task that may name something in the code: paths, identifiers, and ordinary words without those that every task has. */
import { splitName } from "./split-name.ts";

export type TaskTerms = {
  /** As they stand in the task. */
  readonly paths: readonly string[];
  /** Names as they may stand in code. */
  readonly identifiers: readonly string[];
  /** In lower case, without endings. */
  readonly words: readonly string[];
};

const MAX_WORDS = 14;
const MAX_IDENTIFIERS = 10;

const COMMON = new Set(
  (
    "about above add added adding adds after again all allow also always and another any anything are around ask asks back based because " +
    "been before being below between both break bug but can cannot change changed changes check code correct could create does doing done " +
    "down each either ensure error even every everything example existing file files find first fix fixed for from function functions get " +
    "gets give given gives has have having here how implement implemented improve include instead into its just keep let like line lines " +
    "make makes many method more most must name need needed needs never new not nothing now off old once one only open other our out over " +
    "own part please problem project put read really remove rename replace return returns right run running same set should show some " +
    "something still such support sure take than that the their them then there these they thing this those through too two under until " +
    "update use used user uses using value very want was way well were what when where whether which while who why will with within " +
    "without work works would write wrong yet you your"
  ).split(" "),
);

export const toTaskTerms = (task: string): TaskTerms => {
  const paths = new Set<string>();
  const identifiers = new Set<string>();
  const words = new Set<string>();
  const addWords = (text: string): void => {
    for (const word of splitName(text)) if (word.length >= 3 && !COMMON.has(word)) words.add(toStem(word));
  };
  for (const token of task.match(/[\p{L}\p{N}_$./\\:#@-]+/gu) ?? []) {
    const bare = token.replaceAll(/^[./\\:#@-]+(?=\w)|[./\\:#@-]+$/g, "");
    if (isPath(bare)) {
      // Its folders say no more than the path itself.
      paths.add(bare.replaceAll("\\", "/"));
      continue;
    }
    for (const part of bare.split(/[./\\:#@-]+/)) if (isIdentifier(part)) identifiers.add(part);
    addWords(bare);
  }
  for (const [, quoted = ""] of task.matchAll(/`([^`\n]{2,80})`/g)) {
    const name = quoted.replace(/\(.*$/, "").split(/[.#:]/).at(-1) ?? "";
    if (/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name)) identifiers.add(name);
  }
  return {
    paths: [...paths],
    identifiers: [...identifiers].slice(0, MAX_IDENTIFIERS),
    words: [...words].filter((word) => word.length >= 3).slice(0, MAX_WORDS),
  };
};

const isPath = (token: string): boolean =>
  /[/\\]/.test(token) ? !/^https?:/.test(token) : /^[\w-]+(\.[\w-]+)*\.[A-Za-z]\w{0,4}$/.test(token);

/** Capitals or underscores inside a word do not happen in prose. */
const isIdentifier = (token: string): boolean =>
  /^[A-Za-z_$][\w$]+$/.test(token) && /[a-z0-9][A-Z]|[A-Z]{2}[a-z]|[A-Za-z0-9]_[A-Za-z0-9]/.test(token);

/** Rough on purpose: a stem is looked for as a part of names. */
const toStem = (word: string): string => {
  const plural = word
    .replace(/ies$/, "y")
    .replace(/(?<=s|x|z|ch|sh)es$/, "")
    .replace(/(?<![su])s$/, "");
  const stem = plural.replace(/(?<=\w{4})(ing|ed)$/, "");
  // From "cancelled" to "cancel".
  return stem === plural ? plural : stem.replace(/(\p{L})\1$/u, "$1");
};
