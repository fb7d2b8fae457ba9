/** Largest files, languages and how much there is, all counted by `overview`. */
import type { Listing } from "../project/listing.ts";
import type { Overview } from "../project/overview.ts";
import { parseOverview } from "../project/overview.ts";
import { count } from "../wording.ts";
import { isOnlyAbout } from "./asked.ts";
import { lookAtProject } from "./look-at-project.ts";
import type { Job, Rule, Turn } from "./rule.ts";
import { answer, call } from "./rule.ts";

const LARGEST = /\b(?:biggest|largest|longest|big|large|long|huge|heaviest|most lines)\b/;

export const largestFiles: Rule = ({ plain }) =>
  /\bfiles?\b/.test(plain) && isOnlyAbout(plain, LARGEST, /\b(?:\d+|top|five|ten|lines|size|sorted)\b/)
    ? look(reportLargest, false)
    : undefined;

const LANGUAGES =
  "python|javascript|typescript|java|go|golang|rust|ruby|php|c|c\\+\\+|c#|kotlin|swift|scala|elixir|haskell|perl|lua|dart|zig|shell|bash";
const SIZE = new RegExp(
  String.raw`\b(?:languages?|written|lines of code|loc|lines|how big|how large|how much code|size|how many files|number of files|(?:${LANGUAGES})(?=\s|$))`,
);

export const languagesAndSize: Rule = ({ plain }) => {
  if (/\b(?:biggest|largest|longest)\b/.test(plain) || !SIZE.test(plain)) return undefined;
  const bare = plain.replaceAll(new RegExp(String.raw`(?<=^|\s)(?:${LANGUAGES})(?=\s|$)`, "g"), "language");
  return isOnlyAbout(
    bare,
    SIZE,
    /\b(?:programming|written|big|large|count|total|number|project|counted|language|lines|mostly|mainly|main|stack|tech)\b/,
  )
    ? look(reportLanguages, true)
    : undefined;
};

const look = (report: (overview: Overview) => Turn, isAboutLanguages: boolean): Job => ({
  agent: "researcher",
  work: (at) =>
    lookAtProject(at, {
      also: [call("overview", { depth: 1 })],
      depth: at.offers("overview", "depth") ? 1 : 8,
      readsManifests: false,
      report: ({ exchanges, listing }) => {
        const overview = parseOverview(exchanges);
        if (overview.files > 0) return report(overview);
        return listing.files.length === 0
          ? answer("This folder is empty: there is no file to count.")
          : reportListed(listing, isAboutLanguages);
      },
    }),
});

/** Without `overview`, sizes and kinds of files stand in for lines and languages. */
const reportListed = ({ files, sizes }: Listing, isAboutLanguages: boolean): Turn => {
  const largest = [...sizes].toSorted((a, b) => b[1] - a[1]).slice(0, 8);
  const shownLargest = `The largest of ${count(files.length, "listed file")}, by size:\n${largest.map(([path, bytes]) => `- ${path}: ${Math.ceil(bytes / 1000)} kB`).join("\n")}`;
  if (!isAboutLanguages) return answer(shownLargest);
  const kinds = [...Map.groupBy(files, (file) => NAMES[/\.(\w+)$/.exec(file)?.[1] ?? ""] ?? "")]
    .filter(([name]) => name !== "")
    .map(([name, list]) => ({ name, files: list.length, bytes: list.reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0) }))
    .toSorted((a, b) => b.bytes - a.bytes);
  return answer(
    kinds[0] === undefined
      ? "No file here has the ending of a programming language."
      : `Mostly ${kinds[0].name}, by the endings and sizes of ${count(files.length, "file")}:`,
    kinds
      .map(({ name, files: number, bytes }) => `- ${name}: ${count(number, "file")}, ${Math.ceil(bytes / 1000)} kB`)
      .join("\n"),
  );
};

const NAMES: Readonly<Record<string, string>> = {
  py: "Python",
  js: "JavaScript",
  mjs: "JavaScript",
  cjs: "JavaScript",
  jsx: "JavaScript",
  ts: "TypeScript",
  tsx: "TypeScript",
  rs: "Rust",
  go: "Go",
  rb: "Ruby",
  php: "PHP",
  java: "Java",
  kt: "Kotlin",
  c: "C",
  h: "C",
  cc: "C++",
  cpp: "C++",
  hpp: "C++",
  cs: "C#",
  swift: "Swift",
  scala: "Scala",
  ex: "Elixir",
  exs: "Elixir",
  hs: "Haskell",
  lua: "Lua",
  dart: "Dart",
  zig: "Zig",
  sh: "Shell",
  html: "HTML",
  css: "CSS",
  sql: "SQL",
  pl: "Perl",
};

const reportLargest = ({ largest, files }: Overview): Turn =>
  answer(
    `The largest of ${count(files, "file")}, by lines:`,
    largest.map(({ path, lines }) => `- ${path}: ${count(lines, "line")}`).join("\n"),
  );

const reportLanguages = ({ languages, files }: Overview): Turn => {
  const lines = languages.reduce((sum, each) => sum + each.lines, 0);
  const code = languages.filter(({ name }) => !PROSE.has(name));
  const main = code.toSorted((a, b) => b.lines - a.lines)[0];
  return answer(
    main === undefined
      ? `${count(files, "file")}, ${count(lines, "line")}.`
      : `Mostly ${main.name}: ${count(main.lines, "line")} of ${count(lines, "line")} in ${count(files, "file")}.`,
    languages
      .slice(0, 12)
      .map((each) => `- ${each.name}: ${count(each.files, "file")}, ${count(each.lines, "line")}`)
      .join("\n"),
  );
};

const PROSE: ReadonlySet<string> = new Set([
  "other",
  "Markdown",
  "JSON",
  "YAML",
  "TOML",
  "reStructuredText",
  "Text",
  "HTML",
  "CSS",
  "XML",
  "SVG",
]);
