/** The environment that git gets from us: no variable that begins with GIT_ comes from outside, and in the sandbox there is no home. */
import path from "node:path";

/** Git expands `~` in a repository's own settings and fails where there is no home at all. */
const NO_HOME = "/var/empty";

const KEPT = ["HOME", "USERPROFILE", "XDG_CONFIG_HOME", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "TZ"];

const FIXED: Readonly<Record<string, string>> = {
  LC_ALL: "C.UTF-8",
  TERM: "dumb",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  GIT_ASKPASS: "false",
  SSH_ASKPASS: "false",
  GIT_TERMINAL_PROMPT: "0",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_ATTR_NOSYSTEM: "1",
  // Missing objects of a partial clone would be fetched by programs that the repository names.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_PROTOCOL_FROM_USER: "0",
};

export type GitEnvironment = Readonly<Record<string, string>>;

export const toPlainEnvironment = (
  given: Readonly<Record<string, string | undefined>>,
  folders: readonly string[],
): GitEnvironment => {
  const environment: Record<string, string> = {};
  for (const name of KEPT) {
    const value = given[name];
    if (value !== undefined) environment[name] = value;
  }
  return { ...environment, ...FIXED, PATH: folders.join(path.delimiter) };
};

export const toSandboxEnvironment = (given: Readonly<Record<string, string | undefined>>, program: string): GitEnvironment => ({
  ...(given["TZ"] === undefined ? {} : { TZ: given["TZ"] }),
  ...FIXED,
  HOME: NO_HOME,
  PATH: [path.dirname(program), "/usr/local/bin", "/usr/bin", "/bin"].join(path.delimiter),
  // The folders around what is bound are not on its file system; how far is looked was decided before.
  GIT_DISCOVERY_ACROSS_FILESYSTEM: "1",
});
