import { describe, expect, test } from "vitest";
import { parseShellLine } from "./parse-shell-line.ts";

const textsOf = (line: string): readonly string[] | undefined => parseShellLine(line)?.map(({ text }) => text);
const wordsOf = (line: string): readonly (readonly string[])[] | undefined =>
  parseShellLine(line)?.map(({ words }) => words.map(({ text }) => text));

describe("the commands of a line", () => {
  test.each<[string, readonly string[] | undefined]>([
    ["git log", ["git log"]],
    ["cd a && git log | head -5; ls", ["cd a", "git log", "head -5", "ls"]],
    ["npm test > out.txt 2>&1", ["npm test > out.txt 2>&1"]],
    ["sleep 5 & rm x", ["sleep 5", "rm x"]],
    ["a |& b", ["a", "b"]],
    ["echo 'a; rm x' \"b | c\"", ["echo 'a; rm x' \"b | c\""]],
    ["echo $(rm x)", ["rm x", "echo $(rm x)"]],
    ["echo `rm x`", ["rm x", "echo `rm x`"]],
    ['echo "$(rm x)"', ["rm x", 'echo "$(rm x)"']],
    ["echo ${x:-$(rm x)}", ["rm x", "echo ${x:-$(rm x)}"]],
    ["if true; then rm x; else ls; fi", ["true", "rm x", "ls"]],
    ["while read l; do rm $l; done < f", ["read l", "rm $l", "< f"]],
    ["case $x in a|b) rm x;; *) ls;; esac", ["rm x", "ls"]],
    ["f() { rm x; }; f", ["rm x", "f"]],
    ["function f { rm x; }", ["rm x"]],
    ["[[ -n $(rm x) && a == b ]] && ls", ["rm x", "ls"]],
    ["{ rm x; }", ["rm x"]],
    ["! time rm x", ["rm x"]],
    ["(rm x)", ["rm x"]],
    ["cat <<E\n$(rm x)\nE\nls", ["cat <<E", "rm x", "ls"]],
    ["cat <<'E' | sh\n$(rm x)\nE", ["cat <<'E'", "sh"]],
    ["diff <(rm x) y", ["rm x", "diff <(rm x) y"]],
    ["ls # rm x", ["ls"]],
    ["ls\\\n -l", ["ls\\\n -l"]],
  ])("%j has %j", (line, texts) => {
    expect(textsOf(line)).toEqual(texts);
  });

  test.each<[string, readonly string[]]>([
    [">/dev/null rm x", ["rm", "x"]],
    ["rm>/dev/null x", ["rm", "x"]],
    ["rm 2>&1 x <<<y", ["rm", "x"]],
    ["A+=1 B[0]=2 C=(a b) rm x", ["rm", "x"]],
    ["r\\m x", ["rm", "x"]],
    ["r\\\nm x", ["rm", "x"]],
    ["r''m \"x\"", ["rm", "x"]],
    ["$'\\x72\\155' x", ["rm", "x"]],
    ["rm x{a,b}", ["rm", "x{a,b}"]],
  ])("B2, B5: %j are the words %j", (line, words) => {
    expect(wordsOf(line)).toEqual([words]);
  });

  test.each([
    "echo 'x",
    "",
    "ls;;",
    "ls && ",
    "((i++))",
    "echo $((a[$(rm x)]))",
    "echo $((i))",
    "echo ${x@P}",
    "echo ${!x}",
    "echo \"${x:-'$(rm y)'}\"",
    "[[ $x -eq 1 ]]",
    "coproc rm x",
    "ls\rrm x",
    "ls\u00a0x",
    "cat <<E\nnever ends",
    "cat <<E\nE\\\n\nrm x\nE",
    'echo "$\\\n(rm x)"',
    "for PATH in .; do ls; done",
    "if true; fi",
    "echo )",
    "{ }",
    "(".repeat(100_000),
    "$(".repeat(1000) + ")".repeat(1000),
  ])("B3, B5: %j is not read", (line) => {
    expect(parseShellLine(line)).toBeUndefined();
  });
});
