/** The check of the safety cases finds what has no test, and is not taken in by a mere mention. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findCases, findProblems, readIds, readTests } from "./check-safety-cases.ts";

test("a title names one case, several, or all from one to another", () => {
  const source = `
    test("A1: is refused", () => {});
    it("A2, A4: are refused", () => {});
    attack(
      "C5: C6: is not seen",
      async () => {},
    );
    test("F1-F3 is shown escaped", () => {});
    it.each(TABLE)("D7: refuses %j", () => {});
    it(\`B14: of \${shells} shells\`, () => {});`;
  expect([...findCases(source)].toSorted()).toEqual(["A1", "A2", "A4", "B14", "C5", "C6", "D7", "F1", "F2", "F3"]);
});

test("a table names cases where its titles begin with them", () => {
  const rows = `it.each([["A1", "x"], ["A2", "y"]])`;
  expect([...findCases(`${rows}("%s: refuses %j", () => {});`)]).toEqual(["A1", "A2"]);
  expect([...findCases(`${rows}("refuses %s", () => {});`)]).toEqual([]);
});

test("the ids of the catalogue are the first cells of its rows", () => {
  expect(readIds("| id | attack |\n| --- | --- |\n| A1 | x (see B2) |\n| L10 | y |\n")).toEqual(["A1", "L10"]);
});

test("a case that is only mentioned is missing, unless a reason is given", () => {
  const source = `// A1: later\ntest("shows A2", () => {}); const text = "A3: no test";`;
  const missing = (id: string): string => `${id} has no test whose title begins with it`;
  expect(findProblems(["A1", "A2", "A3"], [source], {})).toEqual(["A1", "A2", "A3"].map(missing));
  expect(findProblems(["A1", "A2", "A3"], [source, `test("A2: is shown", () => {})`], { A1: "later" })).toEqual([missing("A3")]);
});

test("a reason for a case that has a test is a problem", () => {
  expect(findProblems(["A2"], [`test("A2: is shown", () => {})`], { A2: "later" })).toHaveLength(1);
});

test("every case of the catalogue has its test, or a reason", () => {
  const root = path.dirname(import.meta.dirname);
  const ids = readIds(readFileSync(path.join(root, "docs/safety-cases.md"), "utf8"));
  expect(ids.length).toBeGreaterThan(170);
  expect(findProblems(ids, readTests(root))).toEqual([]);
});
