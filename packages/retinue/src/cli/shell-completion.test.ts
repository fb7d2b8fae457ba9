/** The completion scripts in the shells that they are for. Where a shell is not installed, the script is held against its own grammar. */
import { execFileSync } from "node:child_process";
import { accessSync, constants, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listCommands } from "./list-commands.ts";
import { buildProgram } from "./program.ts";
import type { Shell } from "./shell-completion.ts";
import { SHELLS, toCompletionScript } from "./shell-completion.ts";
import { createSurroundings } from "./surroundings.ts";

const commands = listCommands(
  buildProgram(
    createSurroundings(),
    async () => undefined,
    () => undefined,
  ),
);

let folder = "";

beforeAll(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "retinue-completion-")));
  for (const shell of SHELLS) writeFileSync(path.join(folder, `_retinue.${shell}`), toCompletionScript(shell, commands));
  // As zsh finds it by itself.
  writeFileSync(path.join(folder, "_retinue"), toCompletionScript("zsh", commands));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isInstalled = (shell: Shell): boolean =>
  (process.env["PATH"] ?? "").split(path.delimiter).some((place) => {
    try {
      accessSync(path.join(place, shell), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

const run = (shell: Shell, args: readonly string[], input = ""): string =>
  execFileSync(shell, args, {
    encoding: "utf8",
    input,
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: folder, TERM: "dumb", XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
    stdio: ["pipe", "pipe", "pipe"],
  });

const quote = (text: string): string => `'${text}'`;

/** zsh completes at its line editor alone, so that it runs one in a terminal of its own and reads what the line has become. */
const ZSH_DRIVER = `
zmodload zsh/zpty
zpty shell zsh -f -i
put() { zpty -w -n shell "$1"; }
until_seen() { local seen="" part; while [[ "$seen" != *"$1"* ]]; do zpty -r shell part || return 1; seen+="$part"; done; REPLY="$seen" }
put $'PS1= ; unsetopt zle_bracketed_paste; stty -echo 2>/dev/null; autoload -Uz compinit; SOURCING\\n'
put $'print_line() { print -r -- "LINE<$BUFFER>ENDED"; BUFFER=""; zle .accept-line }; zle -N print_line; bindkey "^X" print_line; unsetopt automenu; print REA""DY\\n'
until_seen READY || exit 1
for typed in "$@"; do
  put "$typed"$'\\t\\x18'
  until_seen ">ENDED" || exit 1
  print -r -- "$REPLY"
done
zpty -d shell
`;

/** What each of the lines becomes by a tab. */
const zshLines = (typed: readonly string[], sourcing: string): readonly string[] => {
  const script = ZSH_DRIVER.replace("SOURCING", () => sourcing);
  const said = run("zsh", ["-f", "-c", script, "zsh", ...typed]);
  return [...said.matchAll(/LINE<(.*?)>ENDED/gs)].map(([, line = ""]) => line.trimEnd());
};

type Words = readonly string[];

/** What each of the lines becomes, where there is one way to complete it. */
const COMPLETE: Readonly<Record<Shell, (lines: readonly Words[]) => readonly string[]>> = {
  bash: (lines) =>
    lines.map((words) => {
      const ask = `source _retinue.bash; COMP_WORDS=(${words.map(quote).join(" ")}); COMP_CWORD=${words.length - 1}; _retinue; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return withLast(words, run("bash", ["--norc", "-c", ask]).trim());
    }),
  zsh: (lines) =>
    zshLines(
      lines.map((words) => words.join(" ")),
      "compinit -u -D; source ./_retinue.zsh",
    ),
  fish: (lines) =>
    lines.map((words) => {
      const said = run("fish", ["--no-config", "-c", `source _retinue.fish; complete -C ${quote(words.join(" "))}`]);
      return withLast(words, said.trim().replaceAll(/\t.*$/gm, ""));
    }),
};

const withLast = (words: Words, last: string): string => [...words.slice(0, -1), last].join(" ");

const CASES: readonly (readonly [words: Words, completed: string])[] = [
  [["retinue", "sess"], "sessions"],
  [["retinue", "sessions", "fo"], "fork"],
  [["retinue", "run", "--app"], "--approve"],
  [["retinue", "sessions", "ver"], "verify"],
  [["retinue", "doctor", "--li"], "--live"],
];

describe.each(SHELLS)("the script for %s", (shell) => {
  if (isInstalled(shell))
    test("completes commands, those below them, and options in the shell", { timeout: 60_000 }, () => {
      const lines = COMPLETE[shell](CASES.map(([words]) => words));
      expect(lines).toEqual(CASES.map(([words, completed]) => withLast(words, completed)));
    });

  test("offers every command where it stands and every option of it", () => {
    const script = toCompletionScript(shell, commands);
    for (const { path: at, below, options } of commands) {
      const offered = offeredAt(shell, script, at);
      for (const name of [...below, ...options.map(({ long }) => long)]) expect(offered, `${shell}: ${at}`).toContain(name);
    }
  });
});

/** All that the script offers after a command, as its own text says. */
const offeredAt = (shell: Shell, script: string, at: string): readonly string[] => {
  switch (shell) {
    case "bash":
      return script.split("\n").flatMap((line) => (line.startsWith(`    "${at}") words="`) ? line.split(/[" ]+/) : []));
    case "zsh": {
      const arm = script.split(`\n    "${at}")\n`)[1]?.split("\n      ;;")[0] ?? "";
      return [...arm.matchAll(/(?<=[( ])'((?:\\:|[^:'])+):/g)].map(([, name = ""]) => name.replaceAll("\\:", ":"));
    }
    case "fish": {
      const condition = (line: string): string => /-n '([^']*)'/.exec(line)?.[1] ?? "";
      const isAt = (line: string): boolean =>
        at === ""
          ? condition(line) === "__fish_use_subcommand"
          : at.split(" ").every((word) => condition(line).includes(`__fish_seen_subcommand_from ${word}`));
      return script
        .split("\n")
        .filter(isAt)
        .flatMap((line) =>
          [
            / -a (\S+)/.exec(line)?.[1] ?? [],
            / -l (\S+)/
              .exec(line)
              ?.slice(1)
              .map((name) => `--${name}`) ?? [],
          ].flat(),
        );
    }
    default:
      return shell satisfies never;
  }
};

if (isInstalled("zsh"))
  test("zsh also finds the script by itself, in a folder of its search path", { timeout: 60_000 }, () => {
    expect(zshLines(["retinue sess"], "fpath=($PWD $fpath); compinit -u -D")).toEqual(["retinue sessions"]);
  });
