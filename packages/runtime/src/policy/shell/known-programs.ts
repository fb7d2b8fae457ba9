/** Programs that are known to start nothing of what their arguments say. It is a list of what is known: any other may be a wrapper. */
import type { ShellWord } from "./shell-line.ts";

const DATA_ONLY: ReadonlySet<string> = new Set(
  (
    ": [ basename break cat cd chmod chown cksum cmp comm continue cut date df diff dirname du echo egrep exit expand export false fgrep file fmt fold " +
    "free getconf grep groups head hostname id join jq kill ls md5sum mkdir mktemp nl nproc od paste pgrep popd printenv printf ps pushd pwd read " +
    "readlink realpath return rev rg rm rmdir seq set sha1sum sha256sum sha512sum shift shuf sleep stat tac tail tee test touch tput tr tree true " +
    "truncate tsort tty type umask uname uniq unset uptime wait wc whereis which whoami xxd yes zcat"
  ).split(" "),
);

/** Their first operand is a command of their own. */
const WITH_SUBCOMMANDS: ReadonlySet<string> = new Set(
  (
    "apt apt-get aws az brew bun bundle cargo composer conda deno docker dotnet firebase flutter gcloud gem gh git go gradle helm heroku kubectl mix mvn " +
    "nix npm pip pip3 pnpm podman poetry prisma pulumi rails rustup systemctl terraform uv vercel yarn"
  ).split(" "),
);

/** Of git: what follows is messages, names and paths. */
const GIT_DATA: ReadonlySet<string> = new Set(
  "add blame branch checkout cherry-pick commit diff log ls-files merge mv push reset restore rev-parse rm show stash status switch tag".split(
    " ",
  ),
);

export const operandsOf = (args: readonly ShellWord[]): readonly ShellWord[] => args.filter(({ text }) => !text.startsWith("-"));

export const isDataOnly = (program: string, args: readonly ShellWord[]): boolean =>
  program === "git" ? GIT_DATA.has(operandsOf(args)[0]?.text ?? "") && !args.some(startsProgram) : DATA_ONLY.has(program);

/** Options of git that name a program. */
const startsProgram = ({ text }: ShellWord): boolean =>
  /^--(?:receive-pack|upload-pack|exec|ext-diff|open-files-in-pager)/.test(text);

export const takesSubcommands = (program: string): boolean => WITH_SUBCOMMANDS.has(program);
