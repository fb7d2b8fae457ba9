/** "What changed since …": a tag, a commit, a branch, a day, the last release; or what is not committed yet. */
import type { Exchange } from "../conversation.ts";
import { clip, count } from "../wording.ts";
import { leftOver } from "./asked.ts";
import { askGit, git, gitText } from "./git-answers.ts";
import { bullets } from "./look-at-project.ts";
import type { Rule, Situation, Turn } from "./rule.ts";
import { answer, call, exchangesOf, offered } from "./rule.ts";

const CHANGE =
  /\b(?:changed?|changes|new|news|different|differences?|diff|happened|modified|updated?|updates|commits|done|added|git diff|git log)\b/;
const DAYS =
  /\b(?:yesterday|today|this (?:week|month|year)|(?:the )?(?:last|past) (?:\d+ )?(?:few )?(?:hours?|days?|weeks?|months?|years?)|last (?:week|month|year|night)|monday|tuesday|wednesday|thursday|friday|saturday|sunday|\d{4}-\d\d(?:-\d\d)?|\d+ (?:hours?|days?|weeks?|months?|years?)(?: ago)?)\b/;
const RELEASE = /\b(?:the )?(?:last|latest|previous|newest|most recent) (?:release|version|tag)\b/;
const UNCOMMITTED =
  /\b(?:git status|git diff|uncommitted|not committed|unstaged|staged|working tree|work tree|my changes|local changes|i changed?|did i change|have i changed|review my)\b/;
const SAID =
  /\b(?:since|between|and|compared|against|vs|from|in|happened|there|was|ago|got|summary|list|git|status|me|commit|tag|branch|release|version)\b/;

export const whatChanged: Rule = ({ plain, text }) => {
  if (UNCOMMITTED.test(plain) && leftOver(plain, UNCOMMITTED, CHANGE, SAID).length === 0)
    return { agent: "reviewer", work: workUncommitted };
  if (!CHANGE.test(plain) && !/\bsince\b/.test(plain)) return undefined;
  if (RELEASE.test(plain) && leftOver(plain, RELEASE, CHANGE, SAID).length === 0) return { work: workSinceRelease };
  const days = DAYS.exec(plain)?.[0];
  if (days !== undefined && leftOver(plain, DAYS, CHANGE, SAID).length === 0) return { work: (at) => workSinceDay(at, days) };
  const [, from, to] = /\bbetween\s+([\w./@~^-]+)\s+and\s+([\w./@~^-]+)/i.exec(text) ?? [];
  const [, since] =
    /\b(?:since|compared (?:to|with)|against|vs\.?|from)\s+(?:(?:the )?(?:tag|commit|branch|release|version)\s+)?([\w./@~^-]*\w)/i.exec(
      text,
    ) ?? [];
  const start = from ?? since;
  if (start === undefined) return undefined;
  const end = to ?? "HEAD";
  const known = new Set([start.toLowerCase(), end.toLowerCase()]);
  if (leftOver(plain, CHANGE, SAID).some((word) => !known.has(word))) return undefined;
  return { work: (at) => workSince(at, start, end) };
};

const FORMAT = ["--format=%h %ad %an: %s", "--date=short"];

const workSince = (at: Situation, from: string, to: string): Turn =>
  askGit(
    at,
    `Asking git what changed since ${from}.`,
    [
      git("log", "-15", ...FORMAT, "--no-merges", `${from}..${to}`),
      git("rev-list", "--count", `${from}..${to}`),
      git("diff", "--numstat", `${from}..${to}`),
    ],
    (exchanges) => report(exchanges, `since ${from}`, to),
  );

const workSinceDay = (at: Situation, days: string): Turn => {
  const since = toDate(days);
  return askGit(
    at,
    `Asking git for the commits since ${since}.`,
    [git("log", "-30", ...FORMAT, "--no-merges", `--since=${since}`), git("log", "-1", ...FORMAT)],
    (exchanges) => {
      const rows = rowsOf(gitText(exchanges, "log", "-30"));
      const last = rowsOf(gitText(exchanges, "log", "-1"))[0];
      return rows.length === 0
        ? answer(`No commit was made since ${since}.${last === undefined ? "" : ` The last one is older: ${clip(last, 150)}`}`)
        : answer(
            `${rows.length === 30 ? "The last 30 commits" : count(rows.length, "commit")} since ${since}, newest first:`,
            rows.map((row) => `- ${clip(row, 130)}`).join("\n"),
          );
    },
  );
};

/** As git understands it. */
const toDate = (days: string): string => {
  const bare = days.replace(/^the /, "").replace(/^past /, "last ");
  if (bare === "today") return "midnight";
  if (bare === "last night") return "yesterday";
  const [, unit] = /^(?:this|last) (?:few )?(week|month|year|day|hour)s?$/.exec(bare) ?? [];
  if (unit !== undefined) return `1 ${unit} ago`;
  const [, amount] = /(\d+ \w+)/.exec(bare) ?? [];
  return amount === undefined || /^\d{4}-/.test(bare) ? bare : `${amount} ago`;
};

const workSinceRelease = (at: Situation): Turn => {
  const exchanges = exchangesOf(at);
  const tag = (gitText(exchanges, "describe", "--tags") ?? "").trim();
  if (at.turns.length === 1 && tag !== "") {
    const calls = offered(
      at,
      git("log", "-15", ...FORMAT, "--no-merges", `${tag}..HEAD`),
      git("rev-list", "--count", `${tag}..HEAD`),
      git("diff", "--numstat", `${tag}..HEAD`),
    );
    if (calls.length > 0) return { type: "calls", text: `Asking git what changed since ${tag}.`, calls };
  }
  return askGit(at, "Asking git for the last release.", [git("describe", "--tags", "--abbrev=0")], (all) =>
    tag === ""
      ? answer("No tag leads to this commit, so the last release is not known here.")
      : report(all, `since ${tag}`, "HEAD"),
  );
};

const rowsOf = (text: string | undefined): readonly string[] => (text ?? "").split("\n").filter((row) => row !== "");

const report = (exchanges: readonly Exchange[], since: string, to: string): Turn => {
  const rows = rowsOf(gitText(exchanges, "log"));
  const total = Number((gitText(exchanges, "rev-list") ?? "").trim() || rows.length);
  const files = rowsOf(gitText(exchanges, "diff")).flatMap((row) => {
    const [, added, deleted, path] = /^(\d+|-)\t(\d+|-)\t(.+)$/.exec(row) ?? [];
    return path === undefined ? [] : [{ path, added: Number(added) || 0, deleted: Number(deleted) || 0 }];
  });
  if (rows.length === 0 && files.length === 0) {
    const failed = exchanges.find(({ tool, isError }) => tool === "git" && isError);
    return failed
      ? answer(`Git does not know it: ${clip(failed.text.replace(/^Error(?: \([\w-]+\))?: /, ""), 200)}`)
      : answer(`Nothing changed ${since}${to === "HEAD" ? "" : ` up to ${to}`}.`);
  }
  const sum = (pick: (file: (typeof files)[number]) => number): number => files.reduce((all, file) => all + pick(file), 0);
  const most = files.toSorted((a, b) => b.added + b.deleted - a.added - a.deleted);
  return answer(
    `${count(total, "commit")} ${since}${to === "HEAD" ? "" : ` up to ${to}`}, in ${count(files.length, "file")}: ${count(
      sum(({ added }) => added),
      "line",
    )} added, ${sum(({ deleted }) => deleted)} removed.`,
    most.length > 0
      ? `Changed most:\n${bullets(
          most.map(({ path, added, deleted }) => `- ${path} (+${added} -${deleted})`),
          10,
          "files",
        )}`
      : "",
    rows.length > 0
      ? `Commits, newest first (merges left out):\n${rows.map((row) => `- ${clip(row, 120)}`).join("\n")}${total > rows.length ? `\n- … and older ones` : ""}`
      : "",
  );
};

/** The reviewer has `git_diff`; others have `git`. */
const workUncommitted = (at: Situation): Turn => {
  const exchanges = exchangesOf(at);
  const diff = exchanges.find(({ tool }) => tool === "git_diff");
  if (at.turns.length === 0) {
    const own = offered(at, call("git_diff", {}));
    if (own.length > 0) return { type: "calls", text: "Asking git what is not committed.", calls: own };
  }
  if (diff && !diff.isError)
    return answer(
      diff.text === "No difference." ? "Nothing is changed since the last commit." : `Not committed yet:\n\n${fence(diff.text)}`,
    );
  if (diff?.isError === true)
    return askGit(
      { ...at, turns: at.turns.map((turn) => turn.map((each) => (each.tool === "git_diff" ? { ...each, tool: "git" } : each))) },
      "",
      [],
      () => answer(""),
    );
  return askGit(
    at,
    "Asking git what is not committed.",
    [git("status", "--short", "--branch"), git("diff", "--numstat", "HEAD")],
    (all) => {
      const rows = rowsOf(gitText(all, "status"));
      return rows.length <= 1
        ? answer(
            `Nothing is changed since the last commit.${rows[0] === undefined ? "" : ` Branch: ${rows[0].replace(/^## /, "")}.`}`,
          )
        : answer(
            `Not committed yet (${rows[0]?.replace(/^## /, "branch ") ?? ""}):`,
            bullets(
              rows.slice(1).map((row) => `- ${row}`),
              30,
              "files",
            ),
          );
    },
  );
};

const fence = (text: string): string =>
  ["````diff", ...text.split("\n").slice(0, 80), ...(text.split("\n").length > 80 ? ["…"] : []), "````"].join("\n");
