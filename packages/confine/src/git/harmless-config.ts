/**
 * The settings under which git runs for us. A repository's own configuration can name programs for git to start (hooks, filters, diff and
 * merge drivers, monitors, pagers, signers, helpers, remotes); each of them is set to something that starts nothing. Handed over by
 * environment, where no name of a driver can be mistaken for its value.
 */

/** In the order in which git reads them. */
export type GitSetting = readonly [key: string, value: string];

const NOWHERE = "/dev/null";
/** Fails, and does nothing else. */
const NO_PROGRAM = "false";

const FIXED: readonly GitSetting[] = [
  ["core.hooksPath", NOWHERE],
  ["core.fsmonitor", "false"],
  ["core.useBuiltinFSMonitor", "false"],
  ["core.pager", "cat"],
  ["core.editor", "true"],
  ["sequence.editor", "true"],
  ["core.askPass", NO_PROGRAM],
  ["core.sshCommand", NO_PROGRAM],
  ["core.gitProxy", NO_PROGRAM],
  ["core.alternateRefsCommand", NO_PROGRAM],
  ["credential.helper", ""],
  ["diff.external", ""],
  ["interactive.diffFilter", ""],
  ["gpg.program", NO_PROGRAM],
  ["gpg.openpgp.program", NO_PROGRAM],
  ["gpg.x509.program", NO_PROGRAM],
  ["gpg.ssh.program", NO_PROGRAM],
  ["gpg.ssh.defaultKeyCommand", NO_PROGRAM],
  ["commit.gpgSign", "false"],
  ["tag.gpgSign", "false"],
  ["log.showSignature", "false"],
  ["gc.auto", "0"],
  ["gc.recentObjectsHook", NO_PROGRAM],
  ["maintenance.auto", "false"],
  ["protocol.allow", "never"],
  ["safe.bareRepository", "explicit"],
  // A submodule has a configuration of its own, which is not looked at here: nothing is run in it.
  ["submodule.recurse", "false"],
  ["status.submoduleSummary", "false"],
  ["diff.ignoreSubmodules", "dirty"],
  ["diff.submodule", "short"],
  // Files that git would read, and quote from when they are not what it expects.
  ["blame.ignoreRevsFile", ""],
  ["diff.orderFile", NOWHERE],
  ["mailmap.file", NOWHERE],
  // The output is for a model.
  ["color.ui", "false"],
  ["color.branch", "false"],
  ["color.diff", "false"],
  ["color.grep", "false"],
  ["color.status", "false"],
  ["column.ui", "never"],
  ["core.quotePath", "false"],
  ["diff.mnemonicPrefix", "false"],
  ["diff.noprefix", "false"],
  // By the headings of a diff it is known whose contents it shows.
  ["diff.srcPrefix", "a/"],
  ["diff.dstPrefix", "b/"],
  ["diff.relative", "false"],
];

/** By the last part of a key, whatever section and driver it belongs to. */
const BY_VARIABLE: ReadonlyMap<string, string> = new Map([
  ["clean", ""],
  ["smudge", ""],
  ["process", ""],
  ["required", "false"],
  ["textconv", "cat"],
  ["command", NO_PROGRAM],
  ["cmd", NO_PROGRAM],
  ["driver", NO_PROGRAM],
  ["program", NO_PROGRAM],
  ["helper", ""],
  ["uploadpack", NO_PROGRAM],
  ["receivepack", NO_PROGRAM],
  ["vcs", ""],
  ["proxy", ""],
  ["promisor", "false"],
  ["enabled", "false"],
  ["update", "none"],
]);

const SECTIONS_WITH_PROGRAMS: ReadonlySet<string> = new Set([
  "browser",
  "credential",
  "diff",
  "difftool",
  "filter",
  "gpg",
  "guitool",
  "hook",
  "man",
  "merge",
  "mergetool",
  "remote",
  "submodule",
  "trailer",
]);

/** What of the user's own configuration holds for us too; none of it names a program. */
export const CARRIED_OVER: ReadonlySet<string> = new Set([
  "user.name",
  "user.email",
  "user.useconfigonly",
  "author.name",
  "author.email",
  "committer.name",
  "committer.email",
  "safe.directory",
  "core.autocrlf",
  "core.eol",
  "core.safecrlf",
  "core.precomposeunicode",
  "i18n.commitencoding",
]);

export type ConfigSources = {
  /** Keys of the repository's configuration. */
  readonly ofRepository: readonly string[];
  readonly ofUser: readonly GitSetting[];
  /** Files of the user that git reads, as it sees them. */
  readonly files: readonly GitSetting[];
  /** Git sees nothing but the repository, so that it may be told by it which files to read. */
  readonly isConfined: boolean;
};

/** Settings that name a file whose lines git may show. */
const NAMED_FILES = ["core.excludesfile", "core.attributesfile"];

export const toHarmlessSettings = ({ ofRepository, ofUser, files, isConfined }: ConfigSources): readonly GitSetting[] => {
  const present = new Set(ofRepository.map((key) => key.toLowerCase()));
  const carried = ofUser.filter(([key]) => {
    const name = key.toLowerCase();
    // Ours are read last, so that the repository's own value would lose.
    return CARRIED_OVER.has(name) && (name === "safe.directory" || !present.has(name));
  });
  const named = isConfined
    ? files.filter(([key]) => !present.has(key))
    : NAMED_FILES.map((key): GitSetting => files.find(([each]) => each === key) ?? [key, NOWHERE]);
  return [...FIXED, ...carried, ...named, ...[...new Set(ofRepository)].flatMap(toOverride)];
};

const toOverride = (key: string): readonly GitSetting[] => {
  const section = key.slice(0, key.indexOf(".")).toLowerCase();
  const variable = key.slice(key.lastIndexOf(".") + 1).toLowerCase();
  const value = BY_VARIABLE.get(variable);
  // With no driver between them, section and variable are among the fixed ones.
  const hasDriver = key.indexOf(".") !== key.lastIndexOf(".");
  return hasDriver && value !== undefined && SECTIONS_WITH_PROGRAMS.has(section) ? [[key, value]] : [];
};

export const toConfigEnvironment = (settings: readonly GitSetting[]): Readonly<Record<string, string>> => {
  const environment: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) };
  for (const [at, [key, value]] of settings.entries()) {
    environment[`GIT_CONFIG_KEY_${at}`] = key;
    environment[`GIT_CONFIG_VALUE_${at}`] = value;
  }
  return environment;
};
