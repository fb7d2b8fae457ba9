/** Environment variables and settings: where the code reads them, and which files hold them. */
import type { FoundLine } from "../tool-output.ts";
import { findNearest } from "../project/listing.ts";
import { isOwnSource } from "../ranking.ts";
import { count } from "../wording.ts";
import { isOnlyAbout } from "./asked.ts";
import type { Project } from "./look-at-project.ts";
import { bullets, lookAtProject, toLines, toPlace } from "./look-at-project.ts";
import type { Rule, Turn } from "./rule.ts";
import { answer, call } from "./rule.ts";

const VARIABLES = /\b(?:environment[- ]variables?|env(?:ironment)?(?: ?vars?| variables?)?|environment)\b/;
const SETTINGS =
  /\b(?:config(?:s|uration)?|configure[ds]?|configurable|settings?|configuring|customi[sz]e|options|flags|command line (?:options|flags|arguments))\b/;
const SAID =
  /\b(?:reads?|read|set|sets|setting|support\w*|available|understands?|respects?|honou?rs?|change|located|kept|stored|live|files?|variables?|accepts?|takes?|there|possible|behaviou?r|run|configured|defined)\b/;

/** Where the usual languages read variables. */
const READS = String.raw`process\.env\b|import\.meta\.env\b|os\.environ|os\.getenv|getenv\(|env::var|env!\(|option_env!|os\.Getenv|os\.LookupEnv|System\.getenv|ENV\[|ENV\.fetch|Deno\.env|\$_ENV|Environment\.GetEnvironmentVariable|env\.fetch`;

/** Calls of libraries that read variables without naming them. */
const LIBRARY_READS = String.raw`\bfrom_env\w*\(|\bhome_dir\(|\bhomedir\(|UserHomeDir\(|UserConfigDir\(|UserCacheDir\(|expanduser\(|Path\.home\(|\btemp_dir\(|\btmpdir\(|gettempdir\(|\bload_dotenv\(|\bdotenv\b.*\(|env_logger::(init|try_init)|envconfig\.Process\(|\.env_prefix\(|AutomaticEnv\(`;

/** Headings in Markdown, reStructuredText and man pages. */
const SECTIONS = String.raw`^\.S[Hh] +"?ENVIRONMENT|^(#+|=+) .*\b([Ee]nvironment [Vv]ariables?|[Ee]nv(ironment)? [Vv]ars?)\b|^(#+ |=+ )?(Environment|ENVIRONMENT)( [Vv]ariables?| VARIABLES)?\s*$`;

const NOISE = "!{*.lock,*.min.js,*.svg,*.snap}";

const DOCUMENTS = "*.{md,mdx,markdown,rst,adoc,txt,pod,scd,ronn,[1-8]}";

const README = String.raw`^#+ .*([Cc]onfig|[Oo]ption|[Ss]etting|[Cc]ustom|[Ff]lag|[Ee]nvironment)|^.*\bconfig(uration)? file\b`;

export const configuration: Rule = ({ plain }) => {
  if (!isOnlyAbout(plain, new RegExp(`${VARIABLES.source}|${SETTINGS.source}`), SAID)) return undefined;
  const isVariables = VARIABLES.test(plain);
  return {
    agent: "code-search",
    work: (at) =>
      lookAtProject(at, {
        readsManifests: false,
        also: [
          call("grep", { pattern: READS, maxResults: 200, glob: NOISE }),
          call("grep", { pattern: LIBRARY_READS, maxResults: 100, glob: NOISE }),
          call("grep", { pattern: SECTIONS, maxResults: 40, glob: DOCUMENTS }),
        ],
        alsoThen: (listing) =>
          isVariables
            ? []
            : findNearest(listing, /^readme/i)
                .slice(0, 1)
                .map((path) => call("grep", { pattern: README, path, maxResults: 8 })),
        report: (project) => report(isVariables, project),
      }),
  };
};

const NAME =
  /(?:process\.env|import\.meta\.env)(?:\.|\[["'`])([A-Za-z_]\w*)|(?:environ(?:\.get)?|getenv|env::var(?:_os)?|env!|option_env!|Getenv|LookupEnv|GetEnvironmentVariable|ENV(?:\.fetch)?|\$_ENV|Deno\.env\.get)[[(]\s*["'`]([A-Za-z_]\w*)["'`]/g;

const report = (isVariables: boolean, { exchanges, listing }: Project): Turn => {
  const found = (pattern: string): readonly FoundLine[] => toLines(exchanges.filter(({ input }) => input["pattern"] === pattern));
  const lines = found(READS);
  const reads = lines.filter(({ path, text }) => isOwnSource(path) && !/https?:\/\//.test(text));
  const elsewhere = lines.length - reads.length;
  const names = toNames(reads);
  const unnamed = reads.filter(({ text }) => ![...text.matchAll(NAME)].length);
  // A sentence behind "#" is a comment in an example.
  const sections = found(SECTIONS).filter(
    ({ path, text }) => !/(?:^|\/)(?:change|history|news|release)/i.test(path) && !/[.:;]\s*$/.test(text),
  );
  const documented = found(README);
  const files = listing.files.filter((file) => !file.includes("/") && CONFIG_FILE.test(file));
  return answer(
    names.length > 0
      ? `Its own code names ${count(names.length, "environment variable")} where it reads ${names.length === 1 ? "it" : "them"}:\n${bullets(
          names.map(([name, places]) => `- ${name} (${places.slice(0, 3).join(", ")})`),
          20,
          "variables",
        )}`
      : "Its own code names no environment variable in the usual ways (os.environ, process.env, getenv, env::var and the like).",
    unnamed.length > 0
      ? `It ${names.length > 0 ? "also " : ""}reads the environment by names that stand elsewhere:\n${toPlaces(unnamed, 6)}`
      : "",
    toldOfLibraries(found(LIBRARY_READS), names.length + unnamed.length > 0 ? "others" : "some"),
    sections.length > 0 ? `Sections about them in the documents:\n${toPlaces(sections, 6)}` : "",
    elsewhere > 0 ? `Tests, examples and documents read some in ${count(elsewhere, "place")}.` : "",
    !isVariables && documented.length > 0 ? `The documents say:\n${toPlaces(documented, 8)}` : "",
    files.length > 0 ? `Settings of its tools are in: ${files.slice(0, 15).join(", ")}.` : "",
  );
};

const toPlaces = (lines: readonly FoundLine[], most: number): string =>
  bullets(
    lines.map((line) => toPlace(line, 110)),
    most,
    "places",
  );

/** A definition of such a function is not a call. */
const toldOfLibraries = (lines: readonly FoundLine[], which: string): string => {
  const calls = lines.filter(
    ({ path, text }) => isOwnSource(path) && !/^\s*(?:\/\/|#|\*)|\b(?:fn|def|func|function)\s+\w/.test(text),
  );
  return `Libraries may read ${which}.${calls.length > 0 ? ` These calls usually do:\n${toPlaces(calls, 6)}` : ""}`;
};

const CONFIG_FILE =
  /^(?:\.env[\w.]*|.*\.(?:toml|ini|cfg|conf)|.*config\.[cm]?[jt]s|tsconfig.*\.json|\..*rc(?:\.\w+)?|\.editorconfig|.*\.ya?ml|package\.json|\.pre-commit-config\.yaml|setup\.cfg)$/;

const toNames = (lines: readonly FoundLine[]): readonly (readonly [string, readonly string[]])[] => {
  const places = new Map<string, string[]>();
  for (const { path, line, text } of lines)
    for (const [, first, second] of text.matchAll(NAME)) {
      const name = first ?? second ?? "";
      places.set(name, [...(places.get(name) ?? []), `${path}:${line}`]);
    }
  return [...places].toSorted((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
};
