/**
 * Whether a rule is about a command. To what allows, only the command as it is written counts; to what asks or denies, also other ways to write it
 * and what wrappers start, so that a way around a rule is never shorter than the rule.
 */
import path from "node:path";
import { matchesGlob } from "@retinue/protocol/names";
import type { SplitCommand } from "./split-commands.ts";

/** ` *` at the end may be absent, so that `git push *` is about `git push`, too. */
export const readsLike = (like: string, text: string): boolean =>
  matchesGlob(like, text) || (like.endsWith(" *") && matchesGlob(like.slice(0, -2), text));

export type CommandForms = {
  readonly text: string;
  /** Other ways to write it, and what it starts. */
  readonly others: readonly string[];
  readonly program: string;
  readonly isOpen: boolean;
  /** It runs commands that stand in it as text, or come to it. */
  readonly runsOthers: boolean;
};

/** They start what follows them. */
const WRAPPERS: ReadonlySet<string> = new Set(
  "env nice nohup time timeout stdbuf setsid exec command builtin sudo doas ionice chrt unbuffer".split(" "),
);
/** They run a command that they are given as text. What a program or a script does by itself, no rule for commands is about. */
const RUN_GIVEN = /^(?:eval|xargs|parallel|ssh|su|script|watch|trap|alias|busybox|flock)$/;
const SHELLS = /^(?:sh|bash|dash|zsh|ksh|fish|pwsh)$/;

const runsGiven = (program: string, args: readonly string[]): boolean =>
  RUN_GIVEN.test(program) ||
  (SHELLS.test(program) && (args.length === 0 || args.some((arg) => /^-\w*[cs]|^--?[Cc]ommand/.test(arg)))) ||
  (/^(?:find|fd)$/.test(program) && args.some((arg) => /^-(?:exec|ok|x$|X$)|^--exec/.test(arg)));

export const toForms = ({ text, words, isOpen }: SplitCommand): CommandForms => {
  const others = new Set<string>([words.join(" ")]);
  let rest = words;
  let mayStrip = true;
  while (rest.length > 0 && mayStrip) {
    const [first = "", ...after] = rest;
    const bare = path.posix.basename(first);
    if (bare !== first) others.add([bare, ...after].join(" "));
    others.add(rest.join(" "));
    const isWrapper = WRAPPERS.has(bare);
    mayStrip = isWrapper || /^\w+=/.test(first);
    if (!mayStrip) break;
    rest = after;
    // What the wrapper itself is given: options, and times such as `5s`.
    if (isWrapper)
      rest = after.slice(
        Math.max(
          0,
          after.findIndex((word) => !/^-|^\d+[smhd]?$|^\w+=/.test(word)),
        ),
      );
  }
  const program = path.posix.basename(rest[0] ?? words[0] ?? "");
  return { text, others: [...others], program, isOpen, runsOthers: runsGiven(program, rest.slice(1)) };
};

export const isAllowedLike = (like: string, { text }: CommandForms): boolean => readsLike(like, text);

export const isHeldLike = (like: string, { text, others, program, isOpen }: CommandForms): boolean =>
  [text, ...others].some((form) => readsLike(like, form) || readsLike(withoutQuotes(like), form)) ||
  // What its words will be is not known; the program is.
  (isOpen && mayBegin(like, program));

const withoutQuotes = (like: string): string => like.replaceAll(/["']/g, "");

const mayBegin = (like: string, program: string): boolean => {
  const [first = ""] = like.trim().split(/\s/, 1);
  return matchesGlob(first, program) || matchesGlob(path.posix.basename(first), program);
};
