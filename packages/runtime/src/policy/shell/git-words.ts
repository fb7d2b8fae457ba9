/** The words of git before and at its command. */
import type { ShellWord } from "./shell-line.ts";

/** Options of git itself that take the next word. */
export const GIT_VALUED: ReadonlySet<string> = new Set([
  "-C",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--super-prefix",
  "--list-cmds",
  "--attr-source",
]);

/** Any other may be an alias, which stands for whatever the settings say. */
export const GIT_COMMANDS: ReadonlySet<string> = new Set(
  (
    "add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore checkout cherry cherry-pick clean clone commit " +
    "commit-tree config count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc grep hash-object help init " +
    "log ls-files ls-remote ls-tree merge merge-base merge-file mktree mv name-rev notes pull push range-diff read-tree rebase reflog remote repack " +
    "reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stash status submodule switch symbolic-ref tag " +
    "update-index update-ref var verify-commit verify-tag version whatchanged worktree write-tree"
  ).split(" "),
);

const HARMLESS_SETTING =
  /^(?:user\.(?:name|email)|color\.\w+|core\.quotepath|advice\.\w+|commit\.gpgsign|init\.defaultbranch|log\.\w+)=/i;

/** Settings of a call that name no program and no other command. */
export const isHarmlessGitSetting = (word: ShellWord | undefined): boolean =>
  word?.kind === "literal" && HARMLESS_SETTING.test(word.text);

/** `git config` that reads, or sets what names no program and no other command. */
export const isHarmlessGitConfig = (args: readonly ShellWord[]): boolean => {
  if (/^(?:--get|--list$|-l$|--unset|list$|get$|unset$)/.test(args[0]?.text ?? "")) return true;
  const [first, ...rest] = args.filter(({ text }) => !text.startsWith("-"));
  const [key, value] = first?.text === "set" ? rest : [first, rest[0]];
  return key?.kind === "literal" && (value === undefined || HARMLESS_SETTING.test(`${key.text}=`));
};
