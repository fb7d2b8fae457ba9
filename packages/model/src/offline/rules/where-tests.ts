/** Where the tests are, and which of them are about something. */
import type { PlannedCall } from "../calls.ts";
import type { Exchange } from "../conversation.ts";
import { parseOverview } from "../project/overview.ts";
import { kindOf } from "../ranking.ts";
import type { Term } from "../terms.ts";
import { escapePattern } from "../terms.ts";
import { parseGlob, parseGrep } from "../tool-output.ts";
import { count } from "../wording.ts";
import { isOnlyAbout, leftOver } from "./asked.ts";
import type { Project } from "./look-at-project.ts";
import { bullets, lookAtProject } from "./look-at-project.ts";
import type { Rule, Turn } from "./rule.ts";
import { answer, call } from "./rule.ts";

const TESTS = /\b(?:tests?|specs?|test cases?|test files?|test suite|unit tests?)\b/;
const TESTS_SAID =
  /\b(?:located|live|lives|kept|stored|placed|folder|directory|cases?|suite|unit|integration|written|there|number|count|cover\w*|reside|end-to-end|e2e)\b/;

const MOST_TEST_FILES = 500;

/** How a test case begins in the usual languages and frameworks. */
const TEST_CASES = [
  String.raw`#\[(\w+::)*(test|rstest|test_case|quickcheck|wasm_bindgen_test)\b|\bproptest!`,
  String.raw`^\s*(async )?def test|^\s*class Test|\bTestCase\b`,
  String.raw`^func (Test|Benchmark|Fuzz|Example)`,
  String.raw`(^|[^.\w])(test|it|describe|specify|suite)(\.\w+)*(<[^>]*>)?\s*\(`,
  String.raw`^\s*(it|describe|test|specify|context)\s+["':]`,
  String.raw`@(Test|ParameterizedTest|RepeatedTest|Property|test)\b|\[(Fact|Theory|Test|TestMethod)\b`,
  String.raw`\b(TEST|TEST_F|TEST_P|SCENARIO)\s*\(|\bTEST_CASE\s*\(|function test`,
].join("|");

const MODULES = String.raw`^\s*#\[cfg\((all\()?test\b|^\s*(pub(\([^)]*\))?\s+)?mod\s+\w+`;

/** The paths that the tool `overview` counts as tests. */
const COUNTED_AS_TEST =
  /(?:^|\/)(?:tests?|__tests__|specs?|testing|fixtures?|testdata)\/|[._-](?:test|spec)s?\.\w+$|(?:^|\/)(?:test_[^/]*|[^/]*_test)\.\w+$/i;

const DATA = /\.(?:md|mdx|rst|adoc|txt|json|jsonc|ya?ml|toml|ini|cfg|xml|csv|html|svg|snap|lock)$/;

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
    work: (at) =>
      lookAtProject(at, {
        also: [
          call("overview", { depth: 1 }),
          call("grep", { pattern: TEST_CASES, filesOnly: true, maxResults: MOST_TEST_FILES }),
          call("grep", { pattern: MODULES, glob: "*.rs", maxResults: 400 }),
        ],
        manifestLines: 100,
        report: reportTests,
      }),
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
  const command = manifests.flatMap(({ commands = [] }) => commands).find(({ purpose }) => purpose === "test");
  const run = command ? `Run them with \`${command.command}\` (${command.where}).` : "";
  const inside = toldOfModules(exchanges);
  const files = toldOfTestFiles(exchanges) || toldOfNames(listing);
  return files + inside === ""
    ? answer("No tests were found: no folder and no file is named like them.", run)
    : answer(files, inside, run);
};

/** What the tools have counted; empty where they found none. */
const toldOfTestFiles = (exchanges: readonly Exchange[]): string => {
  const { tests, testsInAll } = parseOverview(exchanges);
  if (tests.length === 0) return "";
  const inAll = Number(/^\d+/.exec(testsInAll)?.[0] ?? 0);
  const { files, more } = parseGrep(outputOf(exchanges, TEST_CASES));
  const holding = files.filter(({ path }) => COUNTED_AS_TEST.test(path) && !DATA.test(path));
  const beside = inAll - holding.length;
  if (more || holding.length === 0 || beside <= 0)
    return `${testsInAll} of tests, in:\n${toFolders(tests.map(({ folder, files: number }) => [folder, number]))}`;
  const folders = Map.groupBy(holding, ({ path }) => path.split("/").slice(0, -1).join("/") || ".");
  const rows = [...folders].map(([folder, list]) => [folder, list.length] as const).toSorted((a, b) => b[1] - a[1]);
  return (
    `${count(holding.length, "file")} ${holding.length === 1 ? "holds" : "hold"} test cases, in:\n${toFolders(rows)}\n\n` +
    `${count(beside, "more file")} in folders of tests ${beside === 1 ? "holds" : "hold"} none in a usual form: helpers, data, or tests of another form.`
  );
};

const toFolders = (folders: readonly (readonly [string, number])[]): string =>
  bullets(
    folders.map(([folder, number]) => `- ${folder === "." ? "the top folder" : `${folder}/`} (${count(number, "file")})`),
    12,
    "folders",
  );

const toldOfNames = (listing: Project["listing"]): string => {
  const files = listing.files.filter((file) => kindOf(file) === "test");
  const folders = [...listing.folders].filter(([folder]) => /(?:^|\/)(?:tests?|specs?|__tests__)$/.test(folder));
  const rows = [
    ...folders.map(([folder, number]) => `- ${folder}/ (${count(number, "file")})`),
    ...files.filter((file) => !folders.some(([folder]) => file.startsWith(`${folder}/`))).map((file) => `- ${file}`),
  ];
  return rows.length === 0 ? "" : `The tests are in:\n${bullets(rows, 12, "files")}`;
};

/** In Rust tests stand in a module of the source that they test. */
const toldOfModules = (exchanges: readonly Exchange[]): string => {
  const { lines, more } = parseGrep(outputOf(exchanges, MODULES));
  const modules = lines.filter(({ path, line, text }, at) => {
    const above = lines[at - 1];
    // One more attribute may stand between.
    return (
      kindOf(path) === "source" &&
      /\bmod\s/.test(text) &&
      above?.path === path &&
      line - above.line <= 2 &&
      /#\[cfg\(/.test(above.text)
    );
  });
  if (modules.length === 0) return "";
  const rows = modules.map(({ path, line, text }) => `- ${path}:${line}: ${text.trim().replace(/\s*[{;].*$/, "")}`);
  return `${more ? "At least " : ""}${count(modules.length, "test module")} ${modules.length === 1 ? "is" : "are"} inside of sources (\`#[cfg(test)]\`):\n${bullets(rows, 15, "modules")}`;
};

const outputOf = (exchanges: readonly Exchange[], pattern: string): string =>
  exchanges.find(({ input, isError }) => !isError && input["pattern"] === pattern)?.text ?? "";
