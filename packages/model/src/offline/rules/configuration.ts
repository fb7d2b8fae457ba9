/** Environment variables and settings: where the code reads them, and which files hold them. */
import type { FoundLine } from "../tool-output.ts";
import { findNearest } from "../project/listing.ts";
import { isOwnSource } from "../ranking.ts";
import { clip, count } from "../wording.ts";
import { isOnlyAbout } from "./asked.ts";
import type { Project } from "./look-at-project.ts";
import { bullets, lookAtProject } from "./look-at-project.ts";
import type { Rule, Turn } from "./rule.ts";
import { answer, call } from "./rule.ts";

const VARIABLES = /\b(?:environment[- ]variables?|env(?:ironment)?(?: ?vars?| variables?)?|environment)\b/;
const SETTINGS =
  /\b(?:config(?:s|uration)?|configure[ds]?|configurable|settings?|configuring|customi[sz]e|options|flags|command line (?:options|flags|arguments))\b/;
const SAID =
  /\b(?:reads?|read|set|sets|setting|support\w*|available|understands?|respects?|honou?rs?|change|located|kept|stored|live|files?|variables?|accepts?|takes?|there|possible|behaviou?r|run|configured|defined)\b/;

/** Where the usual languages read variables. */
const READS = String.raw`process\.env\b|import\.meta\.env\b|os\.environ|os\.getenv|getenv\(|env::var|env!\(|option_env!|os\.Getenv|os\.LookupEnv|System\.getenv|ENV\[|ENV\.fetch|Deno\.env|\$_ENV|Environment\.GetEnvironmentVariable|env\.fetch`;

export const configuration: Rule = ({ plain }) => {
  if (!isOnlyAbout(plain, new RegExp(`${VARIABLES.source}|${SETTINGS.source}`), SAID)) return undefined;
  const isVariables = VARIABLES.test(plain);
  return {
    agent: "code-search",
    work: (at) =>
      lookAtProject(at, {
        readsManifests: false,
        also: [call("grep", { pattern: READS, maxResults: 200, glob: "!{*.lock,*.min.js,*.svg,*.snap}" })],
        alsoThen: (listing) =>
          isVariables
            ? []
            : findNearest(listing, /^readme/i)
                .slice(0, 1)
                .map((path) =>
                  call("grep", {
                    pattern: String.raw`^#+ .*([Cc]onfig|[Oo]ption|[Ss]etting|[Cc]ustom|[Ff]lag|[Ee]nvironment)|^.*\bconfig(uration)? file\b`,
                    path,
                    maxResults: 8,
                  }),
                ),
        report: (project) => report(isVariables, project),
      }),
  };
};

const NAME =
  /(?:process\.env|import\.meta\.env)(?:\.|\[["'`])([A-Za-z_]\w*)|(?:environ(?:\.get)?|getenv|env::var(?:_os)?|env!|option_env!|Getenv|LookupEnv|GetEnvironmentVariable|ENV(?:\.fetch)?|\$_ENV|Deno\.env\.get)[[(]\s*["'`]([A-Za-z_]\w*)["'`]/g;

const report = (isVariables: boolean, { lines, listing }: Project): Turn => {
  const documented = lines.filter(({ path }) => /readme/i.test(path));
  const reads = lines.filter(
    ({ path, text }) => !documented.some((each) => each.path === path) && isOwnSource(path) && !/https?:\/\//.test(text),
  );
  const elsewhere = lines.length - documented.length - reads.length;
  const names = toNames(reads);
  const unnamed = reads.filter(({ text }) => ![...text.matchAll(NAME)].length);
  const files = listing.files.filter((file) => !file.includes("/") && CONFIG_FILE.test(file));
  return answer(
    names.length > 0
      ? `The code reads ${count(names.length, "environment variable")}:\n${bullets(
          names.map(([name, places]) => `- ${name} (${places.slice(0, 3).join(", ")})`),
          20,
          "variables",
        )}`
      : "",
    unnamed.length > 0
      ? `${names.length > 0 ? "It also reads the environment" : "The code reads the environment"} by names that stand elsewhere:\n${bullets(
          unnamed.map(({ path, line, text }) => `- ${path}:${line}: ${clip(text, 100)}`),
          6,
          "places",
        )}`
      : "",
    names.length + unnamed.length === 0
      ? "The code reads no environment variables in the usual ways (os.environ, process.env, getenv, env::var and the like)."
      : "",
    elsewhere > 0 ? `Tests, examples and documents read some in ${count(elsewhere, "place")}.` : "",
    !isVariables && documented.length > 0
      ? `The documents say:\n${documented.map(({ path, line, text }) => `- ${path}:${line}: ${clip(text, 110)}`).join("\n")}`
      : "",
    files.length > 0 ? `Settings of its tools are in: ${files.slice(0, 15).join(", ")}.` : "",
  );
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
