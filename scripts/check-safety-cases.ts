/**
 * Checks that every case of `docs/safety-cases.md` has a test whose title begins with its id, so that none gets lost. Whether the test shows the case
 * is for its reader to judge.
 */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

const CATALOGUE = "docs/safety-cases.md";

/** Cases that no test shows yet, each with the reason. */
export const WITHOUT_TEST: Readonly<Record<string, string>> = {
  D12: "no test carries this id yet",
  K3: "no test carries this id yet",
  L1: "no test carries this id yet",
  L2: "no test carries this id yet",
  L3: "no test carries this id yet",
  L4: "no test carries this id yet",
  L5: "no test carries this id yet",
  L6: "no test carries this id yet",
  L7: "no test carries this id yet",
  L20: "no test carries this id yet",
  L21: "no test carries this id yet",
};

/** The ids of a catalogue: the first cell of each row. */
export const readIds = (catalogue: string): readonly string[] =>
  [...catalogue.matchAll(/^\| ([A-N]\d{1,2}) +\|/gm)].flatMap(([, id]) => id ?? []);

/** A text that is the first argument of a call and begins with one or more ids: `A4:`, `A4, A5:`, `F1-F6 …`. */
const TITLE = /\(\s*["'`]((?:[A-N]\d{1,2}(?:-[A-N]\d{1,2})?(?:[:,]? |: ?|$))+)/g;

/** A title that begins with what its table says. */
const TABLE_TITLE = /\(\s*["'`](?:%s|\$\{id\})/;

/** A row of a table of tests whose titles begin with its first entry. */
const ROW = /\[\s*["'`]([A-N]\d{1,2})["'`],/g;

export const findCases = (source: string): ReadonlySet<string> => {
  const cases = new Set<string>();
  const titles = [...source.matchAll(TITLE), ...(TABLE_TITLE.test(source) ? source.matchAll(ROW) : [])];
  for (const [, ids = ""] of titles)
    for (const [, section = "", from, , to] of ids.matchAll(/([A-N])(\d{1,2})(-[A-N](\d{1,2}))?/g))
      for (let number = Number(from); number <= Number(to ?? from); number += 1) cases.add(`${section}${number}`);
  return cases;
};

/** What is wrong: cases without a test, and reasons for cases that have one. */
export const findProblems = (
  ids: readonly string[],
  sources: readonly string[],
  without: Readonly<Record<string, string>> = WITHOUT_TEST,
): readonly string[] => {
  const found = new Set(sources.flatMap((source) => [...findCases(source)]));
  return [
    ...ids
      .filter((id) => !found.has(id) && without[id] === undefined)
      .map((id) => `${id} has no test whose title begins with it`),
    ...Object.keys(without)
      .filter((id) => found.has(id) || !ids.includes(id))
      .map((id) => `${id} has a test, or is not in ${CATALOGUE}: take it out of WITHOUT_TEST`),
  ];
};

export const readTests = (root: string): readonly string[] =>
  globSync("packages/*/src/**/*.test.ts", { cwd: root }).map((file) => readFileSync(path.join(root, file), "utf8"));

if (import.meta.main) {
  const root = path.dirname(import.meta.dirname);
  const problems = findProblems(readIds(readFileSync(path.join(root, CATALOGUE), "utf8")), readTests(root));
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
