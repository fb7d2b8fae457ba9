import { describe, expect, test } from "vitest";
import type { LoadedCase } from "./parse-case.ts";
import { selectCases } from "./select-cases.ts";

const toCase = (title: string, tags: readonly string[] = [], suiteTags: readonly string[] = []): LoadedCase => ({
  id: `${title}.yaml`,
  file: `${title}.yaml`,
  suite: { tags: [...suiteTags] },
  suiteFile: null,
  variables: {},
  testCase: { title, tags: [...tags], steps: [{ action: "Look", expected: "it is there" }] },
});

const titles = (cases: readonly LoadedCase[]): readonly string[] => cases.map(({ testCase }) => testCase.title);

describe("the cases that are meant", () => {
  test("are each in exactly one of any number of shares, which differ by one case at most", () => {
    for (let cases = 0; cases < 25; cases += 1)
      for (let count = 1; count < 8; count += 1) {
        const all = Array.from({ length: cases }, (_, at) => toCase(`case ${at}`));
        const shares = Array.from({ length: count }, (_, at) => selectCases(all, { shard: `${at + 1}/${count}` }));
        expect(titles(shares.flat()).toSorted()).toEqual(titles(all).toSorted());
        const sizes = shares.map(({ length }) => length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }
  });

  test.each(["0/2", "3/2", "1/0", "half", "1/2/3", "-1/2"])("no share is %s", (shard) => {
    expect(() => selectCases([toCase("one")], { shard })).toThrow("is not number/count");
  });

  test("have all of the tags, their suite's among them, and none that is excluded", () => {
    const all = [toCase("one", ["smoke"]), toCase("two", ["smoke", "slow"]), toCase("three", [], ["smoke"])];
    expect(titles(selectCases(all, { tags: ["smoke", "!slow"] }))).toEqual(["one", "three"]);
    expect(titles(selectCases(all, { tags: ["smoke"], grep: "^T" }))).toEqual(["two", "three"]);
  });
});
