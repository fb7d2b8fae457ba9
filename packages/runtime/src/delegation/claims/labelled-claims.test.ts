import { describe, expect, test } from "vitest";
import { findUnverified } from "./find-unverified.ts";
import type { RecordName } from "./labelled-claims.ts";
import { LABELLED_CLAIMS, RECORDS } from "./labelled-claims.ts";

const isMarked = (record: RecordName, text: string): boolean => {
  const { modified, created, tests } = RECORDS[record];
  return findUnverified(text, { filesModified: new Set(modified), filesCreated: new Set(created), testRuns: tests }).length > 0;
};

describe("claims that were labelled by reading", () => {
  test("are 200, and none stands there twice", () => {
    expect(new Set(LABELLED_CLAIMS.map(([record, , text]) => `${record} ${text}`)).size).toBe(200);
  });

  test("are marked with a precision and a recall of at least 0.97", () => {
    const judged = LABELLED_CLAIMS.map(([record, shouldBe, text]) => ({ record, text, shouldBe, is: isMarked(record, text) }));
    const wrong = judged
      .filter(({ shouldBe, is }) => shouldBe !== is)
      .map(({ record, text, is }) => `${is ? "marked" : "passed"} (${record}): ${text}`);
    const right = judged.filter(({ shouldBe, is }) => shouldBe && is).length;
    const precision = right / judged.filter(({ is }) => is).length;
    const recall = right / judged.filter(({ shouldBe }) => shouldBe).length;
    expect({ precision, recall, wrong }).toEqual({
      precision: expect.toSatisfy((one: number) => one >= 0.97),
      recall: expect.toSatisfy((one: number) => one >= 0.97),
      wrong,
    });
  });
});
