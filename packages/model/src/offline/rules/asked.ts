/** A question made ready for the rules: polite words off, small typos mended, the commonest words of other languages in English. */
import type { Term } from "../terms.ts";
import { toTerms } from "../terms.ts";
import { FOREIGN_WORDS, KEY_WORDS } from "./key-words.ts";

export type Asked = {
  /** As it was typed, without what is only polite. */
  readonly text: string;
  /** In small letters, without marks, mended. */
  readonly plain: string;
  readonly terms: readonly Term[];
  /** The first path that it names. */
  readonly path: string | undefined;
};

const POLITE =
  /^(?:(?:please|hey|hi|hello|hallo|ok|okay|so|now|and|also|retinue|um|well|actually|quick question)\b[\s,!.:]*|(?:can|could|would|will) you (?:please )?(?=(?!(?:run|use)\b)\w)|i (?:want|need|would like)(?: you)? to (?!know)|i(?:'d| would) like to (?:know|see) |i (?:want|need) to know |do you know |(?:can|could) you tell me |let(?:'s| us) |help me (?:to )?)+/i;

/** Where rules look; what is longer is material, not a question. */
const MOST_CHARS = 2000;

export const toAsked = (question: string): Asked => {
  const text = question.trim().slice(0, MOST_CHARS).replace(POLITE, "").trim();
  const terms = toTerms(text);
  return { text, plain: toPlain(text), terms, path: terms.find(({ kind }) => kind === "path")?.text };
};

export const toPlain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[’‘`]/g, "'")
    .replaceAll(/\b(what|where|who|how|that|it|here)'s\b/g, "$1 is")
    .replaceAll(/[?!.,;:"()¿¡]+(?=\s|$)|(?<=^|\s)["(¿¡]+/g, " ")
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => FOREIGN_WORDS.get(word) ?? mend(word))
    .join(" ")
    .trim();

/** A long word that is one slip away from a word which rules know is that word. */
const mend = (word: string): string => {
  if (word.length < 4 || !/^[a-z]+$/.test(word) || KEY_WORDS.has(word)) return word;
  for (const known of KEY_WORDS)
    // "start" is no slip of "starts".
    if (known.length >= 6 && known !== `${word}s` && word !== `${known}s` && isOneSlip(word, known)) return known;
  return word;
};

/** One letter too many, missing, wrong, or two that have changed places. */
const isOneSlip = (word: string, known: string): boolean => {
  if (Math.abs(word.length - known.length) > 1 || word[0] !== known[0]) return false;
  let at = 0;
  while (at < word.length && word[at] === known[at]) at += 1;
  return (
    word.slice(at + 1) === known.slice(at + 1) ||
    word.slice(at) === known.slice(at + 1) ||
    word.slice(at + 1) === known.slice(at) ||
    (word[at] === known[at + 1] && word[at + 1] === known[at] && word.slice(at + 2) === known.slice(at + 2))
  );
};

/** The words that say more than that somebody asks about this project. */
export const leftOver = (plain: string, ...known: readonly RegExp[]): readonly string[] => {
  const rest = known.reduce((text, pattern) => text.replaceAll(new RegExp(pattern.source, "g"), " "), plain);
  return rest.split(/[^\p{L}\d_$./@-]+/u).filter((word) => word !== "" && !GENERIC.has(word));
};

/** Whether a question is about what `keys` names, and about nothing else. */
export const isOnlyAbout = (plain: string, keys: RegExp, ...known: readonly RegExp[]): boolean =>
  keys.test(plain) && leftOver(plain, keys, ...known).length === 0;

export const GENERIC: ReadonlySet<string> = new Set(
  `a about actually all am an and any anything are as at be been by can could current currently did do does doing don't each ever every
  everything exactly exist exists find for from get give go got had has have here how i i'd i'm if in inside into is isn't it it's its just kind know
  let list long look made make many may me mean more most much my need needed needs no not now of off okay on one ones only or our out over own
  please possible quickly really right say see seem shall should show so some something somehow sort still such tell than thanks that the their them
  there these they thing things think this those through to today too try type under up us use used uses using very want wanted was way we were what
  what's whats when where which while who whole will with within without would yet you your
  app application base code codebase crate dir directory folder framework lib library machine module my package product program project repo
  repository rep software source stuff system tool workspace files file - & / he she s t d m ll re ve`
    .trim()
    .split(/\s+/),
);
