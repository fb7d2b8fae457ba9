/**
 * Reading what a question is about line by line: which line one is at, and what was remarked on lines. The remarks go with path, line and code as one message
 * to the agent that asked, with the answer.
 */
import type { EditedText } from "../input/text-editor.ts";

/** A line of what is asked about. */
export type ReviewLine = {
  readonly text: string;
  /** `src/cart.ts:12`, for a line of a diff that stands in a file. */
  readonly place?: string;
  /** A change begins here. */
  readonly isHunk: boolean;
};

export type Review = {
  readonly at: number;
  readonly remarks: ReadonlyMap<number, string>;
  /** The remark that is being typed. */
  readonly typing?: EditedText | undefined;
};

export const NO_REVIEW: Review = { at: 0, remarks: new Map() };

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** The lines of a unified diff with their places: of what is removed, where it stood; of the rest, where it will stand. */
export const toDiffLines = (diff: string): readonly ReviewLine[] => {
  let file = "";
  let [old, next] = [0, 0];
  return diff.split("\n").map((text) => {
    const [, oldStart, newStart] = HUNK.exec(text) ?? [];
    if (newStart !== undefined) {
      [old, next] = [Number(oldStart), Number(newStart)];
      return { text, isHunk: true };
    }
    if (text.startsWith("--- a/") || text.startsWith("+++ b/")) {
      file = text.slice("+++ b/".length);
      [old, next] = [0, 0];
      return { text, isHunk: false };
    }
    if (next === 0 && old === 0) return { text, isHunk: false };
    const at = text.startsWith("-") ? old : next;
    if (!text.startsWith("+")) old += 1;
    if (!text.startsWith("-")) next += 1;
    return { text, place: `${file}:${at}`, isHunk: false };
  });
};

export type ReviewMove = "up" | "down" | "page-up" | "page-down" | "next-hunk" | "previous-hunk" | "home" | "end";

const PAGE_LINES = 8;

export const moveReview = (review: Review, move: ReviewMove, lines: readonly ReviewLine[]): Review => {
  const last = Math.max(0, lines.length - 1);
  const target = {
    up: () => review.at - 1,
    down: () => review.at + 1,
    "page-up": () => review.at - PAGE_LINES,
    "page-down": () => review.at + PAGE_LINES,
    home: () => 0,
    end: () => last,
    "next-hunk": () => {
      const found = lines.findIndex(({ isHunk }, index) => isHunk && index > review.at);
      return found < 0 ? review.at : found;
    },
    "previous-hunk": () => {
      const found = lines.findLastIndex(({ isHunk }, index) => isHunk && index < review.at);
      return found < 0 ? 0 : found;
    },
  }[move]();
  return { ...review, at: Math.max(0, Math.min(last, target)) };
};

/** An empty remark takes the one that stood there away. */
export const remark = ({ typing, ...review }: Review): Review => {
  const remarks = new Map(review.remarks);
  const text = typing?.text.trim() ?? "";
  if (text === "") remarks.delete(review.at);
  else remarks.set(review.at, text);
  return { ...review, remarks };
};

/** Undefined where nothing was remarked. */
export const toRemarks = ({ remarks }: Review, lines: readonly ReviewLine[]): string | undefined => {
  if (remarks.size === 0) return undefined;
  const told = [...remarks]
    .toSorted(([a], [b]) => a - b)
    .map(([at, text]) => {
      const { text: code = "", place } = lines[at] ?? {};
      return `- ${place === undefined ? "" : `${place} `}\`${code}\`: ${text}`;
    });
  return `Remarks on what you want to do:\n${told.join("\n")}`;
};
