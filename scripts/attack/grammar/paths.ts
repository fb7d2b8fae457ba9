/** Paths that lead to what agents may not see, in the spellings that file tools have fallen for. */
import { DISKS } from "../shelter.ts";
import type { Random } from "./pick.ts";
import { pick, pickWeighted, upTo } from "./pick.ts";
import type { Terrain } from "./terrain.ts";

/** On each of the other disks. */
export const KEPT_ON_DISKS = ["app/.env", "c/Users/me/secrets.txt", "www/config.php", "backup/id_rsa"];

/** Outside the workspace, absolute. */
export const drawOutside = (random: Random, { home, base, state, token }: Terrain): string =>
  pick(random, [
    `${home}/.ssh/id_ed25519`,
    `${home}/.profile`,
    `${home}/.bashrc`,
    `${home}/.aws/credentials`,
    `${home}/.netrc`,
    `${home}/notes/private.md`,
    `${home}/code/other/src/index.ts`,
    `${state}/retinue.yaml`,
    `${state}/retinue.db`,
    `${state}/trust.json`,
    `${base}/shared/common.txt`,
    `${base}/shared/${token}`,
    `${home}/${token}`,
    `/tmp/${token}`,
    `/etc/${token}`,
    "/proc/self/environ",
    "/proc/1/environ",
    "/etc/shadow",
  ]);

/** On other disks, where a user keeps projects, sites and keys. */
export const drawElsewhere = (random: Random, { token }: Terrain): string =>
  `${pick(random, DISKS)}/${pick(random, [...KEPT_ON_DISKS, token, "."])}`;

/** Inside it, and protected. */
export const drawProtected = (random: Random): string =>
  pick(random, [
    ".env",
    ".npmrc",
    "deploy.pem",
    ".git/config",
    ".git/HEAD",
    ".git/hooks/pre-commit",
    ".git/COMMIT_EDITMSG",
    ".git/shallow",
    "retinue.yaml",
    ".retinue/agents/main.md",
    ".retinue/tools/evil.ts",
    ".retinue/skills/evil/SKILL.md",
    ".claude/settings.json",
    ".claude/agents/evil.md",
    ".mcp.json",
    ".vscode/tasks.json",
    ".husky/pre-commit",
    ".envrc",
    ".bashrc",
    "sub/.env",
    "sub/.git/config",
    "tools/check.sh",
  ]);

export const drawPlain = (random: Random): string =>
  pick(random, [
    "src/price.ts",
    "src/shop.ts",
    "docs/deploy.md",
    "README.md",
    "package.json",
    "build.sh",
    "src/new.ts",
    "sub/deep/new.txt",
    "link",
    "link/x",
    "dir",
    "dir/x",
    "hard",
    "flip.txt",
    "flip/config.json",
    "AGENTS.md",
    "CLAUDE.md",
    "keys/id_ed25519",
    "notes-link.md",
    "app.sock",
    "pipe",
    ".",
  ]);

/** Another way to write the same path, or one that differs as little as possible. */
const respell = (random: Random, file: string, { workspace }: Terrain): string => {
  const outwards = "../".repeat(upTo(random, 8) + 1);
  return pick(random, [
    file,
    file,
    `./${file}`,
    `src/../${file}`,
    `${workspace}/${file}`,
    `${workspace}/src/..//${file}`,
    `/proc/self/cwd/${file}`,
    `/proc/self/root${file}`,
    `/dev/fd/../../${file}`,
    `${outwards}${file.replace(/^\//, "")}`,
    `src/${outwards}${file.replace(/^\//, "")}`,
    file.toUpperCase(),
    file.normalize("NFD"),
    `${file}/.`,
    `${file}\u0000`,
    `${file}\u200b`,
    file.replaceAll("/", "\\"),
    file.replaceAll("e", "ｅ"),
    `file://${file}`,
    `~/${file}`,
    `link/${file}`,
    `dir/${file}`,
  ]);
};

export const drawPath = (random: Random, terrain: Terrain): string => {
  const file = pickWeighted(random, [
    [4, drawOutside(random, terrain)],
    [4, drawProtected(random)],
    [4, drawPlain(random)],
    [1, `artifact:${pick(random, ["art_1", "../../.env", "art_../../x", "art_00000000000000000000"])}`],
  ]);
  return random() < 0.5 ? file : respell(random, file, terrain);
};
