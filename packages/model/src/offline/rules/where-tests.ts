/** Where the tests are, and which of them are about something. */
import type { PlannedCall } from "../calls.ts";
import type { Exchange } from "../conversation.ts";
import { parseOverview } from "../project/overview.ts";
import { kindOf } from "../ranking.ts";
import type { Term } from "../terms.ts";
import { escapePattern } from "../terms.ts";
import { parseGlob } from "../tool-output.ts";
import { count } from "../wording.ts";
import { isOnlyAbout, leftOver } from "./asked.ts";
import type { Project } from "./look-at-project.ts";
import { bullets, lookAtProject } from "./look-at-project.ts";
import type { Rule, Turn } from "./rule.ts";
import { answer, call } from "./rule.ts";

const TESTS = /\b(?:tests?|specs?|test cases?|test files?|test suite|unit tests?)\b/;
const TESTS_SAID =
  /\b(?:located|live|lives|kept|stored|placed|folder|directory|cases?|suite|unit|integration|written|there|number|count|cover\w*|reside|end-to-end|e2e)\b/;

export const whereTests: Rule = ({ plain, terms }) => {
  const [, subject] = /\btests? (?:for|of|about|covering|that covers?) (.+)$/.exec(plain) ?? [];
  if (subject !== undefined && leftOver(subject).length > 0 && /^(?:where|which|are|is|find|show|what|list)\b/.test(plain)) {
    const wanted = terms.find(({ kind, text }) => kind !== "weak" && !/^tests?$/i.test(text));
    if (wanted)
      return {
        agent: "code-search",
        work: (at) =>
          lookAtProject(at, {
            readsManifests: false,
            also: testsOf(wanted),
            report: ({ exchanges }) => reportTestsOf(wanted.text, exchanges),
          }),
      };
  }
  if (
    !/^(?:where|which|are|is|what|how many|show|list|find|do|does|in which|tests?)\b/.test(plain) ||
    !isOnlyAbout(plain, TESTS, TESTS_SAID)
  )
    return undefined;
  return {
    agent: "researcher",
    work: (at) => lookAtProject(at, { also: [call("overview", { depth: 1 })], manifestLines: 100, report: reportTests }),
  };
};

/** Tests of a file import it, or are named after it, without its ending. */
const testsOf = ({ kind, text, pattern }: Term): readonly PlannedCall[] => {
  if (kind !== "path") return [call("grep", { pattern, ignoreCase: true, filesOnly: true, maxResults: 300 })];
  const stem = stemOf(text);
  return [
    call("grep", { pattern: String.raw`\b${escapePattern(stem)}\b`, filesOnly: true, maxResults: 300 }),
    call("glob", { pattern: `**/*${stem}*`, limit: 100 }),
  ];
};

const stemOf = (path: string): string => (path.split("/").at(-1) ?? path).replace(/\.\w+$/, "");

const reportTestsOf = (subject: string, exchanges: readonly Exchange[]): Turn => {
  const outputOf = (tool: string): string => exchanges.findLast((each) => each.tool === tool && !each.isError)?.text ?? "";
  const mentioning = outputOf("grep")
    .split("\n")
    .flatMap((row) => {
      const [, path, lines] = /^(\S.*): (\d+)$/.exec(row) ?? [];
      return path !== undefined && kindOf(path) === "test" ? [{ path, lines: Number(lines) }] : [];
    });
  const named = parseGlob(outputOf("glob")).filter((path) => kindOf(path) === "test");
  const rows = [
    ...named.map((path) => `- ${path}`),
    ...mentioning
      .filter(({ path }) => !named.includes(path))
      .toSorted((a, b) => b.lines - a.lines)
      .map(({ path, lines }) => `- ${path} (${count(lines, "line")})`),
  ];
  return rows.length === 0
    ? answer(`No test file mentions "${subject}" or is named after it.`)
    : answer(
        `${count(rows.length, "test file")} ${rows.length === 1 ? "mentions" : "mention"} "${subject}"${named.length > 0 ? " or is named after it" : ""}:`,
        bullets(rows, 15, "files"),
      );
};

const reportTests = ({ exchanges, listing, manifests }: Project): Turn => {
  const { tests, testsInAll } = parseOverview(exchanges);
  const command = manifests.flatMap(({ commands = [] }) => commands).find(({ purpose }) => purpose === "test");
  const run = command ? `Run them with \`${command.command}\` (${command.where}).` : "";
  if (tests.length > 0)
    return answer(
      `${testsInAll} of tests, in:`,
      tests
        .map(({ folder, files }) => `- ${folder === "." ? "the top folder" : `${folder}/`} (${count(files, "file")})`)
        .join("\n"),
      run,
    );
  const files = listing.files.filter((file) => kindOf(file) === "test");
  const folders = [...listing.folders].filter(([folder]) => /(?:^|\/)(?:tests?|specs?|__tests__)$/.test(folder));
  return folders.length + files.length === 0
    ? answer("No tests were found: no folder and no file is named like them.", run)
    : answer(
        "The tests are in:",
        bullets(
          [
            ...folders.map(([folder, number]) => `- ${folder}/ (${count(number, "file")})`),
            ...files.filter((file) => !folders.some(([folder]) => file.startsWith(`${folder}/`))).map((file) => `- ${file}`),
          ],
          12,
          "files",
        ),
        run,
      );
};
