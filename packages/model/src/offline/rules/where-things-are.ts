/** Where a project begins, where its documents, examples and CI are, and under which licence it stands. */
import { depthOf, findNearest } from "../project/listing.ts";
import type { Listing } from "../project/listing.ts";
import { isOwnSource } from "../ranking.ts";
import { parseGlob } from "../tool-output.ts";
import { clip, count } from "../wording.ts";
import { isOnlyAbout } from "./asked.ts";
import type { Project } from "./look-at-project.ts";
import { bullets, lookAtProject, readOf, toLines } from "./look-at-project.ts";
import type { Rule, Turn } from "./rule.ts";
import { answer, call } from "./rule.ts";

const ENTRY =
  /\b(?:entry ?points?|entrypoint|main (?:function|file|module|class|program|entry points?|entry)|start reading|start(?:ing)? (?:point|to read|looking)|where (?:does|do) (?:it|this|the (?:program|code|app|application)|execution|everything) (?:start|begin)s?|where (?:should|do|can|could) i (?:start|begin|look first)|where to (?:start|begin)|first file|which file (?:should i|to) (?:read|open)(?: first)?|begin reading|read first|most important files?|which files matter)\b/;

export const entryPoints: Rule = ({ plain }) =>
  isOnlyAbout(
    plain,
    ENTRY,
    /\b(?:defined|located|uses|reading|main|first|understand|code|start|begin|important|matter|most|learn|new|contribut\w+)\b/,
  )
    ? {
        agent: "code-search",
        work: (at) =>
          lookAtProject(at, {
            also: [
              call("grep", { pattern: MAIN, maxResults: 40, glob: "!{*.md,*.rst,*.txt,*.json}" }),
              call("glob", {
                pattern:
                  "{main,index,cli,app,server,lib,mod,__init__,__main__,manage}.{ts,js,mjs,cjs,tsx,py,rs,go,rb,php,java,kt,c,cpp,swift}",
                limit: 300,
              }),
            ],
            report: reportEntries,
          }),
      }
    : undefined;

/** The function or the test by which a program begins, in the usual languages. */
const MAIN = String.raw`^(async )?fn main\(|^func main\(|^def main\(|^if __name__ == .__main__.|^int main\(|public static void main\(|^(async )?function main\(`;

const reportEntries = ({ manifests, exchanges, listing }: Project): Turn => {
  const declared = manifests.flatMap(({ entries = [] }) => entries.map(({ text, where }) => `- ${text} (${where})`));
  const mains = toLines(exchanges).filter(({ path }) => isOwnSource(path));
  const globbed = exchanges.filter(({ tool, isError }) => tool === "glob" && !isError).flatMap(({ text }) => parseGlob(text));
  const named = globbed
    .filter((file) => isOwnSource(file) && !mains.some(({ path }) => path === file))
    .toSorted((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1));
  const [readme] = findNearest(listing, /^readme/i);
  if (declared.length + mains.length + named.length === 0)
    return answer(
      "No entry point was found: no manifest names one, and no file has a main function or a usual name for one.",
      readme === undefined ? "" : `To start reading: ${readme}.`,
    );
  const isLibrary = mains.length === 0 && !declared.some((row) => /^- (?:command|program|container)/.test(row));
  return answer(
    isLibrary ? "There is no main function: it is a library, used from other programs." : "",
    declared.length > 0 ? `The manifests name:\n${bullets(declared, 8, "entries")}` : "",
    mains.length > 0
      ? `Programs start at:\n${bullets(
          mains.map(({ path, line, text }) => `- ${path}:${line}: ${clip(text, 90)}`),
          8,
          "places",
        )}`
      : "",
    named.length > 0
      ? `Modules begin, by the names of their files, at:\n${bullets(
          named.map((file) => `- ${file}`),
          6,
          "files",
        )}`
      : "",
    readme === undefined ? "" : `To start reading: ${readme}, then the files above.`,
  );
};

const LICENCE = /\b(?:licen[cs]e[sd]?|licen[cs]ing|copyright|commercial(?:ly)?|open source|mit|gpl|apache)\b/;

export const whichLicence: Rule = ({ plain }) =>
  isOnlyAbout(
    plain,
    LICENCE,
    /\b(?:allowed|free|terms|legal|company|closed|fork|sell|copy|redistribute|work|kind|permitted|business|product|at|open|source)\b/,
  )
    ? {
        agent: "code-search",
        work: (at) =>
          lookAtProject(at, {
            alsoThen: (listing) => licences(listing).map((path) => call("read", { path, limit: 8 })),
            report: reportLicence,
          }),
      }
    : undefined;

const licences = (listing: Listing): readonly string[] =>
  findNearest(listing, /^(?:un)?(?:licen[cs]e|copying|copyright)/i).slice(0, 4);

const reportLicence = ({ manifests, listing, exchanges }: Project): Turn => {
  const declared = manifests.flatMap(({ licence }) => (licence ? [`- ${licence.text} (${licence.where})`] : []));
  const files = licences(listing).map((path) => {
    const lines = readOf(exchanges, path).filter(({ text }) => text.trim() !== "");
    const shown = lines
      .slice(0, 2)
      .map(({ text }) => text.trim())
      .join(", ");
    return `- ${path}: ${nameLicence(lines.map(({ text }) => text).join(" ")) ?? clip(shown, 100)}`;
  });
  if (declared.length + files.length === 0)
    return answer(
      "No licence was found: no LICENSE or COPYING file, and no manifest names one. Without a licence, others have no right to copy or use it; ask the authors.",
    );
  return answer(
    declared.length > 0 ? `Declared:\n${declared.join("\n")}` : "",
    files.length > 0 ? `${count(files.length, "licence file")}:\n${files.join("\n")}` : "",
    "What it allows stands in the file; this is no legal advice.",
  );
};

const KNOWN: readonly (readonly [RegExp, string])[] = [
  [/MIT License|Permission is hereby granted, free of charge/i, "MIT License"],
  [/Apache License/i, "Apache License 2.0"],
  [/GNU AFFERO/i, "GNU AGPL"],
  [/GNU LESSER/i, "GNU LGPL"],
  [/GNU GENERAL PUBLIC/i, "GNU GPL"],
  [/Mozilla Public License/i, "Mozilla Public License"],
  [/BSD (\d)-Clause/i, "BSD"],
  [/Redistribution and use in source and binary forms/i, "BSD License"],
  [/ISC License/i, "ISC License"],
  [/This is free and unencumbered software/i, "The Unlicense"],
];

const nameLicence = (text: string): string | undefined => KNOWN.find(([pattern]) => pattern.test(text))?.[1];

const CI = /\b(?:ci|ci\/cd|cd|continuous integration|pipelines?|github actions?|gitlab ci|workflows?|actions)\b/;

export const whichCi: Rule = ({ plain }) =>
  isOnlyAbout(plain, CI, /\b(?:set ?up|run|runs|configured?|there|automated|defined)\b/)
    ? {
        agent: "code-search",
        work: (at) =>
          lookAtProject(at, {
            readsManifests: false,
            alsoThen: (listing) =>
              listing.folders.has(".github/workflows")
                ? [
                    call("grep", {
                      pattern: String.raw`^name:|^\s+- run:\s*\S+|^\s+run:\s*[^|\s]`,
                      path: ".github/workflows",
                      maxResults: 60,
                    }),
                    call("ls", { path: ".github/workflows" }),
                  ]
                : [],
            report: reportCi,
          }),
      }
    : undefined;

const OTHER_CI =
  /^(?:\.gitlab-ci\.yml|\.travis\.yml|azure-pipelines\.yml|Jenkinsfile|appveyor\.yml|\.appveyor\.yml|\.drone\.yml|bitbucket-pipelines\.yml|\.cirrus\.yml)$/;

const reportCi = ({ listing, lines, exchanges }: Project): Turn => {
  const others = listing.files.filter((file) => OTHER_CI.test(file) || file.startsWith(".circleci/"));
  const names = lines
    .filter(({ text }) => text.startsWith("name:"))
    .map(({ path, text }) => `- ${path}: ${clip(text.replace(/^name:\s*/, ""), 60)}`);
  const steps = lines
    .filter(({ text }) => !text.startsWith("name:"))
    .map(({ path, line, text }) => `- ${path}:${line}: ${clip(text.replace(/^\s*(?:- )?run:\s*/, ""), 90)}`);
  const listed = exchanges.findLast(({ tool, input }) => tool === "ls" && input["path"] === ".github/workflows")?.text ?? "";
  const files = [...listed.matchAll(/^ {2}(\S+\.ya?ml)/gm)].map(([, file = ""]) => `- .github/workflows/${file}`);
  if (names.length + files.length + others.length === 0)
    return answer("No CI was found: no .github/workflows, .gitlab-ci.yml, .travis.yml, Jenkinsfile or the like.");
  const shown = names.length >= files.length ? names : files;
  return answer(
    shown.length > 0 ? `Yes, GitHub Actions (${count(shown.length, "workflow")}):\n${bullets(shown, 10, "workflows")}` : "",
    others.length > 0 ? `CI settings: ${others.join(", ")}.` : "",
    steps.length > 0 ? `Among what they run:\n${bullets([...new Set(steps)], 8, "steps")}` : "",
  );
};

const THINGS: readonly (readonly [RegExp, string, RegExp])[] = [
  [
    /\b(?:documentation|docs?|manual|guides?|tutorials?|wiki|read the docs)\b/,
    "Documentation",
    /^(?:docs?|documentation|manual|guides?|website|wiki)(?:\/|$)|^(?:readme|mkdocs\.yml|docusaurus)/i,
  ],
  [/\b(?:examples?|samples?|demos?)\b/, "Examples", /^(?:examples?|samples?|demos?)(?:\/|$)/i],
  [/\b(?:change ?log|release notes)\b/, "A changelog", /^(?:change|history|news|release)/i],
  [/\b(?:dockerfile|docker|container|docker compose)\b/, "Docker", /dockerfile|compose\.ya?ml$|\.dockerignore/i],
  [
    /\b(?:contribut\w+|code of conduct)\b/,
    "Rules for contributors",
    /^(?:\.github\/)?(?:contributing|code_of_conduct|development|hacking)/i,
  ],
  [/\b(?:security policy|report a vulnerability|security)\b/, "A security policy", /^(?:\.github\/)?security/i],
  [/\b(?:benchmarks?|bench)\b/, "Benchmarks", /^bench|\/bench/i],
];

export const isThere: Rule = ({ plain }) => {
  if (!/^(?:is|are|does|do|where|which|any|show|has|have|how (?:do|can) i contribute|find|what)\b/.test(plain)) return undefined;
  const thing = THINGS.find(([words]) =>
    isOnlyAbout(plain, words, /\b(?:located|kept|live|support\w*|available|image|images|there|some|come|comes|written|folder)\b/),
  );
  if (!thing) return undefined;
  const [, title, pattern] = thing;
  return {
    agent: "researcher",
    work: (at) => lookAtProject(at, { readsManifests: false, report: ({ listing }) => reportThere(title, pattern, listing) }),
  };
};

const reportThere = (title: string, pattern: RegExp, { files, folders }: Listing): Turn => {
  const inFolders = [...folders].filter(([folder]) => pattern.test(folder) && !folder.includes("/"));
  const inFiles = files.filter((file) => pattern.test(file) && !inFolders.some(([folder]) => file.startsWith(`${folder}/`)));
  return inFolders.length + inFiles.length === 0
    ? answer(`${title}: none found in this folder or one level below it.`)
    : answer(
        `${title}:`,
        bullets(
          [
            ...inFolders.map(([folder, number]) => `- ${folder}/ (${count(number, "file")})`),
            ...inFiles.map((file) => `- ${file}`),
          ],
          12,
          "files",
        ),
      );
};
