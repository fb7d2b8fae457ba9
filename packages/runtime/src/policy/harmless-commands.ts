/**
 * Commands that only look, with the arguments under which they do. It is a list of what is known: a command, a flag or a form of argument
 * that does not stand here is not known, and so is not harmless.
 */

/** The paths that a command reads, or undefined where it is not known to be harmless. */
export type ReadPaths = readonly string[] | undefined;

type Check = (args: readonly string[]) => ReadPaths;

type Form = {
  /** Flags that take nothing, whole. */
  readonly flags?: RegExp;
  /** Flags that take the next word, and what that may be. */
  readonly valued?: Readonly<Record<string, RegExp>>;
  /** What else may stand there: files, words that name no file, or nothing. */
  readonly operands: "paths" | "words" | "none";
  readonly mostOperands?: number;
};

type Sorted = {
  readonly flags: readonly string[];
  readonly operands: readonly string[];
  readonly afterDashes: readonly string[];
};

const ANYTHING = /^[^]*$/;
const NUMBER = /^[+-]?\d{1,9}[kKMG]?$/;

/** Undefined where something is not of the form. */
const sort = (args: readonly string[], { flags: known = /^$/, valued = {} }: Omit<Form, "operands">): Sorted | undefined => {
  const flags: string[] = [];
  const operands: string[] = [];
  const end = args.indexOf("--");
  const before = end < 0 ? args : args.slice(0, end);
  for (let at = 0; at < before.length; at += 1) {
    const arg = before[at] ?? "";
    if (!arg.startsWith("-") || arg === "-") operands.push(arg);
    else if (Object.hasOwn(valued, arg)) {
      const value = before[(at += 1)];
      if (value === undefined || !valued[arg]?.test(value)) return undefined;
      flags.push(arg);
    } else if (known.test(arg)) flags.push(arg);
    else return undefined;
  }
  return { flags, operands, afterDashes: end < 0 ? [] : args.slice(end + 1) };
};

const of =
  (form: Form): Check =>
  (args) => {
    const sorted = sort(args, form);
    if (!sorted) return undefined;
    const operands = [...sorted.operands, ...sorted.afterDashes];
    if (operands.length > (form.operands === "none" ? 0 : (form.mostOperands ?? Infinity))) return undefined;
    return form.operands === "paths" ? operands.filter((operand) => operand !== "-") : [];
  };

const exactly =
  (...allowed: readonly string[]): Check =>
  (args) =>
    args.length === 1 && allowed.includes(args[0] ?? "") ? [] : undefined;

const VERSION = exactly("--version", "-v", "-V");
const FILES = of({ operands: "paths" });
const HEAD_OR_TAIL = of({
  flags: /^-(?:\d+|[qvz]+|[nc][+-]?\d+)$/,
  valued: { "-n": NUMBER, "-c": NUMBER },
  operands: "paths",
});

/** The first word is the pattern, unless it was given by `-e`. Nothing that goes through folders. */
const checkGrep: Check = (args) => {
  const sorted = sort(args, {
    flags: /^(?:-[EFGPivwxcLlnHhoqsz]+|-[ABCm]\d+|--color=never)$/,
    valued: { "-A": NUMBER, "-B": NUMBER, "-C": NUMBER, "-m": NUMBER, "-e": ANYTHING },
  });
  if (!sorted) return undefined;
  const operands = [...sorted.operands, ...sorted.afterDashes];
  return operands.slice(sorted.flags.includes("-e") ? 0 : 1).filter((operand) => operand !== "-");
};

/** Only `sed -n 3,9p file`. */
const checkSed: Check = ([flag, script = "", ...files]) =>
  flag === "-n" && /^\d+(?:,(?:\d+|\$))?p$/.test(script) && files.every((file) => !file.startsWith("-")) ? files : undefined;

const checkCommand: Check = ([flag, ...names]) =>
  flag === "-v" && names.every((name) => /^\w[\w.-]*$/.test(name)) ? [] : undefined;

/** A revision, a range of them or a path. With a colon it could be a file of another time, which has no path to be judged by. */
const REVISION_OR_PATH = /^[\w@./][\w@./~^-]*$/;
const DIFF_FLAGS =
  "--stat|--shortstat|--numstat|--summary|--name-only|--name-status|-p|--patch|-w|-U\\d+|--word-diff|--no-color|--color=never|" +
  "--cached|--staged|--diff-filter=\\w+|-M|--no-ext-diff|--no-textconv|--no-renames|--exit-code|-q|--quiet";
const LOG_FLAGS =
  "--oneline|--graph|--all|--decorate|--no-decorate|-\\d+|-n\\d+|--max-count=\\d+|--(?:since|until|after|before|author|grep)=.*|" +
  "--follow|--first-parent|--merges|--no-merges|--reverse|--abbrev-commit|--(?:pretty|format)=[^]*|--date=[\\w-]+";

/**
 * `patch`: lines of files are shown by default, `patch-on-request` only where a flag says so. The files of the past may be secrets that were taken out
 * since, and nothing but the tools for git leaves those out.
 */
type GitForm = {
  readonly flags: string;
  readonly valued?: Form["valued"];
  readonly operands: boolean;
  readonly shows?: "patch" | "patch-on-request";
};

const ASKS_FOR_PATCH = /^(?:-p|--patch|-U\d+|--word-diff)$/;
const ASKS_FOR_NAMES = /^(?:--stat|--shortstat|--numstat|--summary|--name-only|--name-status|-q|--quiet)$/;

const showsPatch = ({ shows }: GitForm, args: readonly string[]): boolean =>
  shows !== undefined &&
  (args.some((arg) => ASKS_FOR_PATCH.test(arg)) || (shows === "patch" && !args.some((arg) => ASKS_FOR_NAMES.test(arg))));

const GIT: Readonly<Record<string, GitForm>> = {
  status: {
    flags: "-[sbz]+|--short|--branch|--porcelain(?:=v[12])?|--ignored|-u(?:no|normal|all)|--untracked-files=(?:no|normal|all)",
    operands: true,
  },
  diff: { flags: DIFF_FLAGS, operands: true, shows: "patch" },
  log: { flags: `${LOG_FLAGS}|${DIFF_FLAGS}`, valued: { "-n": NUMBER }, operands: true, shows: "patch-on-request" },
  show: { flags: `${LOG_FLAGS}|${DIFF_FLAGS}`, operands: true, shows: "patch" },
  blame: { flags: "-[ws]+|-L\\d+,[+]?\\d+", valued: { "-L": /^\d+,\+?\d+$/ }, operands: true },
  shortlog: { flags: "-[sne]+|--all", operands: true },
  describe: { flags: "--tags|--always|--dirty", operands: false },
  branch: { flags: "-[arv]+|-vv|--all|--remotes|--list|--show-current", operands: false },
  tag: { flags: "-l|--list|-n", operands: false },
  "rev-parse": {
    flags: "--show-toplevel|--show-prefix|--abbrev-ref|--short|--verify|--is-inside-work-tree|HEAD",
    operands: true,
  },
  "ls-files": { flags: "-[modcsz]+|--others|--modified|--deleted|--cached|--exclude-standard", operands: true },
};

const checkGit: Check = ([command = "", ...args]) => {
  if (command === "--version" && args.length === 0) return [];
  const form = Object.hasOwn(GIT, command) ? GIT[command] : undefined;
  if (!form || showsPatch(form, args)) return undefined;
  const sorted = sort(args, {
    flags: new RegExp(`^(?:${form.flags})$`),
    ...(form.valued === undefined ? {} : { valued: form.valued }),
  });
  if (!sorted) return undefined;
  const { operands, afterDashes } = sorted;
  if (!form.operands && operands.length + afterDashes.length > 0) return undefined;
  // A path may begin with a colon, which git takes for a pattern of its own.
  if (!operands.every((operand) => REVISION_OR_PATH.test(operand)) || afterDashes.some((file) => file.startsWith(":")))
    return undefined;
  return [...operands, ...afterDashes];
};

const COMMANDS: Readonly<Record<string, Check>> = {
  basename: of({ operands: "words" }),
  cat: of({ flags: /^-[AbeEnstTuv]+$/, operands: "paths" }),
  cksum: FILES,
  command: checkCommand,
  cut: of({
    flags: /^-(?:s|d.|[fcb][\d,-]+)$/,
    valued: { "-d": /^.$/, "-f": /^[\d,-]+$/, "-c": /^[\d,-]+$/ },
    operands: "paths",
  }),
  date: (args) => (args.every((arg) => arg === "-u" || arg.startsWith("+")) ? [] : undefined),
  df: of({ flags: /^-[hTkmi]+$/, operands: "paths" }),
  dirname: of({ operands: "words" }),
  du: of({ flags: /^-(?:[achksm]+|d\d+)$/, valued: { "-d": NUMBER }, operands: "paths" }),
  echo: () => [],
  false: () => [],
  file: of({ flags: /^-[bh]+$/, operands: "paths" }),
  git: checkGit,
  grep: checkGrep,
  head: HEAD_OR_TAIL,
  id: of({ flags: /^-[ugGn]+$/, operands: "none" }),
  ls: of({ flags: /^(?:-[1AaBCFGHLNQRSUXcdfghiklmnopqrstuvx]+|--all|--color=never|--human-readable)$/, operands: "paths" }),
  md5sum: FILES,
  nproc: of({ operands: "none" }),
  pwd: of({ operands: "none" }),
  readlink: of({ flags: /^-[efmn]+$/, operands: "paths" }),
  realpath: of({ operands: "paths" }),
  rev: FILES,
  sed: checkSed,
  sha1sum: FILES,
  sha256sum: FILES,
  sort: of({
    flags: /^-(?:[bdfghinruV]+|k[\d.,bdfginr]+|t.)$/,
    valued: { "-k": /^[\d.,bdfginr]+$/, "-t": /^.$/ },
    operands: "paths",
  }),
  stat: of({ flags: /^-[Lt]$/, valued: { "-c": ANYTHING }, operands: "paths" }),
  tac: FILES,
  tail: HEAD_OR_TAIL,
  tr: of({ flags: /^-[cdsC]+$/, operands: "words" }),
  tree: of({ flags: /^-[adfhDpsugitCFrn]+$/, valued: { "-L": NUMBER, "-I": ANYTHING }, operands: "paths" }),
  true: () => [],
  type: checkNames,
  uname: of({ flags: /^-[asnrvmpio]+$/, operands: "none" }),
  // The second word would be written to.
  uniq: of({ flags: /^-[cdiu]+$/, operands: "paths", mostOperands: 1 }),
  wc: of({ flags: /^-[clmwL]+$/, operands: "paths" }),
  which: checkNames,
  whoami: of({ operands: "none" }),
  // Programs that are only asked what they are. Not those that a file of the project can turn into others (cargo, go, yarn, pnpm, npm).
  bun: VERSION,
  deno: exactly("--version", "-V"),
  java: exactly("-version", "--version"),
  node: VERSION,
  python: exactly("--version", "-V"),
  python3: exactly("--version", "-V"),
};

function checkNames(args: readonly string[]): ReadPaths {
  return args.every((name) => /^\w[\w.-]*$/.test(name)) ? [] : undefined;
}

export const readHarmless = ([name = "", ...args]: readonly string[]): ReadPaths =>
  Object.hasOwn(COMMANDS, name) ? COMMANDS[name]?.(args) : undefined;
