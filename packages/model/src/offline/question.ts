/** What a user wants, told from how the question is put. */
import type { Asked } from "./rules/asked.ts";
import type { Beyond } from "./rules/talk.ts";
import type { Term } from "./terms.ts";

export type Intent =
  /** Beyond rules: `wanted` says what for. */
  | { readonly type: "unable"; readonly wanted: Beyond }
  | { readonly type: "read"; readonly path: string; readonly from?: number; readonly to?: number }
  | { readonly type: "list"; readonly path: string }
  /** All places of something. */
  | { readonly type: "occurrences"; readonly terms: readonly Term[]; readonly filesOnly: boolean }
  /** The best places for something. `explain`: they are only half of what was asked. */
  | { readonly type: "search"; readonly terms: readonly Term[]; readonly explain: boolean };

const CHAT =
  /\b(?:joke|poem|story|song|weather|how are you|how do you feel|meaning of life|your (?:name|favou?rite|opinion))\b|^what(?:'s| is) \d[\d\s+*/x-]*\??$/i;
const TRANSLATE = /^translate\b/i;
const CHANGE =
  /^(?:write|implement|add|create|make|build|fix|refactor|rename|delete|remove|change|update|generate|convert|migrate|optimi[sz]e|improve|rewrite|port|edit|replace|move|install|upgrade|run|execute|commit|push|deploy|debug|review|design|plan|insert|append|format|clean|simplify|test)\b/i;
const EXPLAIN =
  /^(?:explain|why|compare|should|how (?:does|do|is|are|can|could|would|should)|what happens|walk me through|teach)\b/i;

const FILES_THAT =
  /\b(?:which|what|list(?: all| the)?|find(?: all| the)?|show(?: me)?(?: all| the)?|how many)\s+(?:\w+\s+)?files?\b(?:\s+(?:that|which|do|does|can|will|to))?\s+(?:mention|contain|use|using|import|reference|include|call|have|talk about|refer to|with|containing|mentioning)/i;
const PLACES_OF =
  /^(?:find|list|search(?: for)?|grep(?: for)?|show(?: me)?|count|give me)\b.*\b(?:comments?|occurrences?|usages?|uses|references|mentions|calls|callers)\b|^(?:find|list|show(?: me)?) (?:all|every)\b(?! (?:the )?(?:files?|folders?|director))|^(?:who|what) (?:calls|uses|imports|references)\b|^where (?:is|are|do we|does it) .*\b(?:used|called|imported|referenced|mentioned)\b|^grep\b/i;

const LIST =
  /^(?:ls|tree|dir)\b|\b(?:list|show|display|see|print)\b.*\b(?:files?|folders?|director(?:y|ies)|tree|contents?|structure)\b|\b(?:what|which) (?:files|folders|directories) (?:are|do|does|is)\b|^list\b|\bwhat(?:'s| is) (?:in(?:side)? (?:this|the|my) (?:folder|directory)|here)\b/i;
const READ =
  /^(?:show|read|open|print|cat|display|view|see|head|type)\b|\bcontents? of\b|^what(?:'s| is| does)(?: in| inside)?\b|^(?:give|get)(?: me)?\b/i;

/** A wish to have something changed, also after other words: "find and fix the bug". */
const THEN_CHANGE =
  /\b(?:and|then|to|,)\s+(?:write|implement|add|fix|refactor|delete|remove|improve|optimi[sz]e|rewrite|update|upgrade|migrate|mend|repair)\b/i;

export const toIntent = ({ text, plain, terms, path }: Asked): Intent => {
  if (CHAT.test(text)) return { type: "unable", wanted: "talk" };
  if (TRANSLATE.test(text)) return { type: "unable", wanted: "translate" };
  if (FILES_THAT.test(text)) return orUnable({ type: "occurrences", terms, filesOnly: true });
  const reading = toReading(text, terms);
  if (reading) return reading;
  if (LIST.test(plain) && !PLACES_OF.test(text)) return { type: "list", path: path ?? toFolder(text) };
  if (CHANGE.test(text) || (THEN_CHANGE.test(text) && !/^(?:how|where|what|which|who)\b/i.test(text)))
    return { type: "unable", wanted: "change" };
  if (PLACES_OF.test(text)) return orUnable({ type: "occurrences", terms, filesOnly: false });
  const explain = EXPLAIN.test(text);
  const isNamed = terms.some(({ kind }) => kind === "quoted" || kind === "identifier" || kind === "path");
  if (explain && (terms.every((term) => term.kind === "weak") || (OPINION.test(text) && !isNamed)))
    return { type: "unable", wanted: "explain" };
  return orUnable({ type: "search", terms, explain });
};

/** What code does not say. */
const OPINION = /^(?:why|should|compare|is (?:it|this|that)|are (?:they|these))\b/i;

const orUnable = (intent: Intent & { readonly terms: readonly Term[] }): Intent =>
  intent.terms.some(({ kind }) => kind !== "weak") ? intent : { type: "unable", wanted: "unclear" };

/** "read lines 10-30 of foo.ts", "show me package.json", "foo.ts:10-30", or just a path. */
const toReading = (asked: string, terms: readonly Term[]): Intent | undefined => {
  const file = terms.find((term) => term.kind === "path" || (term.kind === "quoted" && /^[\w./@-]+\.\w+$/.test(term.text)))?.text;
  if (file === undefined || file.endsWith("/") || !looksLikeFile(file)) return undefined;
  const colon = new RegExp(String.raw`${file.replaceAll(/[.*+?^${"$"}{}()|[\]\\]/g, String.raw`\$&`)}:(\d+)(?:-(\d+))?`).exec(
    asked,
  );
  const lines = colon ?? /\blines?\s+(\d+)(?:\s*(?:-|–|to|\.\.+|through|until|and)\s*(\d+))?/i.exec(asked);
  const onlyPath = asked.replaceAll(/[`"'?.!\s]/g, "") === file.replaceAll(/[.]/g, "");
  // Other things to search for make it a question about the file, not for it.
  const others = terms.some((term) => term.text !== file && term.kind !== "weak");
  if (!lines && !onlyPath && !(READ.test(asked) && !others)) return undefined;
  if (!lines) return { type: "read", path: file };
  const from = Math.max(1, Number(lines[1]));
  return { type: "read", path: file, from, to: Math.max(from, Number(lines[2] ?? lines[1])) };
};

const looksLikeFile = (path: string): boolean => /\.[A-Za-z]\w*$|^\.\w|(?:^|\/)[A-Z][\w-]*$/.test(path);

/** "files in src", "the runtime folder": the folder is named as a word. */
const toFolder = (asked: string): string => {
  const [, after] =
    /\b(?:in|of|under|inside|below|from|within)\s+(?:the\s+)?(?:folder\s+|directory\s+)?["'`]?([\w./@-]*\w)["'`]?/i.exec(asked) ??
    [];
  const [, first] = /^(?:ls|tree|dir|list)\s+(?:the\s+)?["'`]?([\w./@-]*\w)["'`]?/i.exec(asked) ?? [];
  for (const name of [after, first])
    if (
      name !== undefined &&
      !/^(?:this|the|files?|folders?|all|every|project|repo|repository|workspace|contents?|here|tree|structure|director\w+|my|our)$/i.test(
        name,
      )
    )
      return name;
  return ".";
};
