/** "I get this error": where its text stands in the code, and what is around it. */
import { definedName, kindOf } from "../ranking.ts";
import type { FoundLine, ReadLine } from "../tool-output.ts";
import { parseGrep, parseRead } from "../tool-output.ts";
import { clip, count, quote } from "../wording.ts";
import { bullets, toPlace } from "./look-at-project.ts";
import type { Rule, Situation, Turn } from "./rule.ts";
import { answer, call, callOr, exchangesOf, offered } from "./rule.ts";

const ABOUT_ERRORS =
  /\b(?:errors?|exceptions?|panics?|panicked|traceback|warnings?|messages?|fails?|failed|failing|crash\w*|it says|complains?)\b|^(?:i|we) (?:get|got|see|am getting|keep getting|have)\b|\bwhy (?:do|does|did|am|is|are) (?:i|we|it|this)\b.*\b(?:see|get|getting|say|says|fail|show)/i;
const INTRODUCED =
  /^(?:why (?:do|did|does|am) (?:i|we|it|this) (?:see|get|getting|say|seeing|show|fail with|print)|(?:what|where) (?:does|is|causes?|throws?|raises?|produces?|prints?) (?:the )?(?:error|exception|message|warning)?|(?:i|we) (?:get|got|see|keep getting|am getting|have)(?: (?:an?|the|this))?(?: (?:error|exception|message|warning))?(?: saying| that says)?|(?:i(?:'m| am)|we(?:'re| are)) (?:getting|seeing)(?: (?:this|an? \w+|the \w+))?[,;:.]? *(?:what(?:'s| is) (?:wrong|up|going on|that|this)|why|any ideas?|help)[?!.:]*|(?:error|exception|panic)s?|explain (?:the |this )?(?:error|exception|message|warning)?|it (?:says|fails with|crashes with))\s*:?\s*/i;

export const explainError: Rule = ({ text, plain }) => {
  if (!ABOUT_ERRORS.test(plain)) return undefined;
  const quoted = /"([^"\n]{4,300})"|`([^`\n]{4,300})`|“([^”\n]{4,300})”|(?<!\w)'([^'\n]{4,300})'(?!\w)/.exec(text);
  const inQuotes = quoted?.slice(1).find((each) => each !== undefined);
  const introduced = INTRODUCED.test(text) ? text.replace(INTRODUCED, "").replace(/[?]+$/, "").trim() : "";
  // Quotes inside of an error are a part of it.
  const isInside =
    quoted !== null &&
    introduced !== "" &&
    !/^["`“']/.test(introduced) &&
    introduced.indexOf(quoted[0]) > 0 &&
    !/\b(?:where|why|what|how)\b/.test(introduced);
  const said = isInside ? introduced : (inQuotes ?? introduced);
  // Without the words of the error there is nothing to look for.
  if (
    said.length < 4 ||
    (!quoted && !/\s/.test(said) && !/[A-Z]\w*(?:Error|Exception)\b|[_\d]/.test(said)) ||
    /^(?:this|that|it|errors?|an? error)\b.{0,12}$/i.test(said)
  )
    return undefined;
  return { agent: "code-search", work: (at) => work(at, said) };
};

const NOISE = "!{*.lock,*-lock.json,*.min.js,*.map,*.svg,*.snap}";

const search = (text: string) => call("grep", { pattern: text, literal: true, ignoreCase: true, maxResults: 40, glob: NOISE });

const work = (at: Situation, said: string): Turn => {
  const readAt = at.turns.findIndex((turn) => turn.some(({ tool }) => tool === "read"));
  const lines = linesOf(readAt < 0 ? at.turns : at.turns.slice(0, readAt));
  const none = (): Turn =>
    answer(
      `No file here holds the text "${clip(said, 120)}", nor a part of it that is long enough to tell.`,
      "It may come from a dependency, from the system, or be put together from pieces. Quote a part without names and numbers to search for that.",
    );
  if (at.turns.length === 0)
    return callOr(`Searching for "${clip(said, 60)}".`, offered(at, search(said)), () =>
      answer("This needs grep, which is not offered here. Nothing was looked up."),
    );
  // What only tests and documents hold is put together from pieces in the code.
  const isAside = lines.every(({ path }) => ["test", "docs"].includes(kindOf(path)));
  const parts = offered(at, ...fragments(said).map(search));
  if (lines.length > 0 && isAside && at.turns.length === 1 && parts.length > 0)
    return { type: "calls", text: "Only tests and documents hold it as a whole; searching for its parts.", calls: parts };
  if (lines.length === 0)
    return at.turns.length > 1 ? none() : callOr("Not found as a whole; searching for its parts.", parts, none);
  const ordered = order(lines, said);
  const [best] = ordered;
  if (readAt < 0 && best) {
    const around = call("read", { path: best.path, offset: Math.max(1, best.line - LINES_ABOVE), limit: LINES_ABOVE + 10 });
    return callOr("Reading around the likeliest place.", offered(at, around), () => report({ said, ordered }));
  }
  const read = exchangesOf(at).findLast(({ tool, isError }) => tool === "read" && !isError);
  if (!read || !best) return report({ said, ordered });
  const around = parseRead(read.text);
  const origin: Origin = { best, around, within: enclosing(around, best.line) };
  const errors = errorClassOf(origin);
  if (errors === undefined) return report({ said, ordered, origin });
  const after = at.turns.slice(readAt + 1);
  if (after.flat().some(({ isError }) => isError)) return report({ said, ordered, origin });
  if (after.length > 0) return report({ said, ordered, origin, raised: { name: errors, lines: linesOf(after) } });
  return callOr(`Searching for where ${errors} is raised.`, offered(at, searchRaised(errors)), () =>
    report({ said, ordered, origin }),
  );
};

/** Far enough for the class around a constructor. */
const LINES_ABOVE = 80;

const linesOf = (turns: Situation["turns"]): readonly FoundLine[] => {
  const found = turns.flat().flatMap(({ tool, text, isError }) => (tool === "grep" && !isError ? parseGrep(text).lines : []));
  return [...new Map(found.map((line) => [`${line.path}:${line.line}`, line])).values()];
};

type Origin = {
  readonly best: FoundLine;
  readonly around: readonly ReadLine[];
  /** The definitions that it stands in, the innermost first. */
  readonly within: readonly ReadLine[];
};

/** By indentation: a definition holds what is indented deeper, until something is not. */
const enclosing = (lines: readonly ReadLine[], at: number): readonly ReadLine[] => {
  const found: ReadLine[] = [];
  let least = Infinity;
  for (const line of lines.filter(({ number }) => number <= at).toReversed()) {
    // Brackets that close a list of parameters, and comments, may stand further left than what they belong to.
    if (/^\s*(?:$|[)\]}{]|#|\/[/*]|\*)/.test(line.text)) continue;
    const indent = line.text.search(/\S/);
    if (indent < least && definedName(line.text) !== undefined && !/^\s*(?:const|let|var|val)\b/.test(line.text))
      found.push(line);
    least = Math.min(least, indent);
  }
  return found;
};

/** The class that the text belongs to, if its name or what it extends is an error's. */
const errorClassOf = ({ within }: Origin): string | undefined =>
  within
    .map(({ text }) => /\bclass\s+(\w+)(.*)$/.exec(text))
    .find((match) => match !== null && /(?:Error|Exception|Warning|Failure|Throwable)\b/.test(`${match[1]} ${match[2]}`))?.[1];

const searchRaised = (name: string) =>
  call("grep", {
    pattern: String.raw`\b(raise|throw)\s+(new\s+)?([\w$]+\.)*${name}\b|\bnew\s+([\w$]+\.)*${name}\b`,
    maxResults: 60,
    glob: NOISE,
  });

/** The longest stretches without what differs from time to time: names, numbers, quoted texts. */
const fragments = (said: string): readonly string[] =>
  said
    .split(/["'`“”<>{}[\]()]|:\s|\s-+\s|\d+|(?:\/[\w.-]+)+|--?\w+/)
    .map((part) => part.trim().replace(/^[.,;:]+|[.,;:]+$/g, ""))
    .filter((part) => part.length >= 8 && part !== said)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, 3);

/** Sources that raise it before sources that mention it, before tests, before documents. */
const order = (lines: readonly FoundLine[], said: string): readonly FoundLine[] => {
  const kinds = ["source", "config", "test", "docs", "generated"];
  const score = ({ path, text }: FoundLine): number =>
    kinds.indexOf(kindOf(path)) * 10 -
    (/\b(?:throw|raise|panic|Err|Error|error|bail|fail|fatal|errors\.New|Errorf|warn|abort|exit)\b/.test(text) ? 3 : 0) -
    (/["'`]/.test(text) ? 3 : 0) -
    (text.toLowerCase().includes(said.toLowerCase()) ? 2 : 0) +
    (/^\s*(?:\/\/|#|\*|\/\*|"""|\/\/\/)/.test(text) ? 6 : 0);
  return lines.toSorted((a, b) => score(a) - score(b));
};

const toContext = ({ best, around, within }: Origin): string => {
  const names = within.slice(0, 2).map(({ number, text }) => `\`${definedName(text) ?? ""}\` (${best.path}:${number})`);
  const shown = around.filter(({ number }) => number >= best.line - 8 && number <= best.line + 4);
  return [...(names.length === 0 ? [] : [`It is in ${names.join(" of ")}:`]), quote(best.path, shown)].join("\n\n");
};

type Raised = { readonly name: string; readonly lines: readonly FoundLine[] };

const toRaised = ({ name, lines }: Raised): string => {
  const own = lines.filter(({ path }) => kindOf(path) === "source");
  return own.length === 0
    ? `No source here raises \`${name}\` by its name.`
    : `\`${name}\` is raised in:\n${bullets(
        own.map((line) => toPlace(line, 120)),
        8,
        "places",
      )}`;
};

type Report = {
  readonly said: string;
  readonly ordered: readonly FoundLine[];
  readonly origin?: Origin;
  readonly raised?: Raised;
};

const report = ({ said, ordered, origin, raised }: Report): Turn => {
  const isWhole = ordered.some(({ text }) => text.toLowerCase().includes(said.toLowerCase()));
  return answer(
    `${isWhole ? `"${clip(said, 120)}" stands` : `The whole text stands nowhere; parts of "${clip(said, 120)}" stand`} in ${count(ordered.length, "line")}. The likeliest origin first:`,
    bullets(
      ordered.map((line) => toPlace(line, 120)),
      6,
      "lines",
    ),
    origin ? toContext(origin) : "",
    raised ? toRaised(raised) : "",
    "To explain when it happens takes a real model.",
  );
};
