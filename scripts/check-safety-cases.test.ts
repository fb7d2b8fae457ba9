/** The check of the safety cases finds what has no test, and is not taken in by a mere mention. */
import path from "node:path";
import { expect, test } from "vitest";
import { findCases, listMissing, readTests } from "./check-safety-cases.ts";

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

test("a case that is only mentioned is missing", () => {
  const source = `// A1: later\ntest("shows A2", () => {}); const text = "A3: no test";`;
  expect(listMissing([source], { A: 3 })).toEqual(["A1", "A2", "A3"]);
  expect(listMissing([source, `test("A2: is shown", () => {})`], { A: 3 })).toEqual(["A1", "A3"]);
});

test("every promised case has its test", () => {
  expect(listMissing(readTests(path.dirname(import.meta.dirname)))).toEqual([]);
});
