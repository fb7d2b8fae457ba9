/** Commits, authors, releases and branches, from git. */
import type { Exchange } from "../conversation.ts";
import { clip, count } from "../wording.ts";
import { isOnlyAbout, leftOver } from "./asked.ts";
import { askGit, git, gitText } from "./git-answers.ts";
import { bullets } from "./look-at-project.ts";
import type { Rule, Turn } from "./rule.ts";
import { answer } from "./rule.ts";

const FORMAT = "--format=%h %ad %an: %s";
const DATE = "--date=short";

const COMMITS =
  /\b(?:git log|git history|commits?|commit history|history|log|latest changes?|last changes?|recent changes?|recent work|latest work|last work|latest updates?|recent updates?|last updates?|recent activity|activity|recently|lately|going on|happening|happened|last updated|last changed)\b/;
const COMMITS_SAID =
  /\b(?:last|latest|recent|newest|most recent|previous|first|done|been|changed|change|changes|happened|happening|new|message|messages|hash|date|author|\d+|few|couple|five|ten|three|two|were|git|worked|work)\b/;

export const recentCommits: Rule = ({ plain, path }) => {
  const rest = path === undefined ? plain : plain.replace(path.toLowerCase(), " ");
  if (!isOnlyAbout(rest, COMMITS, COMMITS_SAID)) return undefined;
  const number = Math.min(
    50,
    Number(/\b(\d+)\b/.exec(rest)?.[1] ?? (/\b(?:last|latest|newest|most recent) commit\b(?!s)/.test(rest) ? 1 : 10)),
  );
  const paths = path === undefined ? [] : ["--", path];
  return {
    work: (at) =>
      askGit(
        at,
        "Asking git for the commits.",
        number === 1
          ? [
              git("log", "-1", "--first-parent", "-m", "--stat", "--date=iso", "--format=%h%n%an%n%ad%n%s%n%b", ...paths),
              git("log", "-4", "--skip=1", FORMAT, DATE, ...paths),
            ]
          : [git("log", `-${number}`, FORMAT, DATE, ...paths)],
        (exchanges) => (number === 1 ? reportLast(exchanges, path) : reportLog(exchanges, number, path)),
      ),
  };
};

const reportLast = (exchanges: readonly Exchange[], path: string | undefined): Turn => {
  const said = gitText(exchanges, "log", "-1");
  if (said === undefined || said === "") return answer(`No commit touches ${path ?? "this folder"}.`);
  const [hash = "", author = "", date = "", subject = "", ...rest] = said.split("\n");
  const stat = rest.filter((line) => / \| +(?:\d+|Bin)|files? changed/.test(line)).map((line) => line.trim());
  const earlier = (gitText(exchanges, "log", "-4") ?? "").split("\n").filter((line) => line !== "");
  return answer(
    `The last commit${path === undefined ? "" : ` to ${path}`} is ${hash}, by ${author} on ${date.slice(0, 16)}:\n${clip(subject, 200)}`,
    stat.length > 0
      ? `It changed:\n${bullets(
          stat.slice(0, -1).map((line) => `- ${line}`),
          12,
          "files",
        )}\n${stat.at(-1) ?? ""}`
      : "",
    earlier.length > 0 ? `Before it:\n${earlier.map((line) => `- ${clip(line, 120)}`).join("\n")}` : "",
  );
};

const reportLog = (exchanges: readonly Exchange[], number: number, path: string | undefined): Turn => {
  const rows = (gitText(exchanges, "log") ?? "").split("\n").filter((line) => line !== "");
  return rows.length === 0
    ? answer(`No commit touches ${path ?? "this folder"}.`)
    : answer(
        `The last ${count(Math.min(rows.length, number), "commit")}${path === undefined ? "" : ` to ${path}`}, newest first:`,
        rows.map((line) => `- ${clip(line, 130)}`).join("\n"),
      );
};

const PEOPLE = /\b(?:who|authors?|contributors?|maintainers?|committers?|developers?|owners?|people|whose)\b/;
const DEEDS =
  /\b(?:wrote|written|write|writes|worked|works|working|work|made|makes|created|developed|develops|maintains?|maintained|contribut\w+|authors?|owners?|owns|responsible|behind|commits?|committed|changed|changes|change|touched|edited|modified|last|first|main|top|biggest|active|did|list|done|most|people|developers?|maintainers?|names?|involved|what|built|blame|line|lines|\d+)\b/;

export const whoChanged: Rule = ({ plain, path, text }) => {
  const rest = path === undefined ? plain : plain.replace(path.toLowerCase(), " ");
  if (
    !PEOPLE.test(rest) ||
    !DEEDS.test(rest) ||
    leftOver(rest, PEOPLE, DEEDS).length > 0 ||
    /\bwho (?:are|am|is) (?:you|i)\b/.test(rest)
  )
    return undefined;
  const [, line] = /\blines? (\d+)/i.exec(text) ?? /:(\d+)\b/.exec(text) ?? [];
  if (path !== undefined && line !== undefined)
    return {
      work: (at) =>
        askGit(at, "Asking git who wrote it.", [git("blame", `-L${line},${line}`, DATE, "--", path)], (exchanges) =>
          answer(`Line ${line} of ${path}:`, clip(gitText(exchanges, "blame") ?? "", 300)),
        ),
    };
  const paths = path === undefined ? [] : ["--", path];
  return {
    work: (at) =>
      askGit(
        at,
        "Asking git who made the commits.",
        [git("shortlog", "-s", "-n", "--no-merges", "HEAD", ...paths), git("log", "-5", FORMAT, DATE, ...paths)],
        (exchanges) => reportAuthors(exchanges, path),
      ),
  };
};

const reportAuthors = (exchanges: readonly Exchange[], path: string | undefined): Turn => {
  const people = (gitText(exchanges, "shortlog") ?? "").split("\n").flatMap((row) => {
    const [, commits, name] = /^\s*(\d+)\s+(.+)$/.exec(row) ?? [];
    return commits === undefined || name === undefined ? [] : [{ commits: Number(commits), name }];
  });
  const latest = (gitText(exchanges, "log") ?? "").split("\n").filter((line) => line !== "");
  if (people.length === 0 && latest.length === 0) return answer(`No commit touches ${path ?? "this folder"}.`);
  const total = people.reduce((sum, { commits }) => sum + commits, 0);
  return answer(
    `${count(people.length, "person", "people")} made the ${count(total, "commit")}${path === undefined ? " here" : ` that touch ${path}`} (merges not counted). The most by:`,
    people
      .slice(0, 10)
      .map(({ name, commits }) => `- ${name}: ${count(commits, "commit")} (${Math.round((100 * commits) / total)} %)`)
      .join("\n"),
    latest.length > 0 ? `The latest commits:\n${latest.map((line) => `- ${clip(line, 120)}`).join("\n")}` : "",
  );
};

const RELEASES = /\b(?:releases?|released|tags?|versions?)\b/;

export const versions: Rule = ({ plain }) => {
  if (
    !isOnlyAbout(plain, RELEASES, /\b(?:last|latest|newest|recent|current|number|git|available|published|stable)\b/) ||
    /\b(?:since|changed|new)\b/.test(plain)
  )
    return undefined;
  return {
    work: (at) =>
      askGit(
        at,
        "Asking git for the tags.",
        [
          git("tag", "--sort=-creatordate", "--format=%(refname:short) %(creatordate:short)"),
          git("describe", "--tags", "--always"),
        ],
        (exchanges) => {
          const tags = (gitText(exchanges, "tag") ?? "").split("\n").filter((line) => line !== "");
          const here = (gitText(exchanges, "describe") ?? "").trim();
          return tags.length === 0
            ? answer(`There are no tags in this repository.${here === "" ? "" : ` The commit at hand is ${here}.`}`)
            : answer(
                `The newest tag is ${tags[0]?.replace(" ", ", of ")}; there are ${count(tags.length, "tag")}. The commit at hand is ${here} (tag, commits since, hash).`,
                `The latest:\n${bullets(
                  tags.map((tag) => `- ${tag}`),
                  6,
                  "tags",
                )}`,
              );
        },
      ),
  };
};

const BRANCHES = /\b(?:branch|branches|remotes?|upstream|hosted|clone url|git status|git branch)\b/;

export const branches: Rule = ({ plain }) => {
  if (
    !isOnlyAbout(plain, BRANCHES, /\b(?:current|url|address|on|which|github|gitlab|cloned|from|git)\b/) ||
    /\bgit status\b/.test(plain)
  )
    return undefined;
  return {
    work: (at) =>
      askGit(at, "Asking git for the branches.", [git("branch", "-a", "-v"), git("remote", "-v")], (exchanges) =>
        answer(
          `Branches (the star is the one at hand):\n${bullets(
            (gitText(exchanges, "branch") ?? "").split("\n").map((row) => `- ${clip(row, 110)}`),
            12,
            "branches",
          )}`,
          (gitText(exchanges, "remote") ?? "") === ""
            ? "No remote is set."
            : `Remotes:\n${(gitText(exchanges, "remote") ?? "")
                .split("\n")
                .filter((row) => row.endsWith("(fetch)"))
                .map((row) => `- ${row.replace(/\s*\(fetch\)$/, "").replace("\t", " ")}`)
                .join("\n")}`,
        ),
      ),
  };
};
