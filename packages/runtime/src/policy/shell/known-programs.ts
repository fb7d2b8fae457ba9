/** Programs that are known to start nothing of what their arguments say. It is a list of what is known: any other may be a wrapper. */
import type { ShellWord } from "./shell-line.ts";

const DATA_ONLY: ReadonlySet<string> = new Set(
  (
    ": [ basename break cat cd chmod chown cksum cmp comm continue cut date df diff dirname du echo egrep exit expand export false fgrep file fmt fold " +
    "free getconf grep groups head hostname id join jq kill ls md5sum mkdir mktemp nl nproc od paste pgrep popd printenv printf ps pushd pwd read " +
    "readlink realpath return rev rg rm rmdir seq set sha1sum sha256sum sha512sum shift shuf sleep stat tac tail tee test touch tput tr tree true " +
    "truncate tsort tty type umask uname uniq unset uptime wait wc whereis which whoami xxd yes zcat " +
    // Beside their own options, which are looked at where they name programs.
    "base32 base64 bat bunzip2 bzip2 column cp curl delta egrep gunzip gzip hexdump iconv less ln lsof md5 more mv open patch pbcopy shasum sort strings sum unzip xmllint xz yq zstd zstdcat"
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
  (
    "add blame branch cat-file checkout cherry-pick commit describe diff fetch for-each-ref grep log ls-files ls-tree merge mv notes pull push remote reset " +
    "restore rev-list rev-parse rm shortlog show stash status switch tag worktree"
  ).split(" "),
);

export const operandsOf = (args: readonly ShellWord[]): readonly ShellWord[] => args.filter(({ text }) => !text.startsWith("-"));

/** What it is given, as words and by its input, is data to it. */
export const isDataOnly = (program: ShellWord, args: readonly ShellWord[]): boolean => {
  if (program.isOwnFile === true) return false;
  if (program.text === "git") return GIT_DATA.has(operandsOf(args)[0]?.text ?? "") && !args.some(namesProgramToGit);
  return DATA_ONLY.has(program.text) && !args.some((arg) => namesProgram(program.text, arg));
};

/** Options of git that name a program, also where they are cut. */
const namesProgramToGit = ({ text }: ShellWord): boolean => /^--(?:rec|upl|ex[et]|ope)|^-O|^ext::/.test(text);

/** `rg --pre`, `sort --compress-program`, `bat --pager`, `less +!…`, `patch -e`. */
const namesProgram = (program: string, { text }: ShellWord): boolean =>
  /^--(?:pre|comp|hostn|pag|ed)/.test(text) ||
  (/^(?:less|more)$/.test(program) && text.startsWith("+")) ||
  (program === "patch" && text === "-e");

export const takesSubcommands = (program: ShellWord): boolean => program.isOwnFile !== true && WITH_SUBCOMMANDS.has(program.text);
