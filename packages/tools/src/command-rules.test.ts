import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Rule } from "@retinue/protocol";
import { judgeRules } from "@retinue/runtime";
import { probeSandbox } from "@retinue/confine";
import { createTestWorkspace, runConfinedShell } from "@retinue/confine/testing";
import { describe, expect, test } from "vitest";
import { COMMAND_EVASIONS } from "./testing/command-evasions.ts";
import { EVERYDAY_COMMANDS } from "./testing/everyday-commands.ts";
import { spellCommand } from "./testing/command-spellings.ts";

const machine = await probeSandbox();

/** Denied commands, and a call of each. */
const DENIED: readonly (readonly [like: string, program: string, ...args: string[]])[] = [
  ["rm *", "rm", "-r", "x"],
  ["git push *", "git", "push", "origin"],
  ["npm publish *", "npm", "publish", "--tag=x"],
  ["curl *", "curl", "http://localhost/"],
  ["terraform apply *", "terraform", "apply", "-auto-approve"],
  ["dd *", "dd", "if=a", "of=b"],
];

const rulesOf = (...denied: readonly string[]): readonly Rule[] => [
  { tools: ["shell"], effect: "allow" },
  ...denied.map((like): Rule => ({ tools: ["shell"], like, effect: "deny" })),
];

const isDenied = (command: string, ...denied: readonly string[]): boolean =>
  judgeRules([{ from: "a", rules: rulesOf(...denied) }], { tool: "shell", command }).effect === "deny";

/** Which lines ran the program, which leaves a mark, and does nothing else. Each line has a folder of its own, in one sandbox. */
const findRun = async (program: string, toLines: (bin: string) => readonly string[]): Promise<ReadonlySet<string>> => {
  await using work = await createTestWorkspace({});
  const bin = work.at("bin");
  const lines = toLines(bin);
  await mkdir(bin);
  await writeFile(path.join(bin, program), '#!/bin/sh\n: > "$MARKS/$LINE"\n');
  await chmod(path.join(bin, program), 0o755);
  for (const folder of ["marks", "lines", "at"]) await mkdir(work.at(folder));
  await Promise.all(lines.map((line, at) => writeFile(work.at(`lines/${at}`), line)));
  const each = `for l in lines/*; do n=\${l##*/}; mkdir -p at/$n; (cd at/$n; LINE=$n timeout 10 bash -c "$(cat ../../$l)" </dev/null >/dev/null 2>&1); done; true`;
  const { end } = await runConfinedShell(`export PATH="${bin}:$PATH" MARKS="${work.at("marks")}"; ${each}`, {
    workspace: work.workspace,
  });
  expect(end).toMatchObject({ type: "exited", exitCode: 0 });
  return new Set((await readdir(work.at("marks"))).map((mark) => lines[Number(mark)] ?? ""));
};

describe("N3: a denied command", () => {
  test.each([
    [">/dev/null rm x", "rm *"],
    ["rm>/dev/null x", "rm *"],
    ["A+=1 rm x", "rm *"],
    ["env -u A rm x", "rm *"],
    ["timeout -s KILL 5 rm x", "rm *"],
    ["nice -n 5 rm x", "rm *"],
    ["stdbuf -oL rm x", "rm *"],
    ["bash < f", "rm *"],
    ["cat f | bash -", "rm *"],
    ["bash <<E\nrm x\nE", "rm *"],
    ["git -C . push", "git push *"],
    ["git --no-pager push", "git push *"],
    ["git -c alias.x=push x", "git push *"],
    ["git x", "git push *"],
    ["GIT_PAGER='rm x' git log", "rm *"],
    ["rm -fr x", "rm -rf *"],
    ["rm -r x --force", "rm -rf *"],
    ["git push origin -f", "git push --force *"],
    ["git push --forc", "git push --force *"],
    ["python3 -c 'import os; os.system(\"rm x\")'", "rm *"],
    ["/lib64/ld-linux-x86-64.so.2 /bin/rm x", "rm *"],
    ["ln -s /bin/rm y && ./y x", "rm *"],
    ["strace $X", "rm *"],
    ["npm --prefix . publish", "npm publish *"],
    ["poetry run rm x", "rm *"],
  ])("is denied as %j", (line, like) => {
    expect(isDenied(line, like)).toBe(true);
  });

  test.each(COMMAND_EVASIONS)("is denied in %j", (line) => {
    expect(isDenied(line, "rm *")).toBe(true);
  });

  test.each([
    ["rm -Rf x", "rm -rf *"],
    ["git push origin +main", "git push --force *"],
    ["/usr/lib/git-core/git-push origin", "git push *"],
    ["git push --rece='rm x' .", "rm *"],
    ["git grep -Orm x", "rm *"],
    ["rg --pre rm a x", "rm *"],
    ["cat > a.py <<EOF\nprint(1)\nEOF\npython3 a.py", "rm *"],
  ])("is held where %j says it by another option, name or file", (line, like) => {
    expect(isDenied(line, like)).toBe(true);
  });

  const SPELLINGS = 300;

  test.each(DENIED)("is denied in %s spelled 300 ways, or does not run", (like, program, ...args) => {
    const lines = spellCommand({ program, args, bin: "/opt/bin" }, { count: SPELLINGS, seed: 7 });
    expect(lines).toHaveLength(SPELLINGS);
    // All of them are meant to run it, so that none may pass.
    expect(lines.filter((line) => !isDenied(line, like))).toEqual([]);
  });

  test("runs in no spelling that passes, tried in the sandbox", { tags: ["long"], timeout: 600_000 }, async () => {
    const through: string[] = [];
    for (const [like, program, ...args] of DENIED) {
      const spell = (bin: string) => spellCommand({ program, args, bin }, { count: SPELLINGS, seed: 11 });
      if (machine.backend === "none") {
        through.push(...spell("/opt/bin").filter((line) => !isDenied(line, like)));
        continue;
      }
      const run = await findRun(program, spell);
      // The spellings are real ones.
      expect(run.size, like).toBeGreaterThan(SPELLINGS * 0.8);
      through.push(...[...run].filter((line) => !isDenied(line, like)));
    }
    expect(through).toEqual([]);
  });
});

describe("a command that no rule is about", () => {
  test.each([
    "ls -la",
    "npm test",
    "npm ci && npm run build 2>&1 | tail -20",
    "git status && git diff --stat",
    "git -C packages/x log --oneline -5",
    "git --no-pager log -3",
    "git commit -m 'remove rm and push from the docs'",
    'git add -A && git commit -m "feat: a (b)"',
    "cat package.json | jq '.scripts'",
    "grep -rn 'git push' docs | head",
    "rg -n \"rm -rf\" --glob '*.md'",
    "find . -name '*.ts' -not -path '*/node_modules/*' | xargs wc -l",
    "find src -type f -exec wc -l {} +",
    'for f in src/*.ts; do wc -l "$f"; done',
    "if [ -f a.txt ]; then cat a.txt; else echo none; fi",
    'while read -r line; do echo "$line"; done < list.txt',
    "cd packages/web && npx tsc --noEmit",
    "NODE_ENV=test node --test",
    "export CI=1; pytest -q tests",
    "timeout 60 cargo test --workspace",
    "env RUST_BACKTRACE=1 cargo run -- --help",
    "nice -n 10 make -j4",
    "bash scripts/build.sh --fast",
    "bash -c 'echo hi && ls'",
    "docker run --rm -it image ls",
    "docker rm old",
    "python3 -c 'print(1 + 2)'",
    "node -e 'console.log(1)'",
    "sed -n '1,20p' a.ts",
    "sed -i 's/foo/bar/g' src/a.ts",
    "awk '{print $1}' a.txt | sort | uniq -c | sort -rn",
    'echo "$(date): done" >> log.txt',
    "VERSION=$(node -p 'require(\"./package.json\").version'); echo $VERSION",
    "test -d dist || mkdir -p dist",
    "mkdir -p a/{b,c} && touch a/b/x",
    "cat <<'EOF' > a.txt\nrm -rf /\n$(not run)\nEOF",
    "set -euo pipefail; npm run lint",
    'f() { echo "$1"; }; f x',
    "diff <(sort a) <(sort b)",
    "ls *.md 2>/dev/null || true",
    "kill $(cat pid) 2>/dev/null; sleep 1",
    "tar -czf out.tgz src && ls -lh out.tgz",
    "npx vitest run src/a.test.ts -t 'a claim'",
    "go build ./... && go vet ./...",
    "pip install -r requirements.txt",
    "time npm run build",
    "! grep -q TODO src/a.ts",
    'case "$1" in a) echo a;; *) echo b;; esac',
    "git log --since='2 weeks ago' --format='%h %s' | wc -l",
  ])("passes: %j", (line) => {
    expect(isDenied(line, ...DENIED.map(([like]) => like))).toBe(false);
  });

  const others = DENIED.map(([like]) => like).filter((like) => like !== "curl *");
  test.each(EVERYDAY_COMMANDS)("passes on every day: %j", (line) => {
    expect(isDenied(line, ...others)).toBe(false);
  });
});
