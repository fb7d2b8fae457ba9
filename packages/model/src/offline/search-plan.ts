/** Which calls of the file tools look for what a question is about. */
import type { Offers, PlannedCall } from "./calls.ts";
import type { RankedFile } from "./ranking.ts";
import { definedName } from "./ranking.ts";
import type { Term } from "./terms.ts";

const MAX_TERMS = 4;
const MAX_PHRASES = 2;
const MAX_RESULTS = 60;
const MAX_READS = 2;
/** Found everywhere and telling nothing. */
const NOISE = "!{*-lock.json,*-lock.yaml,*.lock,*.map,*.min.js,*.min.css,*.svg,*.snap}";

/** Looks for each term, for definitions of any of them, and for files named like them. */
export const planSearch = (terms: readonly Term[], offers: Offers): readonly PlannedCall[] => {
  const phrases = terms.filter((term) => term.kind === "phrase").slice(0, MAX_PHRASES);
  const others = terms.filter((term) => term.kind !== "phrase" && term.kind !== "weak").slice(0, MAX_TERMS);
  const calls: PlannedCall[] = [];
  if (offers("grep", "pattern")) {
    calls.push(...[...phrases, ...others].map((term) => planGrep(term.pattern, term.ignoreCase, offers)));
    const named = others.filter((term) => term.kind === "word" || term.kind === "identifier");
    if (named.length > 0) calls.push(planGrep(toDefinitionPattern(named), true, offers));
  }
  if (offers("glob", "pattern") && others.length > 0) calls.push({ tool: "glob", input: { pattern: toNamePattern(others) } });
  return calls;
};

/** Every place of each term; or, by the phrase where there is one, of them together. */
export const planOccurrences = (terms: readonly Term[], filesOnly: boolean, offers: Offers): readonly PlannedCall[] => {
  if (!offers("grep", "pattern")) return [];
  const strongest = terms[0]?.kind === "word" ? terms.filter((term) => term.kind === "word") : terms.slice(0, 1);
  return strongest.slice(0, MAX_TERMS).map((term) => {
    const { tool, input } = planGrep(term.pattern, term.ignoreCase, offers);
    return { tool, input: filesOnly && offers("grep", "filesOnly") ? { ...input, filesOnly: true, maxResults: 200 } : input };
  });
};

const planGrep = (pattern: string, ignoreCase: boolean, offers: Offers): PlannedCall => ({
  tool: "grep",
  input: {
    pattern: ignoreCase && !offers("grep", "ignoreCase") ? `(?i)${pattern}` : pattern,
    ...(ignoreCase && offers("grep", "ignoreCase") ? { ignoreCase } : {}),
    ...(offers("grep", "glob") ? { glob: NOISE } : {}),
    ...(offers("grep", "maxResults") ? { maxResults: MAX_RESULTS } : {}),
  },
});

const toDefinitionPattern = (terms: readonly Term[]): string => {
  const words = "function|class|interface|type|enum|const|let|var|def|fn|func|struct|trait|impl|mod|module|namespace";
  return String.raw`\b(${words})\*?\s+\w*(${terms.map((term) => term.pattern.replaceAll(String.raw`\b`, "")).join("|")})`;
};

/** Names hold a term as it is, with a capital, or with its parts joined. */
const toNamePattern = (terms: readonly Term[]): string => {
  const names = terms.flatMap((term) => {
    const name = (term.text.split("/").at(-1) ?? "").replaceAll(/[^\w.-]/g, "");
    const stem = term.kind === "word" ? term.pattern.replaceAll(/\\b|\\/g, "") : name;
    const kebab = stem.replaceAll(/([a-z\d])([A-Z])/g, "$1-$2").toLowerCase();
    return stem.length < 3 ? [] : [stem, kebab, stem.charAt(0).toUpperCase() + stem.slice(1)];
  });
  const distinct = [...new Set(names)];
  return distinct.length > 0 ? `*{${distinct.join(",")}}*` : "*";
};

/** Reads around the best line of each of the best files. */
export const planReads = (files: readonly RankedFile[], offers: Offers): readonly PlannedCall[] => {
  if (!offers("read", "path", "offset", "limit")) return [];
  return files.slice(0, MAX_READS).map(({ path, lines: [best] }) => {
    if (!best) return { tool: "read", input: { path, offset: 1, limit: 30 } };
    // A definition explains itself below, anything else around.
    const isDefinition = definedName(best.text) !== undefined;
    const offset = Math.max(1, best.line - (isDefinition ? 4 : 7));
    return { tool: "read", input: { path, offset, limit: isDefinition ? 18 : 14 } };
  });
};
