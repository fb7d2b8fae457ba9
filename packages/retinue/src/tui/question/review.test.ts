import { expect, test } from "vitest";
import { moveReview, NO_REVIEW, remark, toDiffLines, toRemarks } from "./review.ts";

const DIFF = `--- a/src/cart.ts
+++ b/src/cart.ts
@@ -10,3 +10,3 @@
 const sum = 1;
-return sum
+return sum * 2
 }
@@ -40,1 +40,2 @@
 end
+more
--- a/b.ts
+++ b/b.ts
@@ -1,0 +1,1 @@
+new`;

test("each line of a diff knows where it stands: what is removed where it stood, the rest where it will stand", () => {
  expect(toDiffLines(DIFF).flatMap(({ place, text }) => (place === undefined ? [] : [`${place} ${text}`]))).toEqual([
    "src/cart.ts:10  const sum = 1;",
    "src/cart.ts:11 -return sum",
    "src/cart.ts:11 +return sum * 2",
    "src/cart.ts:12  }",
    "src/cart.ts:40  end",
    "src/cart.ts:41 +more",
    "b.ts:1 +new",
  ]);
});

test("one moves by lines, pages and hunks, and never out of the diff", () => {
  const lines = toDiffLines(DIFF);
  const at = (from: number, ...moves: readonly Parameters<typeof moveReview>[1][]): number =>
    moves.reduce((review, move) => moveReview(review, move, lines), { ...NO_REVIEW, at: from }).at;
  expect(at(0, "up")).toBe(0);
  expect(at(0, "next-hunk")).toBe(2);
  expect(at(0, "next-hunk", "next-hunk", "next-hunk", "next-hunk")).toBe(12);
  expect(at(13, "previous-hunk", "previous-hunk")).toBe(7);
  expect(at(0, "page-down", "page-down", "down")).toBe(lines.length - 1);
  expect(at(5, "home")).toBe(0);
  expect(at(0, "end")).toBe(lines.length - 1);
});

test("remarks go as one message with path, line and code, and an empty one takes the remark away", () => {
  const lines = toDiffLines(DIFF);
  const typed = (at: number, text: string, review = NO_REVIEW) =>
    remark({ ...review, at, typing: { text, cursor: text.length } });
  const both = typed(5, "use cents", typed(13, "why?"));
  expect(toRemarks(both, lines)).toBe(
    "Remarks on what you want to do:\n- src/cart.ts:11 `+return sum * 2`: use cents\n- b.ts:1 `+new`: why?",
  );
  expect(toRemarks(typed(13, " ", both), lines)).not.toContain("why?");
  expect(toRemarks(NO_REVIEW, lines)).toBeUndefined();
});
