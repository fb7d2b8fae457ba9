/**
 * Whether what was recorded bears out a PASS about an expectation in prose. Nobody but the agent has judged it, so the record must at least show that the
 * agent looked, after its last act, and that the words which the expectation quotes were there to be seen.
 */
import type { Evidence } from "@retinue/protocol/test-case";
import { cutQuote, findWords } from "./quote.ts";

export type ProseJudgement = {
  readonly isBorneOut: boolean;
  readonly reason: string;
  readonly cited: readonly Evidence[];
};

const QUOTED = /"([^"\n]{1,200})"|“([^”\n]{1,200})”|`([^`\n]{1,200})`/g;
/** Words that turn a quote into something that must not be seen: then where it stands says nothing. */
const NEGATED =
  /\b(?:no|not|never|without|absent|gone|disappear\w*|vanish\w*|removed|hidden|instead of|cannot|isn't|doesn't|nothing)\b/i;

export const judgeProse = (prose: readonly string[], evidence: readonly Evidence[]): ProseJudgement => {
  if (evidence.length === 0)
    return { isBorneOut: false, reason: "the record holds nothing that was looked at after the act", cited: [] };
  const strong = evidence.filter(({ weak, kind }) => !weak && kind !== "screenshot");
  const pictures = evidence.filter(({ kind }) => kind === "screenshot");
  const literals = prose.filter((text) => !NEGATED.test(text)).flatMap(quotesOf);
  const unseen = literals.find((literal) => !evidence.some(({ quote, kind }) => kind !== "screenshot" && has(quote, literal)));
  if (unseen !== undefined && strong.length + evidence.length > pictures.length)
    return {
      isBorneOut: false,
      reason: `${JSON.stringify(unseen)} is expected, and is not in what was recorded after the act`,
      cited: evidence.slice(-1),
    };
  if (strong.length === 0)
    return {
      isBorneOut: false,
      reason:
        pictures.length > 0
          ? "a screenshot was taken, and nothing was asked about it"
          : "only the text of the whole page was looked at, which does not tell where it stands",
      cited: evidence.slice(-1),
    };
  const citing = literals.length > 0 ? strong.filter(({ quote }) => literals.some((literal) => has(quote, literal))) : [];
  // Words that stand only in the text of a whole page may stand anywhere on it.
  if (literals.length > 0 && citing.length === 0)
    return {
      isBorneOut: false,
      reason: "what is expected was seen only in the text of the whole page",
      cited: evidence.slice(-1),
    };
  return {
    isBorneOut: true,
    reason: "",
    cited: (citing.length > 0 ? citing : strong).slice(-2).map((one) => showing(one, literals)),
  };
};

const quotesOf = (text: string): readonly string[] =>
  [...text.matchAll(QUOTED)].flatMap(([, a, b, c]) => [a, b, c].filter((one) => one !== undefined));

/** Cut to the place of the first words that are in it. */
const showing = (evidence: Evidence, literals: readonly string[]): Evidence => ({
  ...evidence,
  quote: cutQuote(
    evidence.quote,
    literals.find((literal) => has(evidence.quote, literal)),
  ),
});

const has = (text: string, literal: string): boolean => findWords(text, literal) >= 0;
