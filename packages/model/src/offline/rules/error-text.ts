/** "I get this error": where its text stands in the code, and what is around it. */
import { definedName, kindOf } from "../ranking.ts";
import type { FoundLine } from "../tool-output.ts";
import { parseGrep, parseRead } from "../tool-output.ts";
import { clip, count, quote } from "../wording.ts";
import type { Rule, Situation, Turn } from "./rule.ts";
import { answer, call, callOr, exchangesOf, offered, pathOf } from "./rule.ts";

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
  const exchanges = exchangesOf(at);
  const found = exchanges.flatMap(({ tool, text, isError }) => (tool === "grep" && !isError ? parseGrep(text).lines : []));
  const lines = [...new Map(found.map((line) => [`${line.path}:${line.line}`, line])).values()];
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
  const read = exchanges.findLast(({ tool, isError }) => tool === "read" && !isError);
  if (!read && best) {
    const around = call("read", { path: best.path, offset: Math.max(1, best.line - 14), limit: 22 });
    return callOr("Reading around the likeliest place.", offered(at, around), () => report(said, ordered, ""));
  }
  return report(said, ordered, read ? toContext(pathOf(read), parseRead(read.text), best) : "");
};

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

const toContext = (path: string, lines: ReturnType<typeof parseRead>, best: FoundLine | undefined): string => {
  const inside = lines.findLast(
    ({ number, text }) =>
      number <= (best?.line ?? 0) && definedName(text) !== undefined && !/^\s*(?:const|let|var|val)\b/.test(text),
  );
  const name = inside && definedName(inside.text);
  const shown = lines.filter(({ number }) => best === undefined || (number >= best.line - 8 && number <= best.line + 4));
  return [...(name === undefined ? [] : [`It is in \`${name}\` (${path}:${inside?.number}):`]), quote(path, shown)].join("\n\n");
};

const report = (said: string, ordered: readonly FoundLine[], context: string): Turn => {
  const isWhole = ordered.some(({ text }) => text.toLowerCase().includes(said.toLowerCase()));
  return answer(
    `${isWhole ? `"${clip(said, 120)}" stands` : `The whole text stands nowhere; parts of "${clip(said, 120)}" stand`} in ${count(ordered.length, "line")}. The likeliest origin first:`,
    ordered
      .slice(0, 6)
      .map(({ path, line, text }) => `- ${path}:${line}: ${clip(text, 120)}`)
      .join("\n"),
    context,
    "The condition above that line is when it happens. To explain more takes a real model.",
  );
};
