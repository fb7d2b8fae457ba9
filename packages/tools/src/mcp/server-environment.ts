/**
 * What a server sees of our environment: the harmless names that commands get too, and what its settings name. A project's file does not get
 * to name variables that load code into a program or change which program runs; the user's own settings may.
 */
import type { Origin } from "@retinue/confine";
import { toShellEnvironment } from "@retinue/confine";

export type ServerEnvironmentOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly named: Readonly<Record<string, string>>;
  readonly origin: Origin;
};

export type ServerEnvironment = {
  readonly env: Readonly<Record<string, string>>;
  /** Names that were asked for and not given. */
  readonly dropped: readonly string[];
};

export const toServerEnvironment = ({ env, named, origin }: ServerEnvironmentOptions): ServerEnvironment => {
  const given: Record<string, string> = {};
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(named))
    if (origin.type === "project" && isHijacking(name)) dropped.push(name);
    else given[name] = value;
  return { env: { ...toShellEnvironment(env), ...given }, dropped };
};

/** Names by which a program is made to load code, run another program, trust another authority or talk to another host. */
const HIJACKING: ReadonlySet<string> = new Set([
  "PATH",
  "PATHEXT",
  "COMSPEC",
  "HOME",
  "USERPROFILE",
  "SHELL",
  "ENV",
  "BASH_ENV",
  "BASHOPTS",
  "SHELLOPTS",
  "PS4",
  "PROMPT_COMMAND",
  "IFS",
  "CDPATH",
  "GLOBIGNORE",
  "ZDOTDIR",
  "GCONV_PATH",
  "LOCPATH",
  "NLSPATH",
  "HOSTALIASES",
  "RESOLV_HOST_CONF",
  "GLIBC_TUNABLES",
  "MALLOC_CHECK_",
  "TMPDIR",
  "TMP",
  "TEMP",
  "EDITOR",
  "VISUAL",
  "PAGER",
  "MANPAGER",
  "BROWSER",
  "LESSOPEN",
  "LESSCLOSE",
  "SSH_ASKPASS",
  "SUDO_ASKPASS",
  "SSH_AUTH_SOCK",
  "DOCKER_HOST",
  "CLASSPATH",
  "JAVA_TOOL_OPTIONS",
  "JDK_JAVA_OPTIONS",
  "_JAVA_OPTIONS",
  "JAVA_OPTS",
  "MAVEN_OPTS",
  "GRADLE_OPTS",
  "SBT_OPTS",
  "PHPRC",
  "PHP_INI_SCAN_DIR",
  "TCLLIBPATH",
  "AWKPATH",
  "EMACSLOADPATH",
  "VIMINIT",
  "EXINIT",
  "GOFLAGS",
  "GOPROXY",
  "GOENV",
  "RUSTFLAGS",
  "RUSTC",
  "RUSTC_WRAPPER",
  "MAKEFLAGS",
  "MAKEFILES",
  "CC",
  "CXX",
  "LD",
  "ELECTRON_RUN_AS_NODE",
  "KUBECONFIG",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "FTP_PROXY",
  "NO_PROXY",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "SSLKEYLOGFILE",
  "CURL_CA_BUNDLE",
  "REQUESTS_CA_BUNDLE",
  "CURL_HOME",
  "WGETRC",
]);

const HIJACKING_PREFIXES: readonly string[] = [
  "LD_",
  "DYLD_",
  "BASH_FUNC_",
  "NODE_",
  "NPM_CONFIG_",
  "YARN_",
  "PNPM_",
  "BUN_",
  "DENO_",
  "COREPACK_",
  "TS_NODE_",
  "PYTHON",
  "PIP_",
  "UV_",
  "POETRY_",
  "CONDA_",
  "PERL",
  "RUBY",
  "GEM_",
  "BUNDLE_",
  "LUA_",
  "R_",
  "JULIA_",
  "ERL_",
  "ELIXIR_",
  "GHC",
  "OCAML",
  "CARGO_",
  "RUSTUP_",
  "DOTNET_",
  "COR_",
  "CORECLR_",
  "COMPLUS_",
  "MSBUILD",
  "NUGET_",
  "PSMODULE",
  "GIT_",
  "SVN_",
  "HG",
  "OPENSSL_",
  "XDG_",
  "SYSTEMD_",
  "DBUS_",
  "QT_",
  "GTK_",
  "GIO_",
  "RETINUE_",
];

const isHijacking = (name: string): boolean => {
  const upper = name.toUpperCase();
  return HIJACKING.has(upper) || upper.endsWith("_BASE_URL") || HIJACKING_PREFIXES.some((prefix) => upper.startsWith(prefix));
};
