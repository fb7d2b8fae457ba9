import { describe, expect, test } from "vitest";
import { classifyCommand, scriptsOf } from "./shell-command.ts";

const isHarmless = (line: string): boolean => classifyCommand(line).type === "harmless";

const expectUnknown = (lines: readonly string[]): void => expect(lines.filter(isHarmless)).toEqual([]);

describe("a command line", () => {
  test("that only looks is harmless, and all that it may read is told", () => {
    const lines: Readonly<Record<string, readonly string[]>> = {
      ls: [],
      "ls -la src": ["src"],
      "cat a.txt b/c.txt": ["a.txt", "b/c.txt"],
      "cat -- -x": ["-x"],
      "head -n 20 README.md | wc -l": ["README.md"],
      "tail -5 log.txt": ["log.txt"],
      "grep -n -A 3 'a.*b' src/a.ts": ["src/a.ts"],
      "grep -e x a b": ["a", "b"],
      "sed -n '1,20p' a.ts": ["a.ts"],
      "sort -k2 a | uniq -c": ["a"],
      "git status --short": [],
      "git status && git diff --stat HEAD~1 -- src": ["HEAD~1", "src"],
      "git log --oneline -5": [],
      "git show HEAD --stat": ["HEAD"],
      "git branch -a": [],
      "node --version; python3 -V": [],
      "echo 'done' 2>/dev/null": [],
      "pwd && whoami && uname -a": [],
      "which node npm": [],
    };
    for (const [line, paths] of Object.entries(lines))
      expect([line, classifyCommand(line)]).toEqual([line, { type: "harmless", paths, usesGit: line.includes("git ") }]);
  });

  test("B1: is judged segment by segment, whatever joins them", () => {
    for (const join of [" && ", " ; ", ";", " | ", " || ", " & ", "\n", " |& ", "&&", "\n\n"]) {
      expect(isHarmless(`ls${join}rm x`)).toBe(false);
      expect(isHarmless(`rm x${join}ls`)).toBe(false);
      expect(isHarmless(`ls${join}pwd`)).toBe(!join.includes("|&") && join.trim() !== "&");
    }
  });

  test("B2: that redirects into or out of a file is unknown, also behind a harmless name", () => {
    expectUnknown([
      "echo x > ~/.bashrc",
      "echo x > a",
      "echo x >a",
      "echo x >> a",
      "echo x 2> a",
      "echo x 2>a",
      "echo x <> a",
      "echo x >| a",
      "echo x &> a",
      "echo x >& a",
      "echo x 1>a",
      "echo x 3>a",
      "cat < /etc/passwd",
      "> a",
      "echo x >/dev/null >a",
      "echo x >/dev/tcp/host/80",
    ]);
  });

  test("B3: that substitutes anything is unknown", () => {
    expectUnknown([
      "echo $(id)",
      "echo `id`",
      "cat <(id)",
      "echo >(id)",
      "echo ${x:=$(id)}",
      "echo $((a[$(id)]))",
      'echo "$(id)"',
      'echo "`id`"',
      "echo $HOME",
      "ls ~",
      "ls *.pem",
      "ls {a,b}",
      "echo $'\\x20'",
      'echo "\\$(id)"',
    ]);
  });

  test("B4: stays what it is at any length", () => {
    for (const count of [1, 49, 50, 51, 5000]) {
      expect(isHarmless(`${"true && ".repeat(count)}rm -rf x`)).toBe(false);
      expect(isHarmless(`rm -rf x${" && true".repeat(count)}`)).toBe(false);
      expect(isHarmless(`${"true && ".repeat(count)}ls`)).toBe(true);
    }
  });

  test("B5: with odd separators is unknown", () => {
    expectUnknown(["ls\rrm x", "ls\vrm", "ls\u00A0-la", "ls\\\nrm x", "ls \\\n rm", "ls\u2028rm", "ls\u0085rm", "ls\f"]);
  });

  test("B6: behind a wrapper is unknown", () => {
    expectUnknown([
      'env -S "sh -c id"',
      "env ls",
      "nice ls",
      "timeout 5 ls",
      "xargs ls",
      "ls | xargs rm",
      "nohup ls",
      "stdbuf -oL ls",
      "setsid ls",
      "sudo ls",
      "time ls",
      "command ls",
      "builtin echo",
      "exec ls",
      "busybox ls",
      "watch ls",
    ]);
  });

  test("B7: with a flag that runs or writes something is unknown", () => {
    expectUnknown([
      "find . -exec id ;",
      "find . -fprintf a x",
      "find . -delete",
      "find .",
      "sed -n '1w a' b",
      "sed -n '1e id' b",
      "sed -i s/a/b/ c",
      "sed 's/a/id/e' b",
      "awk 'BEGIN{system(\"id\")}'",
      "git -c core.pager=id log",
      "git -C /x status",
      "git --git-dir=x status",
      "git log --output=a",
      "git log --outp=a",
      "git diff --output a",
      "git diff --ext-diff",
      "git diff --no-index /etc/passwd a",
      "git grep -Oid x",
      "git fetch --upload-pack=id",
      "git clone x",
      "git branch x",
      "git branch -D x",
      "git tag x",
      "git stash",
      "git show HEAD:.env",
      "git show HEAD~1",
      "git show --stat -p HEAD~1",
      "git diff HEAD~1",
      "git diff --cached",
      "git log -p",
      "git log --oneline --patch",
      "git log -U3",
      "git status -v",
      "git show :.env",
      "git remote -v",
      "tar --checkpoint-action=exec=id -f a",
      "rg --pre id x",
      "rg x",
      "man -P id ls",
      "sort --compress-program=id a",
      "sort -o a b",
      "sort -T x a",
      "uniq a b",
      "tree -o a",
      "ls --hyperlink",
      "grep -r x .",
      "grep -f a b",
      "tail -f a",
      "date -s 2020-01-01",
      "date -f a",
      "hostname x",
      "file -C -m a",
      "file -f a",
      "wc --files0-from=a",
      "du --files0-from=a",
      "stat --printf=x a",
      "diff a b",
      "node a.js",
      "node -e 1",
      "npm test",
      "npm -v",
      "yarn --version",
      "cargo --version",
      "go version",
      "python3 -c 1",
      "vi a",
      "less a",
      "tee a",
      "cp a b",
      "touch a",
      "curl x",
      "ssh x",
      "./ls",
      "/bin/ls",
      "a/ls",
      "LS",
      "constructor",
      "__proto__",
      "toString",
    ]);
  });

  test("B8: of builtins that change the shell is unknown", () => {
    expectUnknown([
      "export NODE_OPTIONS=x",
      "NODE_OPTIONS=x ls",
      "alias ls=id",
      "trap id EXIT",
      "declare -x A=b",
      "typeset A",
      "source a",
      ". a",
      "eval ls",
      "hash -p /x ls",
      "set -x",
      "unset PATH",
      "shopt -s x",
      "enable -f a b",
      "printf -v PATH x",
      "read x",
      "mapfile a",
      "umask 0",
      "ulimit -c 0",
      "bind x",
      "complete x",
      "pushd a",
      "type -a",
      "command -p ls",
    ]);
  });

  test("B9: is unknown when a flag stands where a value belongs", () => {
    expectUnknown([
      "head -n --output=x a",
      "grep -A --file=x y",
      "git log -n --output=x",
      "cut -d --output-delimiter=x a",
      "stat -c",
      "git show --output=/etc/x",
      "which --skip-alias",
      "sort -k -o",
    ]);
    expect(classifyCommand("git log -- --output=x")).toMatchObject({ type: "harmless", paths: ["--output=x"] });
  });

  test("B10: with a here-document is unknown", () => {
    expectUnknown(["cat <<E\nid\nE", "sh <<'E'\nid\nE", "bash <<<id", "cat <<-E\nE"]);
  });

  test("B11: reads in every folder that it may have changed to", () => {
    expect(classifyCommand("cd src && cat a; ls b")).toMatchObject({
      type: "harmless",
      paths: ["src", "a", "src/a", "b", "src/b"],
    });
    expect(classifyCommand("cd /etc && cat passwd")).toMatchObject({
      type: "harmless",
      paths: ["/etc", "passwd", "/etc/passwd"],
    });
    expectUnknown(["cd ..", "cd src/.. && ls", "cd", "cd -", "cd a b", "cat link/../x", "cd a && cat ../b"]);
    expectUnknown([`${Array.from({ length: 12 }, (_, number) => `cd d${number}`).join(" && ")} && cat x`]);
  });

  test("B12: with a PATH of its own, or a program by its path, is unknown", () => {
    expectUnknown(["PATH=.:$PATH git status", "PATH=. ls", "./git status", "export PATH=.", "env PATH=. ls"]);
  });
});

describe("the scripts of a command line", () => {
  test("B16: are the files whose content it runs", () => {
    const found: Readonly<Record<string, readonly string[]>> = {
      "sh build.sh": ["build.sh"],
      "./build.sh --fast": ["./build.sh"],
      "cd x && bash -eu 'my script.sh'": ["my script.sh"],
      "node --no-warnings tools/a.mjs x": ["tools/a.mjs"],
      "CI=1 timeout 5 python3 a.py": ["a.py"],
      "npm run build": ["package.json"],
      "make all": ["GNUmakefile", "makefile", "Makefile"],
      "source env.sh; . b.sh": ["env.sh", "b.sh"],
      "true | (sh a.sh)": ["a.sh"],
      "ls -la": [],
    };
    for (const [line, scripts] of Object.entries(found)) expect([line, scriptsOf(line)]).toEqual([line, scripts]);
  });
});
