/** Programs that run a text: from an option, from a file, or from their input. */
import type { Language } from "./program-texts.ts";
import { isPlainAwk, isPlainCode, isPlainSed } from "./program-texts.ts";
import type { ShellWord } from "./shell-line.ts";

type Interpreter = {
  readonly language: Language;
  /** The next word, or what is attached, is code. */
  readonly code: RegExp;
  /** With these, nothing of the line is run as code. */
  readonly done: RegExp;
  /** Options without a value. Any other option makes the rest unknown. */
  readonly flags: RegExp;
  /** Options that take the next word. */
  readonly valued?: RegExp;
};

const INTERPRETERS: readonly (readonly [RegExp, Interpreter])[] = [
  [
    /^(?:python|pypy)[\d.]*$/,
    {
      language: "python",
      code: /^-[BEIOPqRsSuv]*c/,
      done: /^(?:-V+|--version|-h|--help)$/,
      flags: /^-(?:[BEIOPqRsSuvb]+|[WX].+)$/,
      valued: /^-[WX]$/,
    },
  ],
  [
    /^(?:node|nodejs|bun|deno|tsx|ts-node)$/,
    {
      language: "script",
      code: /^(?:-[ep]|-pe|--eval|--print)(?:=|$)/,
      done: /^(?:--test|--version|-v|--help|-h|--check|-c)$/,
      flags:
        /^--(?:watch|no-[\w-]+|enable-source-maps|experimental-(?!loader)[\w-]+|trace-[\w-]+|max-old-space-size=\d+|input-type=\w+|test-[\w-]+=[\w,-]+)$/,
    },
  ],
  [
    /^perl[\d.]*$/,
    {
      language: "perl",
      code: /^-[0aclnpswWtTuUX\d]*[eE]/,
      done: /^(?:-v|-V|--version)$/,
      flags: /^-[0aclnpswWtTuUX\d]*(?:i[.\w]*|F.+)?$/,
    },
  ],
  [
    /^(?:ruby|lua|luajit|php|Rscript|R|julia|ghci?|runghc|elixir|iex|erl|escript|groovy|scala|osascript|tclsh|wish|guile|racket|sbcl|clisp|emacs|irb|jshell|m4)[\d.]*$/,
    { language: "other", code: /^-/, done: /^(?:-v|--version|-h|--help)$/, flags: /^$/ },
  ],
];

const find = (program: string): Interpreter | undefined => INTERPRETERS.find(([name]) => name.test(program))?.[1];

/** Where its text may write a file of any name. */
export const mayWriteAny = (program: string, args: readonly ShellWord[]): boolean =>
  isInterpreter(program) && args.some(({ text }) => /\bopen\b|\bwrite|\bprintf?\b[^;}\n]*>/.test(text));

export const isInterpreter = (program: string): boolean => find(program) !== undefined || /^(?:[gmn]?awk|g?sed)$/.test(program);

/** Where the text comes from the line or its input, and is not known to start nothing. */
export const runsUnclearText = (program: string, args: readonly ShellWord[], isFed: boolean): boolean => {
  if (program.endsWith("sed")) return !isPlainSedCall(args);
  if (program.endsWith("awk")) return !isPlainAwkCall(args);
  const interpreter = find(program);
  if (interpreter === undefined) return true;
  const { language, code, done, flags, valued } = interpreter;
  let hasCode = false;
  for (let at = 0; at < args.length; at += 1) {
    const { text, kind } = args[at] ?? { text: "", kind: "expansion" };
    if (done.test(text)) return false;
    const found = code.exec(text);
    if (found) {
      const attached = text.slice(found[0].length);
      const given = attached === "" ? args[(at += 1)] : { text: attached, kind };
      if (given?.kind !== "literal" || !isPlainCode(language, given.text)) return true;
      // What follows are the arguments of the code.
      if (language === "python") return false;
      hasCode = true;
    } else if (language === "python" && text === "-m") return isUnclearModule(args.slice(at + 1), isFed);
    else if (valued?.test(text) === true) at += 1;
    else if (!text.startsWith("-")) return !hasCode && (isInputFile(text) || (isFed && kind === "expansion"));
    else if (!flags.test(text)) return true;
  }
  return !hasCode && isFed;
};

/** A module may run its arguments or its input as code, as `timeit` and `code` do. */
const isUnclearModule = ([module, ...args]: readonly ShellWord[], isFed: boolean): boolean =>
  (isFed && module?.text !== "json.tool") || args.some(({ text, kind }) => kind === "literal" && /[\\'"$`()]/.test(text));

/** By any name that ends like one of the input's. */
export const isInputFile = (file: string): boolean => /^-$|(?:^|\/)(?:dev|proc)\/|(?:^|\/)std(?:in|out|err)$|^\d+$/.test(file);

const isPlainSedCall = (args: readonly ShellWord[]): boolean => {
  const scripts: (ShellWord | undefined)[] = [];
  let hasScript = false;
  for (let at = 0; at < args.length; at += 1) {
    const { text, kind } = args[at] ?? { text: "", kind: "expansion" };
    const script = /^(?:-[nErsuz]*e|--expression=?)([^]*)$/.exec(text);
    const file = /^(?:-[nErsuz]*f|--file=?)([^]*)$/.exec(text);
    if (script ?? file) {
      const attached = (script ?? file)?.[1] ?? "";
      const value = attached === "" ? args[(at += 1)] : { text: attached, kind };
      hasScript = true;
      if (script) scripts.push(value);
      else if (value?.kind !== "literal" || isInputFile(value.text)) return false;
    } else if (text.startsWith("-") && text !== "-") {
      if (
        !/^(?:-[nErsuz]+|-i\S*|-[nErsuz]+i\S*|--(?:quiet|silent|regexp-extended|in-place(?:=\S*)?|separate|null-data|posix|debug|version|help|sandbox)|--)$/.test(
          text,
        )
      )
        return false;
    } else if (!hasScript) {
      scripts.push(args[at]);
      hasScript = true;
    }
  }
  return scripts.every((script) => script !== undefined && script.kind !== "expansion" && isPlainSed(script.text));
};

const isPlainAwkCall = (args: readonly ShellWord[]): boolean => {
  for (let at = 0; at < args.length; at += 1) {
    const { text, kind } = args[at] ?? { text: "", kind: "expansion" };
    if (/^-[Fv]$/.test(text)) at += 1;
    else if (/^-[Fv].|^--(?:version|help|csv|posix)$|^--field-separator=|^--assign=|^--$/.test(text)) continue;
    else if (text.startsWith("-f")) {
      const file = text === "-f" ? args[(at += 1)] : { text: text.slice(2), kind };
      return file?.kind === "literal" && !isInputFile(file.text);
    } else return !text.startsWith("-") && kind !== "expansion" && isPlainAwk(text);
  }
  return true;
};
