/** What an agent says about tests that passed: how many, and whether all of them. What ought to pass, or may, is no claim. */
import { toSentences } from "./sentences.ts";

export type TestClaim = {
  /** As it was said. */
  readonly text: string;
  readonly passed?: number;
  /** Out of how many, where that was said. */
  readonly of?: number;
  /** All tests that there are passed. */
  readonly isAll: boolean;
};

const PASS = "(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed|ing)?)";
const COUNTED = String.raw`(?<passed>\d+)(?:\s*(?:\/|of|out of)\s*(?<of>\d+))?`;
const PATTERNS: readonly RegExp[] = [
  new RegExp(
    String.raw`\b(?:(?<all>all|every)\s+)?(?:(?:of\s+)?(?:the|its|our|my|existing|new)\s+)*(?:${COUNTED}\s+)?(?:(?:new|existing|unit|integration|other|remaining|of\s+the)\s+)*tests?\s+(?:suite\s+)?(?:(?:now|still|also|all|again|are|is|have|has|were)\s+)*${PASS}\b(?:\s*\((?<passed2>\d+)\/(?<of2>\d+)\))?`,
    "gi",
  ),
  new RegExp(String.raw`\b(?:test\s+)?suite\s+(?:(?:now|still|also|is|are|again)\s+)*${PASS}\b`, "gi"),
  /(?<![\w/])(?<passed>\d+)(?:\s*\/\s*(?<of>\d+))?\s+(?:pass(?:ed|ing)|pass)\b(?:,\s*(?<failed>\d+)\s+failed)?/gi,
  /\b(?<all>all)\s+(?<passed>\d+)\s+pass\b/gi,
];

/** Before or after the claim, in the same sentence: it is wished for, asked, denied, or somebody else's word. */
const UNREAL_BEFORE =
  /\b(?:make sure|ensures?|until|whether|once|if|when|unless|not|no|none|should|would|could|must|so that|to make|requires?|expects?|claims?|criteria|tell that|before|verify|check that|that pass|do not know|\[ \])(?![\w-])/i;
const IS_TODO = /^\s*[-*]\s*\[ \]/;
const UNREAL_INSIDE = /\b(?:not|would|should|could|will)\b/i;

const claimsIn = (sentence: string): readonly TestClaim[] => {
  if (IS_TODO.test(sentence)) return [];
  const claims: TestClaim[] = [];
  const taken: (readonly [number, number])[] = [];
  for (const pattern of PATTERNS)
    for (const match of sentence.matchAll(pattern)) {
      const end = match.index + match[0].length;
      if (taken.some(([from, to]) => match.index < to && end > from)) continue;
      taken.push([match.index, end]);
      const before =
        sentence
          .slice(0, match.index)
          .split(/[,;]\s/)
          .at(-1) ?? "";
      if (UNREAL_BEFORE.test(before) || UNREAL_INSIDE.test(match[0]) || /\bthat\s+pass\b/i.test(match[0])) continue;
      const { all, passed, passed2, of, of2, failed } = match.groups ?? {};
      const counted = passed ?? passed2;
      const outOf = of ?? of2 ?? (failed === undefined ? undefined : String(Number(counted ?? 0) + Number(failed)));
      // "6 tests pass, 2 fail" does not say that all do.
      const isSome =
        outOf !== undefined ? outOf !== counted : /^[\s,;:and]*\d+\s+(?:tests?\s+)?(?:still\s+)?fail/i.test(sentence.slice(end));
      claims.push({
        text: match[0].trim(),
        ...(counted === undefined ? {} : { passed: Number(counted) }),
        ...(outOf === undefined ? {} : { of: Number(outOf) }),
        isAll: !isSome && (counted === undefined || all !== undefined || outOf === counted),
      });
    }
  return claims;
};

/** No claim does without one of these; most answers have none, and are not taken apart. */
const MAY_CLAIM = /pass|green|succeed/i;

export const findTestClaims = (text: string): readonly TestClaim[] =>
  MAY_CLAIM.test(text) ? toSentences(text).flatMap(claimsIn) : [];
