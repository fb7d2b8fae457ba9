/** What a user wants, told from how the question is put. */
import type { Term } from "./terms.ts";
import { toTerms } from "./terms.ts";

export type Intent =
  | { readonly type: "help" }
  /** Beyond rules: `wanted` says what for. */
  | { readonly type: "unable"; readonly wanted: "change" | "translate" | "explain" | "talk" }
  | { readonly type: "read"; readonly path: string; readonly from?: number; readonly to?: number }
  | { readonly type: "list"; readonly path: string }
  | { readonly type: "overview" }
  /** All places of something. */
  | { readonly type: "occurrences"; readonly terms: readonly Term[]; readonly filesOnly: boolean }
  /** The best places for something. `explain`: they are only half of what was asked. */
  | { readonly type: "search"; readonly terms: readonly Term[]; readonly explain: boolean };

const POLITE =
  /^(?:(?:please|hey|hi|hello|ok|okay|so|now|and|also|retinue)\b[\s,!.]*|(?:can|could|would|will) you (?:please )?|i (?:want|need|would like)(?: you)? to |let(?:'s| us) |help me (?:to )?)+/i;

const GREETING =
  /^(?:hi|hello|hey|help|hola|good (?:morning|day|evening|afternoon)|thanks?(?: you)?|ok(?:ay)?|test|ping|\?+)[\s!.?]*$/i;
const ABOUT_ITSELF =
  /^(?:who|what) are you\b|^what can (?:you|i) (?:do|ask)|^how (?:do i|to) use (?:you|this)\b|^(?:show )?help\b/i;
const CHAT =
  /\b(?:joke|poem|story|song|weather|how are you|how do you feel|meaning of life|your (?:name|favou?rite|opinion))\b|^what(?:'s| is) \d[\d\s+*/x-]*\??$/i;
const TRANSLATE = /^translate\b/i;
const CHANGE =
  /^(?:write|implement|add|create|make|build|fix|refactor|rename|delete|remove|change|update|generate|convert|migrate|optimi[sz]e|improve|rewrite|port|edit|replace|move|install|upgrade|run|execute|commit|push|deploy|debug|review|design|plan|insert|append|format|clean|simplify|test)\b/i;
const EXPLAIN =
  /^(?:explain|why|compare|should|how (?:does|do|is|are|can|could|would|should)|what happens|walk me through|teach)\b/i;

const PROJECT = String.raw`(?:project|repo|repository|code ?base|workspace|app|application|program|package|library|tool|code|thing)`;
const OVERVIEW = [
  new RegExp(
    String.raw`\bwhat(?:'s| does| is| are)? (?:this|the|that)(?: \w+)? ?${PROJECT}?(?: \w+)?(?: do| does| about| for)\b`,
    "i",
  ),
  new RegExp(String.raw`^what(?:'s| is) (?:this|the) ${PROJECT}\b`, "i"),
  new RegExp(
    String.raw`\b(?:overview|summary|summari[sz]e|describe|tell me about|explain|introduce|architecture|structure)\b.*\b(?:this|the|my|our|of) ${PROJECT}\b`,
    "i",
  ),
  new RegExp(String.raw`\bhow is (?:this|the) ${PROJECT} (?:structured|organi[sz]ed|laid out|built)\b`, "i"),
  /^(?:give me an? )?(?:overview|summary)\W*$/i,
];

const FILES_THAT =
  /\b(?:which|what|list(?: all| the)?|find(?: all| the)?|show(?: me)?(?: all| the)?|how many)\s+(?:\w+\s+)?files?\b(?:\s+(?:that|which|do|does|can|will|to))?\s+(?:mention|contain|use|using|import|reference|include|call|have|talk about|refer to|with|containing|mentioning)/i;
const PLACES_OF =
  /^(?:find|list|search(?: for)?|grep(?: for)?|show(?: me)?|count|give me)\b.*\b(?:comments?|occurrences?|usages?|uses|references|mentions|calls|callers)\b|^(?:find|list|show(?: me)?) (?:all|every)\b(?! (?:the )?(?:files?|folders?|director))|^(?:who|what) (?:calls|uses|imports|references)\b|^where (?:is|are|do we|does it) .*\b(?:used|called|imported|referenced|mentioned)\b|^grep\b/i;

const LIST =
  /^(?:ls|tree|dir)\b|\b(?:list|show|display|see|print)\b.*\b(?:files?|folders?|director(?:y|ies)|tree|contents?|structure)\b|\b(?:what|which) (?:files|folders|directories) (?:are|do|does|is)\b|^list\b|\bwhat(?:'s| is) (?:in(?:side)? (?:this|the|my) (?:folder|directory)|here)\b/i;
const READ =
  /^(?:show|read|open|print|cat|display|view|see|head|type)\b|\bcontents? of\b|^what(?:'s| is| does)(?: in| inside)?\b|^(?:give|get)(?: me)?\b/i;

/** Where rules look; what is longer is material, not a question. */
const MOST_CHARS = 2000;

export const toIntent = (text: string): Intent => {
  const asked = text.trim().slice(0, MOST_CHARS).replace(POLITE, "").trim();
  if (asked === "" || GREETING.test(text.trim()) || ABOUT_ITSELF.test(asked)) return { type: "help" };
  if (CHAT.test(asked)) return { type: "unable", wanted: "talk" };
  if (TRANSLATE.test(asked)) return { type: "unable", wanted: "translate" };
  const terms = toTerms(asked);
  const path = terms.find((term) => term.kind === "path")?.text;
  if (FILES_THAT.test(asked)) return orHelp({ type: "occurrences", terms, filesOnly: true });
  const reading = toReading(asked, terms);
  if (reading) return reading;
  if (LIST.test(asked) && !PLACES_OF.test(asked)) return { type: "list", path: path ?? toFolder(asked) };
  if (OVERVIEW.some((pattern) => pattern.test(asked))) return { type: "overview" };
  if (CHANGE.test(asked) && !/^(?:test|plan|design)s?\W*\w*\?/i.test(asked)) return { type: "unable", wanted: "change" };
  if (PLACES_OF.test(asked)) return orHelp({ type: "occurrences", terms, filesOnly: false });
  const explain = EXPLAIN.test(asked);
  if (explain && terms.every((term) => term.kind === "weak")) return { type: "unable", wanted: "explain" };
  return orHelp({ type: "search", terms, explain });
};

const orHelp = (intent: Intent & { readonly terms: readonly Term[] }): Intent =>
  intent.terms.length === 0 ? { type: "help" } : intent;

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
