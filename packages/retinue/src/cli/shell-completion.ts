/** Scripts that complete commands and options in bash, zsh and fish. They hold plain lists, so that completing starts nothing. */
import type { ListedCommand } from "./list-commands.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

type Words = { readonly path: string; readonly words: readonly string[] };

const toWords = (commands: readonly ListedCommand[]): readonly Words[] =>
  commands.map(({ path, below, options }) => ({ path, words: [...below, ...options.map(({ long }) => long), "--help"] }));

const toBash = (commands: readonly ListedCommand[]): string => `# Completion of retinue for bash.
_retinue() {
  local word path="" try
  local current="\${COMP_WORDS[COMP_CWORD]}"
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) continue ;; esac
    try="\${path:+$path }$word"
    case "$try" in
${commands
  .filter(({ path }) => path !== "")
  .map(({ path }) => `      "${path}") path="$try" ;;`)
  .join("\n")}
    esac
  done
  local words=""
  case "$path" in
${toWords(commands)
  .map(({ path, words }) => `    "${path}") words="${words.join(" ")}" ;;`)
  .join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ \${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- "$current"))
}
complete -o filenames -F _retinue retinue
`;

const quoteZsh = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** `name:what it does`, as zsh describes what it offers. */
const toZshEntry = (name: string, about: string): string => quoteZsh(`${name.replaceAll(":", "\\:")}:${about}`);

/** Works as a file that zsh loads by itself and as one that is sourced. `path` would be the search path there. */
const toZsh = (commands: readonly ListedCommand[]): string => `#compdef retinue
# Completion of retinue for zsh.
_retinue() {
  local word at="" try
  local -a offered options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$word" in -*) continue ;; esac
    try="\${at:+$at }$word"
    case "$try" in
${commands
  .filter(({ path }) => path !== "")
  .map(({ path }) => `      "${path}") at="$try" ;;`)
  .join("\n")}
    esac
  done
  case "$at" in
${commands
  .map(({ path, command, options }) =>
    [
      `    "${path}")`,
      `      offered=(${command.commands.map((one) => toZshEntry(one.name(), one.description())).join(" ")})`,
      `      options=(${[...options, { long: "--help", about: "show help" }].map(({ long, about }) => toZshEntry(long, about)).join(" ")})`,
      "      ;;",
    ].join("\n"),
  )
  .join("\n")}
  esac
  if [[ "$PREFIX" == -* ]]; then
    _describe -o option options
  elif (( \${#offered} > 0 )); then
    _describe command offered
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == "_retinue" ]]; then
  _retinue "$@"
else
  compdef _retinue retinue
fi
`;

const quoteFish = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

const toFish = (commands: readonly ListedCommand[]): string => {
  const lines = commands.flatMap(({ path, below, options, command }) => {
    const seen = path.split(" ").filter((word) => word !== "");
    const isHere =
      seen.length === 0
        ? "__fish_use_subcommand"
        : seen.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ") +
          (below.length === 0 ? "" : `; and not __fish_seen_subcommand_from ${below.join(" ")}`);
    return [
      ...command.commands.map(
        (one) => `complete -c retinue -n ${quoteFish(isHere)} -a ${one.name()} -d ${quoteFish(one.description())}`,
      ),
      ...options
        .filter(({ long }) => long.startsWith("--"))
        .map(({ long, about }) => `complete -c retinue -n ${quoteFish(isHere)} -l ${long.slice(2)} -d ${quoteFish(about)}`),
    ];
  });
  return `# Completion of retinue for fish.\n${lines.join("\n")}\n`;
};

export const toCompletionScript = (shell: Shell, commands: readonly ListedCommand[]): string => {
  switch (shell) {
    case "bash":
      return toBash(commands);
    case "zsh":
      return toZsh(commands);
    case "fish":
      return toFish(commands);
    default:
      return shell satisfies never;
  }
};
