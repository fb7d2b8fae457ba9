import { describe, expect, it } from "vitest";
import { loosen, matchesTerm, toTerms } from "./terms.ts";

const kinds = (question: string): readonly string[] => toTerms(question).map((term) => `${term.kind} ${term.text}`);

describe("the terms of a question", () => {
  it.each([
    ['where does "not a git repository" come from?', ["quoted not a git repository", "weak come"]],
    ["where is `runLoop` called", ["quoted runLoop", "weak called"]],
    ["how does createOfflineModel work", ["identifier createOfflineModel", "weak work"]],
    ["where is tool_failed thrown", ["identifier tool_failed", "word thrown"]],
    ["what is max-depth for", ["identifier max-depth"]],
    ["who uses foo()", ["identifier foo", "weak uses"]],
    ["where is HTTP done", ["identifier HTTP"]],
    ["is process.env read in src/settings/load.ts?", ["path process.env", "path src/settings/load.ts"]],
    ["where is the rate limit handled?", ["phrase rate limit", "word rate", "word limit", "weak handled"]],
    ["where are the error codes", ["phrase error codes", "word error"]],
    ["how is retrying done", ["word retrying"]],
  ])("%s", (question, expected) => {
    expect(kinds(question)).toEqual(expected);
  });

  it("are none when a question has only general words", () => {
    expect(kinds("where are the functions")).toEqual([]);
  });

  it("match however an identifier is written", () => {
    const [term] = toTerms("runLoop");
    for (const text of ["runLoop(", "run_loop", "run-loop.ts", "RUN_LOOP"]) expect(term && matchesTerm(term, text)).toBe(true);
    expect(term && matchesTerm(term, "run the loop")).toBe(false);
  });

  it("match a phrase as words, joined or inflected", () => {
    const [phrase] = toTerms("rate limits");
    for (const text of ["rate limit", "rateLimited", "RATE_LIMIT", "rate-limiter"])
      expect(phrase && matchesTerm(phrase, text)).toBe(true);
    expect(phrase && matchesTerm(phrase, "rate of the limit")).toBe(false);
  });

  it("hold what a user quotes as text, not as a pattern", () => {
    const [term] = toTerms('find "a.*(b" now');
    expect(term && matchesTerm(term, "xx a.*(b yy")).toBe(true);
    expect(term && matchesTerm(term, "a---(b")).toBe(false);
  });

  it("find task tags in capitals only", () => {
    const [term] = toTerms("find TODO comments");
    expect(term && matchesTerm(term, "// TODO: x")).toBe(true);
    expect(term && matchesTerm(term, "the todo tool")).toBe(false);
  });

  it("become the words of a compound name when they are loosened, and never cut words", () => {
    const first = toTerms("rateLimitHandler");
    const looser = loosen(first).map((term) => term.pattern);
    expect(looser).toEqual(["rate", "limit", "handl"]);
    expect(loosen(toTerms("frobnicate"))).toEqual([]);
    expect(loosen(toTerms("loop"))).toEqual([]);
  });
});
