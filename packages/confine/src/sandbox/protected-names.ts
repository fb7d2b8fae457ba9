/**
 * Lists by find what may be protected by its name in a folder, and which folders cannot be looked into. The same search is made again inside the
 * sandbox before a command is started: what came to be there meanwhile is not masked, and ends the start.
 */
import { isUtf8 } from "node:buffer";
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { RetinueError } from "@retinue/protocol";
import { PROTECTED_GLOBS } from "@retinue/runtime";

export type NameSearch = { readonly folder: string; readonly signal?: AbortSignal };

/** Relative to the folder, with forward slashes. */
export type ProtectedNames = {
  readonly names: readonly string[];
  /** Folders that may not be listed or entered, so that nobody knows what is in them; "." is the folder itself. */
  readonly closed: readonly string[];
  /** Paths that are not in UTF-8, as bytes: nothing else can be said of them. */
  readonly unspeakable: readonly Buffer[];
};

const TIME_LIMIT_MS = 60_000;
const PROGRAM = "/usr/bin/find";
const MOST_SAID = 2000;

/** `a{b,c}` → `ab`, `ac`. */
const expandBraces = (glob: string): readonly string[] => {
  const [, before, choices, after] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(glob) ?? [];
  if (before === undefined || choices === undefined || after === undefined) return [glob];
  return choices.split(",").flatMap((choice) => expandBraces(before + choice + after));
};

const PROTECTED_NAMES: readonly string[] = [...PROTECTED_GLOBS.folders, ...PROTECTED_GLOBS.files].flatMap(expandBraces);

/** Folders in which only some names are protected; as a link such a folder brings these names from anywhere. */
export const HALF_PROTECTED: ReadonlySet<string> = new Set(
  PROTECTED_NAMES.filter((name) => name.includes("/")).flatMap((name) => name.slice(0, name.indexOf("/"))),
);

/** Packages of others have keys and settings too, which are not the user's. */
const PASSED_OVER = ["-name", "node_modules", "-o", "-name", "site-packages", "-o", "-path", "*/.git/*"];
const CLOSED = ["-type", "d", "(", "!", "-readable", "-o", "!", "-executable", ")"];
const TESTS: readonly string[] = [...PROTECTED_NAMES, ...HALF_PROTECTED].flatMap((name, index) => [
  ...(index === 0 ? [] : ["-o"]),
  ...(name.includes("/") ? ["-ipath", `*/${name}`] : ["-iname", name]),
]);

/** What find prints before the name of a folder that it cannot look into. */
const CLOSED_MARK = "closed:";

const WALK = [".", "-ignore_readdir_race", "(", ...PASSED_OVER, ")", "-prune", "-o", "(", ...CLOSED];

const OUTSIDE = [...WALK, "-printf", `${CLOSED_MARK}%p\\0`, "-prune", ")", "-o", "(", ...TESTS, ")", "-print0"];

/** As above, but of what cannot be looked into nothing is said, and of files that are seen as empty neither. */
const INSIDE = [...WALK, "-prune", ")", "-o", "(", ...TESTS, ")", "!", "(", "-type", "f", "-size", "0", ")", "-print0"];

/** Throws where the whole folder could not be searched. */
export const listProtectedNames = async ({ folder, signal }: NameSearch): Promise<ProtectedNames> => {
  const found = splitByNul(await runFind(folder, signal));
  const entries = found.filter(isUtf8).map((entry) => entry.toString("utf8"));
  const closed = entries.filter((entry) => entry.startsWith(CLOSED_MARK)).map((entry) => entry.slice(CLOSED_MARK.length));
  return {
    names: toRelative(entries),
    closed: closed.map((name) => (name === "." ? name : name.slice("./".length))),
    unspeakable: found.filter((entry) => !isUtf8(entry)).map((entry) => entry.subarray(entry.indexOf("./") + "./".length)),
  };
};

const splitByNul = (output: Buffer): readonly Buffer[] => {
  const entries: Buffer[] = [];
  for (let from = 0, end = output.indexOf(0); end !== -1; from = end + 1, end = output.indexOf(0, from))
    if (end > from) entries.push(output.subarray(from, end));
  return entries;
};

const toRelative = (entries: readonly string[]): readonly string[] =>
  entries.flatMap((name) => (name.startsWith("./") ? name.slice("./".length) : []));

const runFind = async (folder: string, signal: AbortSignal | undefined): Promise<Buffer> => {
  // Where it cannot be started for want of open files, it has no pipes either.
  const child: ChildProcess = spawn(PROGRAM, OUTSIDE, { cwd: folder, env: { LC_ALL: "C" }, stdio: ["ignore", "pipe", "pipe"] });
  const chunks: Buffer[] = [];
  let said = "";
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(0, MOST_SAID)));
  const kill = (): void => void child.kill("SIGKILL");
  const timer = setTimeout(kill, TIME_LIMIT_MS);
  signal?.addEventListener("abort", kill, { once: true });
  try {
    if (signal?.aborted) kill();
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    });
    signal?.throwIfAborted();
    if (code !== 0) throw new Error(said.trim() || `it took more than ${TIME_LIMIT_MS / 1000} s`);
    return Buffer.concat(chunks);
  } catch (thrown) {
    signal?.throwIfAborted();
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw notRun(`${folder} could not be searched for secrets and settings (${why}).`, thrown);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", kill);
  }
};

export const notRun = (why: string, cause?: unknown): RetinueError =>
  new RetinueError("tool_failed", `${why} No command is run in it.`, {
    hint: "The user has to make the folder searchable by find of GNU, choose a smaller folder as workspace, or set some of these paths free.",
    cause,
  });

/** What was found outside and may be seen inside: file number `list` gives the names, each twice and with a NUL behind it. */
export type InsideCheck = { readonly folder: string; readonly list: number };

/** Bytes for `InsideCheck`. */
export const toNameList = (names: readonly string[]): Buffer =>
  Buffer.from(names.map((name) => `./${name}\0./${name}\0`).join(""), "utf8");

/** Lines for sh that end everything where inside there is a protected name that is neither masked nor on the list. */
export const toInsideCheck = ({ folder, list }: InsideCheck): string =>
  [
    // A name of the list stands there twice or three times, any other once. What has to stand there once tells that it was looked at all.
    `new=$(PATH=/usr/bin:/bin LC_ALL=C; export PATH LC_ALL; cd ${quote(folder)} && { { ${PROGRAM} ${INSIDE.map(quote).join(" ")} || printf 'failed\\0'; } 2>/dev/null; cat <&${list}; printf '${SEARCHED}\\0'; } | sort -z | uniq -zu | tr '\\0\\n' ' ?')`,
    `[ "$new" = '${SEARCHED} ' ] || { echo "sandbox: protected and not masked, since it came to be there only now: $new"; exit 125; }`,
    `exec ${list}<&-`,
  ].join("\n");

/** No name begins so. */
const SEARCHED = "searched";

export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
