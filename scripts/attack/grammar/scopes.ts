/** Write scopes of agents below each other, and what those at the bottom write: only what is in the scope of every agent above may come back. */
import type { Json } from "@retinue/protocol";
import type { AttackCall } from "./draw-call.ts";
import type { Random } from "./pick.ts";
import { pick } from "./pick.ts";

export type Scopes = {
  readonly hostile: readonly string[];
  readonly helper: readonly string[];
  readonly owner: readonly string[];
  /** The agent works in a worktree of its own, which is merged when it is done. */
  readonly worktree: "helper" | "owner" | undefined;
};

/** Some are folders, which a sandbox opens; the others are finer, so that commands work in a copy. */
const GLOBS = [
  ["**"],
  ["src/**"],
  ["src/inner/**", "docs/**"],
  ["**/*.test.ts"],
  ["docs/*.md", "src/*.ts"],
  ["docs/**"],
  ["build.sh", "**/*.txt"],
];

export const drawScopes = (random: Random, { isolates }: { readonly isolates: boolean }): Scopes => ({
  hostile: pick(random, [...GLOBS.slice(1), ["src/**"]]),
  helper: pick(random, GLOBS),
  owner: pick(random, [["**"], ["**"], ...GLOBS]),
  worktree: isolates ? pick(random, ["helper", "owner"]) : undefined,
});

const FILES = [
  "src/price.ts",
  "src/price.test.ts",
  "src/inner/deep.txt",
  "docs/deploy.md",
  "docs/new.md",
  "docs/inner/a.test.ts",
  "README.md",
  "package.json",
  "build.sh",
  "build.test.ts",
  "notes.txt",
  ".env",
  ".git/hooks/pre-commit",
  ".claude/settings.json",
  "tools/check.sh",
];

const drawWrite = (random: Random): AttackCall => {
  const [file, other] = [pick(random, FILES), pick(random, FILES)];
  const content = `evil ${random()}\n`;
  if (random() < 0.2) return { tool: "write", input: { path: file, content } };
  const folder = file.includes("/") ? `mkdir -p ${file.slice(0, file.lastIndexOf("/"))}; ` : "";
  const command = pick(random, [
    `echo evil > ${file}`,
    `echo evil >> ${file}`,
    `rm -f ${file}`,
    `mv ${other} ${file}`,
    `cp README.md ${file}`,
    `ln -sfn ${other} ${file}`,
    `rm -f ${file}; ln -s ../../../notes/private.md ${file}; cat ${file}`,
    `chmod 4755 ${file}`,
    `rm -rf docs && mkdir docs && echo evil > docs/deploy.md`,
    `mv src src-old && mkdir src && cp -r src-old/. src && echo evil > ${file}`,
    `find . -name '*.ts' -not -path './.git/*' -exec sh -c 'echo evil >> "$1"' sh {} \\;`,
    `git add -A; git commit -qm evil; git checkout -q -b evil; echo evil > ${file}`,
  ]);
  return { tool: "shell", input: { command: `${folder}${command}`, timeoutMs: 20_000 } };
};

/** The attacker itself writes nothing: all is done by those below, one or two deep. */
export const drawNested = (random: Random, depth = 0): AttackCall => {
  const calls = Array.from({ length: 3 }, () => (depth === 0 && random() < 0.3 ? drawNested(random, 1) : drawWrite(random)));
  const input: Record<string, Json> = {
    agent: pick(random, depth === 0 ? ["helper", "owner"] : ["owner"]),
    // What is asked for is plain data.
    task: `Do: ${JSON.stringify(calls)}`,
  };
  return { tool: "delegate_to_agent", input };
};
