/** Comments that say something is left to do. */
import { kindOf } from "../ranking.ts";
import { parseGrep } from "../tool-output.ts";
import { clip, count } from "../wording.ts";
import { isOnlyAbout } from "./asked.ts";
import type { Rule, Situation, Turn } from "./rule.ts";
import { answer, call, callOr, exchangesOf, offered } from "./rule.ts";

const TODO = /\b(?:to-?dos?|fixmes?|hacks?|xxx)\b/;
const SAID = /\b(?:comments?|open|left|remaining|notes?|unfinished|mark(?:ed|ers?)|there|count|number|tags?)\b/;
/** As comments write them: a word of its own, with a colon, a bracket or words behind it. */
const PATTERN = String.raw`\b(TODO|FIXME|XXX|HACK)\b`;
/** Behind the sign of a comment, and no part of a string or a call. */
const COMMENT = /(?:^\s*[-*]?\s*|\/\/|#|\/\*|\*|--|;|<!--|%|""")[^"'`]*?(?<![./])\b(?:TODO|FIXME|XXX|HACK)\b(?![(/])/;
const MOST = 30;

export const findTodos: Rule = ({ plain, path }) => {
  const rest = path === undefined ? plain : plain.replace(path.toLowerCase(), " ");
  if (!isOnlyAbout(rest, TODO, SAID)) return undefined;
  return { agent: "code-search", work: (at) => work(at, path) };
};

const work = (at: Situation, path: string | undefined): Turn => {
  if (at.turns.length === 0)
    return callOr(
      "Searching for TODO, FIXME, XXX and HACK.",
      offered(
        at,
        call("grep", {
          pattern: PATTERN,
          maxResults: 200,
          glob: "!{*.lock,*-lock.json,*.min.js,*.svg,*.snap}",
          ...(path === undefined ? {} : { path }),
        }),
      ),
      () => answer("This needs grep, which is not offered here. Nothing was looked up."),
    );
  const [found] = exchangesOf(at).map(({ text, isError }) => (isError ? parseGrep("") : parseGrep(text)));
  // A long line is data rather than a comment.
  const lines = (found?.lines ?? []).filter(({ text }) => text.length < 220 && COMMENT.test(text));
  if (lines.length === 0)
    return answer(
      `There is no TODO, FIXME, XXX or HACK${path === undefined ? " in this folder" : ` in ${path}`}. Searched whole words in capitals; hidden and ignored files were left out.`,
    );
  const files = new Set(lines.map((line) => line.path)).size;
  // Sources before tests before documents.
  const order = ["source", "config", "test", "docs", "generated"];
  const sorted = lines.toSorted((a, b) => order.indexOf(kindOf(a.path)) - order.indexOf(kindOf(b.path)));
  return answer(
    `${found?.more === true ? "More than " : ""}${count(lines.length, "line")} with TODO, FIXME, XXX or HACK in ${count(files, "file")}:`,
    sorted
      .slice(0, MOST)
      .map((line) => `- ${line.path}:${line.line}: ${clip(line.text)}`)
      .join("\n"),
    lines.length > MOST ? `And ${count(lines.length - MOST, "more line")}.` : "",
  );
};
