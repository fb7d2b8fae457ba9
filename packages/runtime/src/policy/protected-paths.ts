/**
 * Names in a workspace that no agent reads or writes as it likes: secrets, and files by which what is written today runs tomorrow. They are
 * known by name alone, at any depth, in any case or normalisation, and whether they exist or not.
 */
import { definingGlobs } from "./defining-places.ts";
import { createPathMatcher } from "./globs/path-globs.ts";

export type Protection = {
  /** May its content be seen? */
  readonly read: "allow" | "deny";
  /** `ask`: a human is asked, also where everything else passes. `ask-unless-all`: only where something is asked at all. */
  readonly write: "deny" | "ask" | "ask-unless-all";
  /** What it is, as in "… is a secret". */
  readonly why: string;
};

/** How a file is treated that something trusted runs, whatever its name. */
export const BOUND: Protection = {
  read: "allow",
  write: "deny",
  why: "run by a hook, a server or a check that is trusted, or read by agents as orders",
};

/** Settings, trust, kept rules and records of the user, wherever they lie. */
export const PRIVATE: Protection = { read: "deny", write: "deny", why: "a part of Retinue's own folder" };

/** How a file is treated that instructions import, whatever its name. */
export const IMPORTED: Protection = { read: "allow", write: "ask", why: "imported by instructions that agents read as orders" };

/** How a kind of name is treated. All names hold at any depth, and are written in lower case. */
type Kind = Protection & {
  /** With all that lies below them. */
  readonly names: readonly string[];
  /** Themselves alone. */
  readonly files?: readonly string[];
  readonly except?: readonly string[];
};

const SECRET_NAMES: readonly string[] = [
  ".env*",
  "{.,_}netrc",
  ".npmrc",
  ".pypirc",
  ".pgpass",
  ".my.cnf",
  ".htpasswd",
  ".git-credentials",
  ".dockercfg",
  ".docker/config.json",
  ".kube/config",
  ".config/gcloud",
  ".config/gh/hosts.yml",
  ".{ssh,gnupg,aws,azure,oci}",
  ".vault-token",
  ".terraform.d/credentials.tfrc.json",
  ".secrets",
];

const SECRET_FILES: readonly string[] = [
  "*.env",
  "id_*",
  "*.{pem,key,p8,p12,pfx,ppk,jks,keystore,kdbx,agekey}",
  "{credentials,service-account*,serviceaccount*,*-credentials}.json",
  "{secrets,secret}.{json,yml,yaml,toml}",
];

/** Named like secrets, and none. */
const SECRET_EXCEPTIONS: readonly string[] = [
  ".env.{example,sample,template,dist,defaults}",
  "{example,sample,template}.env",
  "id_*.*",
];

/** By which something is run later, or agents are told what they may do. */
const HELD_NAMES: readonly string[] = [
  ".git",
  ".gitconfig",
  ".husky",
  ".githooks",
  ".vscode/{tasks,settings,launch,mcp}.json",
  ".idea",
  ".fleet",
  ".zed",
  "*.code-workspace",
  ".{bashrc,bash_profile,bash_login,bash_logout,bash_aliases,profile,inputrc}",
  ".{zshrc,zshenv,zprofile,zlogin,zlogout}",
  ".{kshrc,cshrc,tcshrc,login,xprofile,xinitrc}",
  ".config/{fish,autostart,systemd}",
  ".retinue",
  "retinue.{yaml,yml}",
  ".claude",
  ".claude.json",
  ".mcp.json",
  ".opencode",
  ".agents",
  ".{codex,gemini,cursor,windsurf,continue,roo,clinerules,aider.conf.yml}",
  ...definingGlobs("deny"),
];

const KINDS: readonly Kind[] = [
  {
    read: "deny",
    write: "deny",
    why: "a secret",
    names: SECRET_NAMES,
    files: SECRET_FILES,
    except: SECRET_EXCEPTIONS,
  },
  { read: "deny", write: "deny", why: "an internal of git", names: [".git"] },
  { read: "allow", write: "deny", why: "run by other programs, or rules what agents may do", names: HELD_NAMES },
  {
    read: "allow",
    write: "ask",
    why: "run by others later, or read by agents as orders",
    names: [
      ...definingGlobs("ask"),
      "gemini.md",
      ".{cursorrules,windsurfrules}",
      ".github/{workflows,actions,copilot-instructions.md}",
      ".{circleci,buildkite,woodpecker,devcontainer}",
      ".{gitlab-ci,travis,drone,woodpecker}.{yml,yaml}",
      "{azure,bitbucket}-pipelines.yml",
      "jenkinsfile",
      ".pre-commit-config.yaml",
      "lefthook.{yml,yaml,toml}",
      ".lefthook.{yml,yaml,toml}",
      ".gitmodules",
      ".yarnrc",
      ".yarnrc.yml",
      ".pnpmfile.cjs",
    ],
  },
  { read: "allow", write: "ask-unless-all", why: "a list of scripts that are run later", names: ["package.json"] },
];

const atAnyDepth = (globs: readonly string[]): readonly string[] => globs.map((glob) => `**/${glob}`);

/** Made when a path is first judged: compiling them is a good part of a start that judges none. */
const toMatchers = (): readonly Matcher[] =>
  KINDS.map((kind) => ({
    kind,
    isOne: createPathMatcher(atAnyDepth([...kind.names, ...kind.names.map((name) => `${name}/**`), ...(kind.files ?? [])]), {
      forbids: true,
    }),
    isExcepted: createPathMatcher(atAnyDepth(kind.except ?? [])),
  }));

type Matcher = {
  readonly kind: Kind;
  readonly isOne: (file: string) => boolean;
  readonly isExcepted: (file: string) => boolean;
};

let matchers: readonly Matcher[] | undefined;

/** What to look for on a disk to find all paths that nobody writes unasked; `protectionOf` then says which of them are. */
export const PROTECTED_GLOBS: { readonly folders: readonly string[]; readonly files: readonly string[] } = {
  folders: KINDS.filter(({ write }) => write !== "ask-unless-all").flatMap(({ names }) => names),
  files: KINDS.flatMap(({ files = [] }) => files),
};

/**
 * What no command writes, as globs at any depth in lower case: `names` with all that lies below them, `files` themselves alone, but for
 * those that are excepted. Of secrets nothing is read either.
 */
export const PROTECTED_KINDS: readonly (Pick<Kind, "names" | "files" | "except"> & { readonly isSecret: boolean })[] =
  KINDS.filter(({ write }) => write !== "ask-unless-all").map(({ names, files = [], except = [] }) => ({
    names,
    files,
    except,
    isSecret: names === SECRET_NAMES,
  }));

/** Of what may be a secret; some names that they match are excepted. */
export const SECRET_GLOBS: readonly string[] = [...SECRET_NAMES, ...SECRET_FILES];

/** How a path is protected, relative to the workspace. A path that several kinds name is treated as the strictest. */
export const protectionOf = (file: string): Protection | undefined => {
  const folded = foldPath(file);
  matchers ??= toMatchers();
  return matchers.find(({ isOne, isExcepted }) => isOne(folded) && !isExcepted(folded))?.kind;
};

/** A file of many .NET projects; it defines agents only where it holds `AgentRoles`. */
export const mayHoldRoles = (file: string): boolean => /(?:^|\/)appsettings[^/]*\.json$/.test(foldPath(file));

/** Whether a text names the section that defines agents, also where letters are escaped. */
export const namesRoles = (text: string): boolean => /agentroles|\\u/i.test(text);

/** Characters that some file systems pass over when they compare names. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/** As the most forgiving file system reads it: one form for all cases and normalisations, without streams, final dots and spaces. */
const foldPath = (file: string): string =>
  file
    .replaceAll("\\", "/")
    .replaceAll(IGNORABLE, "")
    .normalize("NFKD")
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKC")
    .split("/")
    .map((name) => SHORT_NAMES.get(name) ?? withoutTail(name))
    .filter((name) => name !== "")
    .join("/");

/** Without a stream, then without dots and spaces at the end. */
const withoutTail = (name: string): string => {
  const [bare = ""] = name.split(":", 1);
  let end = bare.length;
  while (end > 0 && (bare[end - 1] === "." || bare[end - 1] === " ")) end -= 1;
  return bare.slice(0, end);
};

/** What Windows calls some of them in eight letters. */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ["git~1", ".git"],
  ["claude~1", ".claude"],
  ["retinu~1", ".retinue"],
  ["vscode~1", ".vscode"],
]);

/** Why a path means different files on different systems, so that nothing is written to it; undefined for a plain one. */
export const findUnportable = (file: string): string | undefined => {
  for (const name of file.split("/")) {
    if (name === "" || name === "." || name === "..") continue;
    if (/\p{Cc}/u.test(name)) return "it holds a control character";
    if (name.includes("\\")) return "it holds a backslash";
    if (name.includes(":")) return "it names a stream or a drive";
    if (/[. ]$/.test(name)) return "a name ends with a dot or a space";
    if (/^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)/i.test(name)) return `${name} is a device on Windows`;
  }
  return undefined;
};
