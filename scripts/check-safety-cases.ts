/**
 * Checks that every case of the safety catalogue that is promised here has a test whose title begins with its id, so that none gets lost.
 * Whether the test shows the case is for its reader to judge.
 */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";

/** Section and the number of its last case, from the first on: files, shell, secrets, egress, server, terminal, exhaustion, delegation. */
export const SAFETY_SECTIONS: Readonly<Record<string, number>> = { A: 23, B: 19, C: 8, D: 11, E: 18, F: 7, J: 8, G: 21 };

/** A text that is the first argument of a call and begins with one or more ids: `A4:`, `A4, A5:`, `F1-F6 …`. */
const TITLE = /\(\s*["'`]((?:[A-K]\d{1,2}(?:-[A-K]\d{1,2})?(?:[:,]? |: ?|$))+)/g;

/** A title that begins with what its table says. */
const TABLE_TITLE = /\(\s*["'`](?:%s|\$\{id\})/;

/** A row of a table of tests whose titles begin with its first entry. */
const ROW = /\[\s*["'`]([A-K]\d{1,2})["'`],/g;

export const findCases = (source: string): ReadonlySet<string> => {
  const cases = new Set<string>();
  const titles = [...source.matchAll(TITLE), ...(TABLE_TITLE.test(source) ? source.matchAll(ROW) : [])];
  for (const [, ids = ""] of titles)
    for (const [, section = "", from, , to] of ids.matchAll(/([A-K])(\d{1,2})(-[A-K](\d{1,2}))?/g))
      for (let number = Number(from); number <= Number(to ?? from); number += 1) cases.add(`${section}${number}`);
  return cases;
};

export const listMissing = (sources: readonly string[], sections = SAFETY_SECTIONS): readonly string[] => {
  const found = new Set(sources.flatMap((source) => [...findCases(source)]));
  return Object.entries(sections).flatMap(([section, last]) =>
    Array.from({ length: last }, (_, at) => `${section}${at + 1}`).filter((id) => !found.has(id)),
  );
};

export const readTests = (root: string): readonly string[] =>
  globSync("packages/*/src/**/*.test.ts", { cwd: root }).map((file) => readFileSync(path.join(root, file), "utf8"));

if (import.meta.main) {
  const missing = listMissing(readTests(path.dirname(import.meta.dirname)));
  for (const id of missing) console.log(`${id} of the safety catalogue has no test whose title begins with it`);
  process.exitCode = missing.length === 0 ? 0 : 1;
}
