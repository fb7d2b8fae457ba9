/** What a command sees of our environment: names that are known to be harmless and needed. Keys, tokens and loader hooks are not among them. */
import path from "node:path";
import { isInside } from "@retinue/runtime";

const PASSED_ON: ReadonlySet<string> = new Set([
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TMPDIR",
  "TEMP",
  "TMP",
  "SYSTEMROOT",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_RUNTIME_DIR",
  "JAVA_HOME",
  "GOPATH",
  "GOROOT",
  "GOCACHE",
  "CARGO_HOME",
  "RUSTUP_HOME",
  "NVM_DIR",
  "VOLTA_HOME",
  "PNPM_HOME",
  "BUN_INSTALL",
  "DENO_DIR",
  "PYENV_ROOT",
  "VIRTUAL_ENV",
  "CONDA_PREFIX",
  "RBENV_ROOT",
  "GEM_HOME",
  "DOTNET_ROOT",
  "ANDROID_HOME",
]);

/** No colours, no pagers, no prompts. */
const FIXED: Readonly<Record<string, string>> = {
  TERM: "dumb",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  DEBIAN_FRONTEND: "noninteractive",
};

const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Folders of PATH inside `workspace` are left out: what an agent may write must not stand in for a command. */
export const toShellEnvironment = (
  environment: Readonly<Record<string, string | undefined>>,
  { workspace }: { readonly workspace?: string } = {},
): Readonly<Record<string, string>> => {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment))
    if (value !== undefined && (PASSED_ON.has(name) || /^LC_[A-Z]+$/.test(name))) passed[name] = value;
  return { ...passed, ...FIXED, PATH: toSafePath(environment["PATH"], workspace) };
};

/** Relative entries would be entries of the workspace too. */
const toSafePath = (given: string | undefined, workspace: string | undefined): string =>
  given
    ?.split(path.delimiter)
    .filter((entry) => path.isAbsolute(entry) && (workspace === undefined || !isInside(workspace, path.normalize(entry))))
    .join(path.delimiter) || DEFAULT_PATH;
