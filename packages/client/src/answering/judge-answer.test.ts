import { expect, test } from "vitest";
import { type AnswerMoment, type AnswerRuling, describeDrop, judgeAnswer } from "./judge-answer.ts";

const MEANT: AnswerMoment = {
  now: 10_000,
  by: "key",
  isTyping: false,
  typedAt: -Infinity,
  shownAt: 9_000,
  focusedAt: -Infinity,
  listedAt: -Infinity,
  isInView: true,
  isYes: true,
  wasRead: true,
};

test("a key answers a question that was in view, while nobody typed", () => {
  expect(judgeAnswer(MEANT)).toBe("answer");
});

const CASES: readonly (readonly [string, Partial<AnswerMoment>, AnswerRuling, AnswerRuling])[] = [
  ["in a text", { isTyping: true }, "typing", "answer"],
  ["a second after typing", { typedAt: 9_001 }, "typing", "answer"],
  ["as the window comes to the front", { focusedAt: 9_800 }, "window", "window"],
  ["in a list that just opened", { listedAt: 9_001 }, "list", "answer"],
  ["out of sight", { isInView: false }, "reveal", "answer"],
  ["as the question comes into view", { shownAt: 9_751 }, "shown", "shown"],
  ["before the end of the act was shown", { wasRead: false }, "unread", "unread"],
  ["with a no to what was not read", { wasRead: false, isYes: false }, "answer", "answer"],
  ["at the end of every wait", { typedAt: 9_000, shownAt: 9_750, focusedAt: 9_750, listedAt: 9_000 }, "answer", "answer"],
];

test.each(CASES)("%s, a key and a click are judged", (_, given, byKey, byClick) => {
  expect(judgeAnswer({ ...MEANT, ...given })).toBe(byKey);
  expect(judgeAnswer({ ...MEANT, ...given, by: "click" })).toBe(byClick);
});

test("whoever pressed a key that answered nothing reads why", () => {
  expect(describeDrop("1", "typing")).toBe("1 answered nothing: it came while you were typing.");
  expect(describeDrop("y", "reveal")).toContain("press again");
});
