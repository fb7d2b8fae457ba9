/** Small edits that are said in full: rename, replace, add a line, create a file. Each goes through approval like any other change. */
import { escapePattern } from "../terms.ts";
import type { ReadLine } from "../tool-output.ts";
import { parseRead } from "../tool-output.ts";
import { clip } from "../wording.ts";
import type { Rule, Situation, Turn } from "./rule.ts";
import { answer, call, callOr, exchangesOf, offered } from "./rule.ts";

type Wish =
  | { readonly type: "rename"; readonly from: string; readonly to: string; readonly path: string }
  | { readonly type: "replace"; readonly from: string; readonly to: string; readonly path: string }
  | { readonly type: "add"; readonly line: string; readonly at: "top" | "end"; readonly path: string }
  | { readonly type: "create"; readonly content: string; readonly path: string };

const QUOTED = String.raw`"[^"]*"|${"`[^`]*`"}|'[^']*'|“[^”]*”`;
const FILE = String.raw`(?:the )?(?:file )?[${"`"}"']?([\w@~-][\w./@~-]*\w|\.\w[\w.-]*)[${"`"}"']?`;
const END = String.raw`\s*[.!]?\s*$`;

const RENAME = new RegExp(
  String.raw`^rename\s+(?:the )?(?:\w+ )?(${QUOTED}|[\w$]+)\s+(?:to|into|as|->|→)\s+(${QUOTED}|[\w$]+)\s+in\s+${FILE}${END}`,
  "i",
);
const REPLACE = new RegExp(
  String.raw`^(?:replace|change|substitute)\s+(?:the )?(?:text |word |string |line )?(${QUOTED}|\S+)\s+(?:with|by|to|into)\s+(${QUOTED}|\S+)\s+in\s+${FILE}${END}`,
  "is",
);
const ADD = new RegExp(
  String.raw`^(?:add|append|insert|put|write)\s+(?:an? |the )?(?:new )?(?:line|text|comment|row|heading|entry|sentence)?\s*(?:saying |that says |reading |with )?(${QUOTED}|.+?)\s+(?:to|into|in|at|on)\s+(?:the )?(?:(end|bottom|top|beginning|start) of )?${FILE}${END}`,
  "is",
);
const ADD_AFTER = new RegExp(
  String.raw`^(?:add|append|insert|put)\s+(?:an? |the )?(?:new )?(?:line|text|comment|row|heading|entry|sentence)\s+(?:to|into|in|at)\s+(?:the )?(?:(end|bottom|top|beginning|start) of )?${FILE}\s*(?::|,|saying|that says|with the text|reading|with)\s*(${QUOTED}|.+)$`,
  "is",
);
const CREATE = new RegExp(
  String.raw`^(?:create|make|write|add)\s+(?:an? |the )?(?:new )?(?:text )?(?:file )?(?:named |called )?${FILE}\s*(?:with|containing|saying|that says|that contains|:)\s*(?:the )?(?:text |content |contents |line )?:?\s*(${QUOTED}|.+)$`,
  "is",
);

export const editFile: Rule = ({ text }) => {
  const wish = toWish(text);
  if (wish) return { agent: "executor", work: (at) => work(at, wish) };
  const [, incomplete] =
    new RegExp(
      String.raw`^(?:add|append|insert) (?:an? |the )?(?:new )?line (?:to|in|into|at the end of) ${FILE}${END}`,
      "i",
    ).exec(text) ?? [];
  if (incomplete !== undefined) return { work: () => answer(`Which line? Say it in quotes: add the line "…" to ${incomplete}`) };
  const [, from, to] =
    /^rename\s+(?:the )?(?:\w+ )?[`"']?([\w$]+)[`"']?\s+(?:to|into|as)\s+[`"']?([\w$]+)[`"']?\W*$/i.exec(text) ?? [];
  if (from !== undefined && to !== undefined)
    return {
      work: () =>
        answer(
          `In which file? Say: rename ${from} to ${to} in FILE. "who uses ${from}?" shows the files. To rename everywhere at once takes a real model.`,
        ),
    };
  return undefined;
};

const bare = (text = ""): string => {
  const [, inner] = /^["'`“]([\s\S]*)["'`”]$/.exec(text.trim()) ?? [];
  return (inner ?? text.trim()).replaceAll(String.raw`\n`, "\n");
};

/** Names of files have a dot, a slash or a capital; "add a line to it" names none. */
const isFile = (path: string | undefined): path is string =>
  path !== undefined && (/[./]/.test(path) || /^(?:Makefile|Dockerfile|README|LICENSE|CHANGELOG|[A-Z]+)$/.test(path));

const toWish = (text: string): Wish | undefined => {
  const renamed = RENAME.exec(text);
  if (renamed && isFile(renamed[3])) return { type: "rename", from: bare(renamed[1]), to: bare(renamed[2]), path: renamed[3] };
  const replaced = REPLACE.exec(text);
  if (replaced && isFile(replaced[3]))
    return { type: "replace", from: bare(replaced[1]), to: bare(replaced[2]), path: replaced[3] };
  const after = ADD_AFTER.exec(text);
  if (after && isFile(after[2])) return { type: "add", line: bare(after[3]), at: toEnd(after[1]), path: after[2] };
  const added = ADD.exec(text);
  // Unquoted words are the text only after the word "line".
  if (
    added &&
    isFile(added[3]) &&
    (/^["'`“]/.test(added[1] ?? "") || /^\w+\s+(?:an? |the )?(?:new )?line\b/i.test(text)) &&
    !/^(?:an? |the )?(?:new )?lines?$/i.test(added[1] ?? "")
  )
    return { type: "add", line: bare(added[1]), at: toEnd(added[2]), path: added[3] };
  const created = CREATE.exec(text);
  if (created && isFile(created[1])) return { type: "create", content: bare(created[2]), path: created[1] };
  return undefined;
};

const toEnd = (word: string | undefined): "top" | "end" => (/top|beginning|start/i.test(word ?? "") ? "top" : "end");

const work = (at: Situation, wish: Wish): Turn => {
  const exchanges = exchangesOf(at);
  const done = exchanges.find(({ tool }) => tool === "edit" || tool === "write");
  if (done) return report(wish, done.text, done.isError);
  const needs = answer("This needs read, edit and write, which are not offered here. Nothing was changed.");
  if (wish.type === "create") {
    const content = wish.content.endsWith("\n") ? wish.content : `${wish.content}\n`;
    return callOr(`Creating ${wish.path}.`, offered(at, call("write", { path: wish.path, content })), () => needs);
  }
  const read = exchanges.find(({ tool }) => tool === "read");
  if (!read) return callOr(`Reading ${wish.path}.`, offered(at, call("read", { path: wish.path })), () => needs);
  if (read.isError) return answer(`${wish.path} could not be read, so nothing was changed: ${clip(read.text, 200)}`);
  if (/\n\[lines \d+-\d+ of /.test(read.text))
    return answer(`${wish.path} is too long for the rules to edit it, so nothing was changed. This takes a real model.`);
  const edits = toEdits(wish, parseRead(read.text));
  if (typeof edits === "string") return answer(edits);
  return callOr(`Editing ${wish.path}.`, offered(at, call("edit", { path: wish.path, edits: [...edits] })), () => needs);
};

type Edit = { readonly old: string; readonly new: string; readonly all?: true };

/** The edits, or why there are none. */
const toEdits = (wish: Exclude<Wish, { type: "create" }>, lines: readonly ReadLine[]): readonly Edit[] | string => {
  const text = lines.map((line) => line.text).join("\n");
  switch (wish.type) {
    case "replace":
      return text.includes(wish.from)
        ? [{ old: wish.from, new: wish.to, all: true }]
        : `"${clip(wish.from, 100)}" does not stand in ${wish.path}, so nothing was changed.`;
    case "rename":
      return toRenames(wish, lines);
    case "add":
      return toAddition(wish, lines);
    default:
      return wish satisfies never;
  }
};

const toRenames = ({ from, to, path }: Wish & { type: "rename" }, lines: readonly ReadLine[]): readonly Edit[] | string => {
  const word = new RegExp(String.raw`(?<![\w$])${escapePattern(from)}(?![\w$])`, "g");
  const text = lines.map((line) => line.text).join("\n");
  const whole = text.match(word)?.length ?? 0;
  if (whole === 0) return `No word "${from}" stands in ${path}, so nothing was changed.`;
  // Where the name is no part of another one, one edit does.
  if (text.split(from).length - 1 === whole) return [{ old: from, new: to, all: true }];
  const changed = [...new Set(lines.map((line) => line.text).filter((line) => line.search(word) >= 0))];
  const isApart = changed.every((line) => lines.every(({ text: other }) => other === line || !other.includes(line)));
  return isApart
    ? changed.map((line) => ({ old: line, new: line.replaceAll(word, () => to), all: true }))
    : `"${from}" is also a part of other words in ${path}, in a way that rules cannot keep apart. Nothing was changed; this takes a real model.`;
};

/** The fewest lines at the end or the top that stand there only once mark the place. */
const toAddition = ({ line, at, path }: Wish & { type: "add" }, lines: readonly ReadLine[]): readonly Edit[] | string => {
  const texts = lines.map(({ text }) => text);
  const all = texts.join("\n");
  for (let number = 1; number <= texts.length; number += 1) {
    const old = (at === "top" ? texts.slice(0, number) : texts.slice(-number)).join("\n");
    if (old !== "" && all.indexOf(old) === all.lastIndexOf(old))
      return [{ old, new: at === "top" ? `${line}\n${old}` : `${old}\n${line}` }];
  }
  return `${path} is empty. Say: create ${path} with "${clip(line, 60)}".`;
};

const report = (wish: Wish, said: string, isError: boolean): Turn => {
  if (!isError)
    return answer(fenceDiff(said), "It was read, changed through approval, and recorded; `/undo` in the terminal takes it back.");
  const why = clip(said.replace(/^Error(?: \([\w-]+\))?: /, ""), 300);
  return answer(
    `${wish.path} was not changed: ${why}`,
    /denied|approv/i.test(said)
      ? "Changes ask first. Answer yes in the terminal or on the page, or pass `--approve workspace` to allow them in this folder."
      : "",
  );
};

const fenceDiff = (said: string): string => {
  const [first = "", ...rest] = said.split("\n");
  return rest.length === 0
    ? first
    : [first, "", "````diff", ...rest.slice(0, 60), ...(rest.length > 60 ? ["…"] : []), "````"].join("\n");
};
