/** Programs that start the command behind their own arguments, with the options that are known. One that is not known makes the rest unknown. */
import type { ShellWord } from "./shell-line.ts";

export type Wrapper = {
  /** Options without a value, whole. */
  readonly flags?: RegExp;
  /** Options with a value, in the next word where it is not attached. */
  readonly valued?: readonly string[];
  /** How many other words stand before the command. */
  readonly operands?: number;
  /** Words with `=` before the command set variables. */
  readonly assigns?: boolean;
};

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  builtin: {},
  busybox: {},
  chronic: {},
  chrt: { flags: /^(?:-[fribo]|--(?:fifo|rr|idle|batch|other))$/, operands: 1 },
  command: { flags: /^-p$/ },
  doas: { flags: /^-[nL]$/, valued: ["-u"] },
  env: {
    flags: /^(?:-|-i|-0|-v|--ignore-environment|--null|--debug)$/,
    valued: ["-u", "--unset", "-C", "--chdir"],
    assigns: true,
  },
  exec: { flags: /^-[cl]+$/, valued: ["-a"] },
  fakeroot: {},
  flock: { flags: /^-[nsxuoe]+$/, valued: ["-w", "-E"], operands: 1 },
  ionice: { flags: /^-t$/, valued: ["-c", "-n", "--class", "--classdata"] },
  nice: { flags: /^-\d+$/, valued: ["-n", "--adjustment"] },
  nohup: {},
  setsid: { flags: /^-[cfw]+$|^--(?:ctty|fork|wait)$/ },
  stdbuf: { valued: ["-i", "-o", "-e", "--input", "--output", "--error"] },
  strace: { flags: /^-[fqvtTrcy]+$/, valued: ["-e", "-o", "-s"] },
  sudo: { flags: /^-[nEHSkbA]+$|^--(?:non-interactive|preserve-env)$/, valued: ["-u", "-g", "--user", "--group"], assigns: true },
  taskset: { flags: /^-a$/, operands: 1 },
  time: { flags: /^-[pvaq]+$/, valued: ["-f", "-o"] },
  timeout: {
    flags: /^(?:--preserve-status|--foreground|-v|--verbose)$/,
    valued: ["-s", "-k", "--signal", "--kill-after"],
    operands: 1,
  },
  unbuffer: { flags: /^-p$/ },
  xargs: {
    flags: /^-[0rtx]+$|^--(?:null|no-run-if-empty|verbose|exit)$/,
    valued: [
      "-n",
      "-L",
      "-P",
      "-I",
      "-d",
      "-E",
      "-s",
      "-a",
      "--max-args",
      "--max-procs",
      "--replace",
      "--delimiter",
      "--arg-file",
    ],
  },
};

export const isWrapper = (program: string): boolean => Object.hasOwn(WRAPPERS, program);

export type Unwrapped = {
  readonly rest: readonly ShellWord[];
  readonly assigned: readonly ShellWord[];
  /** Those with a value. */
  readonly options: readonly { readonly option: string; readonly value: string }[];
};

/** What a wrapper starts, the words that it sets as variables, or undefined where its arguments are not understood. */
export const unwrap = (program: string, args: readonly ShellWord[]): Unwrapped | undefined => {
  const { flags = /^$/, valued = [], operands = 0, assigns = false } = WRAPPERS[program] ?? {};
  const assigned: ShellWord[] = [];
  const options: { option: string; value: string }[] = [];
  let left = operands;
  for (let at = 0; at < args.length; at += 1) {
    const { text, kind } = args[at] ?? { text: "", kind: "expansion" };
    if (text === "--" && kind === "literal") {
      if (left > 0) return undefined;
      return { rest: args.slice(at + 1), assigned, options };
    }
    if (text.startsWith("-") && text !== "") {
      if (kind !== "literal") return undefined;
      if (valued.includes(text)) options.push({ option: text, value: args[(at += 1)]?.text ?? "" });
      else if (!flags.test(text)) {
        const option = valued.find((one) => isAttached(text, one));
        if (option === undefined) return undefined;
        options.push({ option, value: text.slice(option.length).replace(/^=/, "") });
      }
    } else if (assigns && text.includes("=")) assigned.push(args[at] ?? { text, kind });
    else if (left > 0) left -= 1;
    else return { rest: args.slice(at), assigned, options };
  }
  return { rest: [], assigned, options };
};

/** `-n5`, `--signal=KILL`. */
const isAttached = (text: string, option: string): boolean =>
  option.startsWith("--") ? text.startsWith(`${option}=`) : text.startsWith(option) && !text.startsWith("--") && text.length > 2;
