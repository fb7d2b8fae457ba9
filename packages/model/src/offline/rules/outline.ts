/** The outline of a file: what it says of itself, and what it defines, with lines. */
import type { Exchange } from "../conversation.ts";
import { definedName, kindOf } from "../ranking.ts";
import type { ReadLine } from "../tool-output.ts";
import { parseGlob, parseGrep, parseRead } from "../tool-output.ts";
import { clip, count } from "../wording.ts";
import { leftOver } from "./asked.ts";
import type { Rule, Situation, Turn } from "./rule.ts";
import { answer, call, callOr, exchangesOf, offered, pathOf } from "./rule.ts";

const OUTLINE =
  /\b(?:outline|functions?|methods?|classes|class|symbols?|definitions?|exports?|structs?|types|api|structure|overview|contents|defines?|defined|declares?|declared|summary|summari[sz]e|describe|explain|do|does|about|good for|purpose|responsible|walk through|contains?)\b/;

const isSource = (path: string): boolean =>
  /\.\w+$/.test(path) && ["source", "test"].includes(kindOf(path)) && !path.endsWith("/");

export const outlineFile: Rule = ({ plain, path }) => {
  if (path === undefined || !isSource(path) || !OUTLINE.test(plain)) return undefined;
  const rest = plain.replace(path.toLowerCase(), " ").replace(/\blines? \d+.*/, " lines ");
  if (leftOver(rest, OUTLINE, /\b(?:public|exported|top|level|short|brief|available)\b/).length > 0) return undefined;
  return { agent: "code-search", work: (at) => work(at, path) };
};

/** Definitions in the usual languages: with a keyword at the start, or a method of a class. */
const PATTERN =
  String.raw`^\s*((export|default|declare|public|private|protected|internal|static|abstract|async|final|override|unsafe|extern|pub(\([^)]*\))?)\s+)*(function\*?|class|interface|type|enum|def|fn|func|struct|trait|impl|mod|module|namespace|record|object|protocol|macro_rules!)\s+\S` +
  String.raw`|^(export )?(const|let|var)\s+[\w$]+\s*(:[^=]+)?=\s*(async\s*)?(function|\(|\w+\s*=>)` +
  String.raw`|^\s{1,4}((public|private|protected|static|async|readonly|override|get|set)\s+)*#?[a-zA-Z_$][\w$]*\s*\([^()]*\)\s*(:[^={]+)?\{\s*$` +
  String.raw`|^\s*(unsafe )?impl\b` +
  String.raw`|^[\w$.]+\.[\w$]+\s*=\s*(async\s*)?function`;

const HEAD_LINES = 40;
const MOST = 45;

const look = (path: string) => [
  call("grep", { pattern: PATTERN, path, maxResults: 300 }),
  call("read", { path, limit: HEAD_LINES }),
];

const work = (at: Situation, path: string): Turn => {
  const exchanges = exchangesOf(at);
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (at.turns.length === 0)
    return callOr(`Looking at ${path}.`, offered(at, ...look(path), call("glob", { pattern: name })), () =>
      answer("This needs grep and read, which are not offered here. Nothing was looked up."),
    );
  const other = exchanges.filter(({ tool, isError }) => tool === "glob" && !isError).flatMap(({ text }) => parseGlob(text));
  const isMissing = exchanges.some(({ tool, isError }) => tool === "read" && isError);
  if (isMissing && at.turns.length === 1 && other[0] !== undefined)
    return callOr(`Looking at ${other[0]}.`, offered(at, ...look(other[0])), () => missing(path, other));
  const head = exchanges.findLast(({ tool, isError }) => tool === "read" && !isError);
  if (!head) return missing(path, other);
  return report(pathOf(head), head, exchanges);
};

const missing = (path: string, other: readonly string[]): Turn =>
  answer(
    `${path} does not exist.`,
    other.length > 0
      ? `Files of that name:\n${other
          .slice(0, 8)
          .map((each) => `- ${each}`)
          .join("\n")}`
      : "",
  );

const isTopLevel = (text: string): boolean => /^\S/.test(text);

const report = (path: string, head: Exchange, exchanges: readonly Exchange[]): Turn => {
  const found = exchanges
    .flatMap(({ tool, text, isError, input }) =>
      tool === "grep" && !isError && input["path"] === path ? parseGrep(text).lines : [],
    )
    .filter(
      ({ text }) =>
        definedName(text) !== undefined ||
        /^(?:impl|\s*(?:pub )?mod|\s*declare module)\b|^[\w$.]+\s*=\s*(?:async\s*)?function/.test(text),
    );
  const lines = parseRead(head.text);
  const total = Number(/\[lines \d+-\d+ of (\d+)/.exec(head.text)?.[1] ?? lines.length);
  const opening = openingComment(lines);
  // A long file is told by what stands at its top level.
  const shown =
    found.length > MOST && found.some(({ text }) => isTopLevel(text)) ? found.filter(({ text }) => isTopLevel(text)) : found;
  const top = found.filter(({ text }) => isTopLevel(text)).length;
  return answer(
    `${path} has ${count(total, "line")} and ${count(found.length, "definition")}${top < found.length && top > 0 ? `, ${top} of them at its top level` : ""}.`,
    opening === "" ? "" : `It says of itself: ${clip(opening, 400)}`,
    shown
      .slice(0, MOST)
      .map(
        ({ line, text }) =>
          `${/^\s+/.exec(text)?.[0].replaceAll("\t", "  ").slice(0, 4) ?? ""}- ${line}: ${clip(text.replace(/\s*[{:]\s*$/, ""), 110)}`,
      )
      .join("\n"),
    shown.length > MOST ? `And ${shown.length - MOST} more.` : "",
    found.length === 0 ? `No definitions were recognised in it. Say "show me ${path}" to read it.` : "",
  );
};

/** The comment or docstring that a file opens with; no licence. */
const openingComment = (lines: readonly ReadLine[]): string => {
  const text = lines.map((line) => line.text).join("\n");
  const [, block, docstring] = /^(?:#!.*\n)?\s*(?:\/\*+!?([\s\S]*?)\*\/|(?:r?"""|''')([\s\S]*?)(?:"""|'''))/.exec(text) ?? [];
  const rows: string[] = [];
  for (const { text: row } of lines) {
    if (!/^(?:\/\/[!/]?|#(?!!|include|\[))/.test(row)) break;
    rows.push(row.replace(/^(?:\/\/[!/]?|#)\s?/, ""));
  }
  const comment = (block ?? docstring ?? rows.join("\n")).replaceAll(/^\s*\*\s?/gm, "").trim();
  return /copyright|licen[cs]e/i.test(comment) ? "" : comment;
};
