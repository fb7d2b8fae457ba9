import { describe, expect, it } from "vitest";
import type { Retention } from "./read-side.ts";
import { findOutdated } from "./outdated-sessions.ts";

const NOW = "2026-06-01";

/** Numbered from 1, in the order in which they were written to. */
const outdated = (times: readonly string[], retention: Retention): readonly number[] =>
  findOutdated(
    times.map((updatedAt, at) => ({ number: at + 1, updatedAt, status: "completed" })),
    retention,
    NOW,
  );

describe("sessions that are too old", () => {
  it("were last written to before a time", () => {
    expect(outdated(["2026-01-01", "2026-02-01", "2026-03-01"], { before: "2026-02-15" })).toEqual([1, 2]);
  });

  it("are not those whose clock was behind: they are no older than what was written before them", () => {
    expect(outdated(["2026-01-01", "2026-05-01", "1970-01-01"], { before: "2026-02-01" })).toEqual([1]);
  });

  it("may be those whose clock was ahead, where something younger than them is too old", () => {
    expect(outdated(["2999-01-01", "2026-01-01", "2026-05-01"], { before: "2026-02-01" })).toEqual([1, 2]);
    expect(outdated(["2026-01-01", "2999-01-01", "2026-05-01"], { before: "2026-02-01" })).toEqual([1]);
    expect(outdated(["2026-01-01", "2999-01-01"], { before: "2026-05-01" })).toEqual([1]);
  });
});

describe("sessions that are too many", () => {
  it("are those that were not written to last, whatever their clocks say", () => {
    expect(outdated(["2999-01-01", "1970-01-01", "2026-05-01"], { keep: 1 })).toEqual([1, 2]);
    expect(outdated(["2999-01-01", "1970-01-01"], { keep: 5 })).toEqual([]);
  });

  it("stay while they are at work", () => {
    const sessions = ["running", "pending", "failed"].map((status, at) => ({ number: at + 1, updatedAt: "2026-01-01", status }));
    expect(findOutdated(sessions, { keep: 0, before: NOW }, NOW)).toEqual([3]);
  });
});
