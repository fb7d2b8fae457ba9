import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readPlainCommands } from "./shell-words.ts";

/** A small generator with a seed, so that a failure can be repeated. */
const createRandom = (seed: number) => {
  let state = seed;
  return <T>(all: readonly T[]): T => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return all[Math.floor((state / 2 ** 32) * all.length)] as T;
  };
};

/** What a shell might take apart otherwise than we do: separators, quotes, expansions, redirections, and the letters around them. */
const PIECES = [
  ...Array.from("abx1-=~:,.@%+/"),
  ...Array.from("  \t\n\r\v\f\u00A0\u2028\u200B\u0085é😀\\'\"$`!#;&|<>(){}*?[]^"),
  " ",
  " ",
  " && ",
  " || ",
  " | ",
  " ; ",
  "|&",
  "&&&",
  ";;",
  "2>&1",
  ">/dev/null",
  " 2>/dev/null",
  "</dev/null",
  ">&2",
  "'a b'",
  '"a b"',
  "''",
  '""',
  "$'\\x20'",
  '$"a"',
  "$x",
  "\\\n",
  "{a,b}",
  "a=b",
  "HEAD~1",
  "cmd",
  "word",
  "~",
  "a:~",
  "--x=~",
  "12>/dev/null",
  "if",
  "!",
  "<<E",
] as const;

const PLAIN_PIECES = [
  "a",
  "b",
  " ",
  " ",
  " -x",
  "'a b'",
  '"c"',
  " && ",
  " || ",
  " | ",
  ";",
  "\n",
  " 2>&1",
  "~1",
  "=",
  "2",
] as const;

/**
 * Runs a line in bash with nothing to run: every command is missing, and the handler for missing commands writes down its words. Twice, once
 * with success and once with failure, so that both sides of `&&` and `||` are reached.
 */
const HARNESS = `
enable -n $(enable | while read -r _ name; do case $name in eval|read|printf|exit|return|unset|shift|set) ;; *) echo "$name";; esac; done) 2>/dev/null
PATH=/nowhere
command_not_found_handle() { printf '%s\\0' "$@" "END" >> "$seen"; return "$status"; }
number=0
while IFS= read -r -d '' line; do
  for status in 0 1; do
    seen="$folder/$number.$status"
    printf '' > "$seen"
    case "$status$line" in 0*|*"||"*) eval -- "$line" ;; esac >/dev/null 2>&1 </dev/null
  done
  number=$((number + 1))
done < "$folder/lines"
`;

const readByBash = (lines: readonly string[]): readonly (readonly string[])[] => {
  const folder = mkdtempSync(path.join(tmpdir(), "retinue-words-"));
  try {
    writeFileSync(path.join(folder, "lines"), lines.map((line) => `${line}\0`).join(""));
    execFileSync("bash", ["--norc", "-c", HARNESS], { env: { folder, LC_ALL: "C.UTF-8", PATH: "/usr/bin:/bin" }, cwd: folder });
    return lines.map((_, number) => {
      const seen = new Set<string>();
      for (const status of [0, 1])
        for (const command of readFileSync(path.join(folder, `${number}.${status}`), "utf8").split("\0END\0"))
          if (command !== "") seen.add(command);
      return [...seen].toSorted();
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** The same form: each command as its words, joined, each once. */
const readByUs = (line: string): readonly string[] | undefined => {
  const commands = readPlainCommands(line);
  return commands && [...new Set(commands.map((words) => words.join("\0")))].toSorted();
};

/** Paths, assignments and words of the shell's own grammar are no names of commands; nothing that begins with them is harmless. */
const isCommandName = (name: string): boolean => /^[\w.:@+,-][\w.:@%+,-]*$/.test(name) && name !== "if";

describe("a plain command line", () => {
  test("is read into the words of its commands", () => {
    expect(readPlainCommands(`ls -la 'a b' && cat "c d"e | head -n5 2>/dev/null; git diff HEAD~1\npwd`)).toEqual([
      ["ls", "-la", "a b"],
      ["cat", "c de"],
      ["head", "-n5"],
      ["git", "diff", "HEAD~1"],
      ["pwd"],
    ]);
    expect(readPlainCommands("ls ''")).toEqual([["ls", ""]]);
    expect(readPlainCommands("  \n ls\n\n")).toEqual([["ls"]]);
  });

  test.each([
    "",
    "\n",
    "ls &",
    "ls & pwd",
    "ls |& cat",
    "ls &&",
    "ls |",
    "&& ls",
    "ls ; ; pwd",
    "ls\rpwd",
    "ls\vpwd",
    "ls\u00A0pwd",
    "ls $'\\x20'",
    "ls \\\npwd",
    "echo $(id)",
    "echo `id`",
    'echo "$(id)"',
    "cat <(id)",
    "echo ${x:=$(id)}",
    "echo $((a[$(id)]))",
    "echo x > f",
    "echo x >> f",
    "echo x 2> f",
    "echo x >| f",
    "echo x &> f",
    "echo x <> f",
    "cat < f",
    "cat <<E\nx\nE",
    "cat <<<x",
    "ls ~",
    "ls ~root/x",
    "ls *",
    "ls [a]",
    "ls {a,b}",
    "ls # x",
    "(ls)",
    "{ ls; }",
    "! ls",
    "f() { ls; }",
    "echo 'a",
    'echo "a',
    "echo >/dev/nullx",
    "echo >/dev/null/../../etc/x",
    "echo 2>&1x",
    "echo '\u202E'",
  ])("%j is not plain", (line) => {
    expect(readPlainCommands(line)).toBeUndefined();
  });

  const meansTheSame = (count: number) => (): void => {
    const pick = createRandom(11);
    const lines = Array.from({ length: count }, () => {
      const pieces = Array.from({ length: pick([2, 3, 4, 5, 6, 7, 8]) }, () => pick(pick([PIECES, PLAIN_PIECES]))).join("");
      // Half of them begin like a command, and half of the pieces are plain, so that more of them are read.
      return (pick([true, false]) ? "cmd " : "") + pieces;
    });
    const read = lines.filter((line) => readPlainCommands(line)?.every(([name = ""]) => isCommandName(name)));
    expect(read.length).toBeGreaterThan(count * 0.075);
    const byBash = readByBash(read);
    const different = read.filter((line, index) => JSON.stringify(readByUs(line)) !== JSON.stringify(byBash[index]));
    expect(different).toEqual([]);
  };

  test("B5: of 800 random lines, those that are read mean to bash just the same", meansTheSame(800));

  test("B5: of 8,000 random lines, those that are read mean to bash just the same", { tags: ["long"] }, meansTheSame(8_000));

  test("B5: the comparison can see a difference", () => {
    expect(readByBash(["a 'b c' && d | e", "a $'\\x20'", "a b\\ c"])).toEqual([["a\0b c", "d", "e"], ["a\0 "], ["a\0b c"]]);
    expect(readByBash(["a || b"])).toEqual([["a", "b"]]);
  });
});
