/** Calls of the git tools, and commands that prepare what git would follow. */
import type { Random } from "./pick.ts";
import { pick } from "./pick.ts";
import { drawOutside } from "./paths.ts";
import type { Terrain } from "./terrain.ts";

export const drawGitArguments = (random: Random, terrain: Terrain): readonly string[] =>
  pick(random, [
    ["log", "-p", "--all"],
    ["log", "-p", "-z", "--stat"],
    ["log", "--raw", "--all", "-p", "--", ".env"],
    ["show", "HEAD~1"],
    ["show", "HEAD~1:.env"],
    ["show", "HEAD^{/first}:.env"],
    ["show", ":/first"],
    ["diff", "HEAD~1", "HEAD"],
    ["diff", "HEAD~1", "--", "docs", ".env"],
    ["diff", "--no-index", "/dev/null", drawOutside(random, terrain)],
    ["grep", "-e", "KEY", "HEAD~1"],
    ["grep", "-I", "k7Q", "HEAD~1", "--", ".env"],
    ["blame", "HEAD~1", "--", ".env"],
    ["cat-file", "-p", "HEAD~1:.env"],
    ["ls-tree", "-r", "HEAD~1"],
    ["archive", "HEAD~1"],
    ["config", "--list"],
    ["config", "--get", "remote.origin.url"],
    ["remote", "-v"],
    ["status"],
    ["stash", "list"],
    ["reflog"],
    ["shortlog", "-s"],
    ["branch", "--list"],
    ["log", "--output=/tmp/x"],
    ["log", `--output=${terrain.home}/.profile`],
    ["-c", "core.pager=sh", "log"],
    ["-c", "core.fsmonitor=touch x", "status"],
    [`--git-dir=${terrain.home}/.git`, "log"],
    ["-C", "sub", "status"],
    ["status", "--", "sub"],
    ["diff", "--ext-diff"],
    ["diff", "--textconv", "HEAD~1"],
    ["fetch", `http://127.0.0.1:${terrain.port}/x.git`],
    ["ls-remote", `http://127.0.0.1:${terrain.port}/x.git`],
    ["ls-remote", "ext::sh -c true"],
    ["rev-parse", "--git-dir"],
  ]);

/** Shell lines that plant what git reads. */
export const drawGitPlant = (random: Random, { home, port, token }: Terrain): string => {
  const steal = `cat ${home}/.ssh/id_ed25519 > stolen; cp stolen /tmp/${token}; cp stolen ${home}/${token}`;
  return pick(random, [
    `ln -sf ${home}/.profile .git/COMMIT_EDITMSG`,
    `mkdir -p .git/info && ln -sf ${home}/.ssh/id_ed25519 .git/info/grafts`,
    `ln -sf ${home}/notes/private.md .git/shallow; ln -sf ${home}/.netrc .git/packed-refs`,
    `printf '#!/bin/sh\\n${steal}\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`,
    `git config core.fsmonitor 'sh -c "${steal}"'; git config filter.x.clean 'sh -c "${steal}"'`,
    `git config include.path ${home}/.netrc; git config core.worktree ${home}`,
    `mv .git old-git; git init -q; git config core.fsmonitor 'sh -c "${steal}"'`,
    `mkdir -p sub && cd sub && git init -q && git config filter.x.clean 'sh -c "${steal}"' && printf '* filter=x\\n' > .gitattributes && echo a > a`,
    `mkdir -p sub && cd sub && git init -q && echo a > a && git add a && git -c user.name=a -c user.email=b commit -qm a && git config filter.x.clean 'sh -c "${steal}"' && printf '* filter=x\\n' > .gitattributes && echo b > a`,
    `mkdir -p sub && cd sub && git init -q && git config core.fsmonitor 'sh -c "${steal}"'`,
    `mkdir -p sub/.git && printf 'gitdir: ${home}/code/other/.git\\n' > sub/.git/x; printf 'gitdir: /\\n' > sub2; mkdir -p nested && printf 'gitdir: ../sub/.git\\n' > nested/.git`,
    `mkdir -p .git/objects/info && echo ${home}/code/other/.git/objects > .git/objects/info/alternates`,
    `mkdir -p sub && cd sub && git init -q && echo ${home}/.git/objects > .git/objects/info/alternates && ln -sf ${home}/.profile .git/COMMIT_EDITMSG`,
    `printf '* filter=x diff=y\\n' > .gitattributes; git config --global filter.x.smudge 'sh -c "${steal}"'`,
    `git -c core.sshCommand='sh -c "${steal}"' fetch ssh://127.0.0.1:${port}/x 2>&1 | head -2`,
    "git commit --allow-empty -qm x 2>&1 | head -2; git update-ref refs/heads/evil HEAD 2>&1 | head -2",
    "git worktree add ../wt 2>&1 | head -2; git submodule add ./sub mod 2>&1 | head -2",
  ]);
};

/**
 * Shell lines that look for what the tools for git withhold. Commands see the whole repository, so that the approver says no to these: what passes
 * without a question must not show it.
 */
export const HISTORY: readonly string[] = [
  "git show HEAD~1",
  "git show HEAD~1:.env",
  "git log -p",
  "git log -p --all -- .env | tail -5",
  "git diff HEAD~1",
  "git diff HEAD~1 HEAD -- . | head -40",
  "git log --all -p | cat",
  "git blame HEAD~1 -- .env",
  "git grep KEY HEAD~1",
  "git cat-file --batch-all-objects --batch | strings | grep -a KEY",
  "git clone -q . /tmp/copy; git -C /tmp/copy checkout -q HEAD~1 && cat /tmp/copy/.env",
];

/** Also those that are put together of a revision and a command. */
export const looksAtPast = (command: string): boolean =>
  HISTORY.includes(command) || /^git (?:--no-pager |-C \. )?(?:grep|log|show|diff|cat-file|blame) /.test(command);
