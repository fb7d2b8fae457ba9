/** Revisions of git, put together from a name, steps from there and a path, in the commands that print contents. */
import type { Random } from "./pick.ts";
import { pick } from "./pick.ts";

const NAMES = ["HEAD", "@", "main", "topic/one", "v1", "refs/heads/main", "tags/v1", "@{upstream}", "HEAD@{1}", "main@{0}"];
const FOUND = [":/feat: first", ":/^feat: f", ":/.", "HEAD^{/feat:}", "@^{/feat: first}", "topic/one^{/first}"];
const STEPS = ["", "", "~1", "^", "^{}", "^{commit}", "^{/feat:}", "^{tree}", "~1^{tree}", "^0"];
const PATHS = ["", "", "", ":.env", ":./.env", ":", "^{tree}:.env", ":HEAD:x"];
const RANGES = ["..", "...", ""];

const drawRevision = (random: Random): string => {
  const one = random() < 0.3 ? pick(random, FOUND) : pick(random, NAMES) + pick(random, STEPS);
  if (random() < 0.15) return `${one}${pick(random, RANGES)}${pick(random, NAMES)}`;
  return one + pick(random, PATHS);
};

const COMMANDS: readonly ((revision: string) => readonly string[])[] = [
  (revision) => ["grep", "-n", "KEY", revision],
  (revision) => ["grep", "-h", "-C", "3", "k7Q", revision, "--", "."],
  (revision) => ["log", "-p", "-5", revision],
  (revision) => ["log", "--cc", "--stat", "-GKEY", revision],
  (revision) => ["show", revision],
  (revision) => ["diff", revision],
  (revision) => ["cat-file", "-p", revision],
  (revision) => ["blame", revision, "--", ".env"],
];

export const drawRevisionArguments = (random: Random): readonly string[] => pick(random, COMMANDS)(drawRevision(random));

const quote = (word: string): string => (/^[\w./-]+$/.test(word) ? word : `'${word}'`);

/** The same as a command line, which passes without a question where it only looks. */
export const drawRevisionCommand = (random: Random): string =>
  `git ${pick(random, ["", "", "--no-pager ", "-C . "])}${drawRevisionArguments(random).map(quote).join(" ")}${pick(random, ["", "", " | head -40", " | cat"])}`;
