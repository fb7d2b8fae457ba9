import { describe, expect, it } from "vitest";
import { hasTerm, splitName } from "./split-name.ts";
import { toTaskTerms } from "./task-terms.ts";

describe("toTaskTerms", () => {
  it("tells paths, identifiers and words apart, and leaves out the words of every task", () => {
    expect(
      toTaskTerms("Please fix the bug in src/git/run.ts: `openRepository()` fails when HTTPServer is cancelled by parse_args"),
    ).toEqual({
      paths: ["src/git/run.ts"],
      identifiers: ["openRepository", "HTTPServer", "parse_args"],
      words: ["repository", "fail", "http", "server", "cancel", "parse", "arg"],
    });
  });

  it("brings words to what their forms have in common", () => {
    expect(toTaskTerms("approvals entries boxes caching stopped class status").words).toEqual([
      "approval",
      "entry",
      "box",
      "cach",
      "stop",
      "class",
      "status",
    ]);
  });

  it("finds nothing in a task of common words only", () => {
    expect(toTaskTerms("please make it work, and then do the other one!")).toEqual({ paths: [], identifiers: [], words: [] });
  });
});

describe("hasTerm", () => {
  it("finds the beginnings of words in names, and short terms only as whole words", () => {
    expect(splitName("parseHTTPHeader2_value")).toEqual(["parse", "http", "header2", "value"]);
    expect(hasTerm("createApprovalInbox", "approv")).toBe(true);
    expect(hasTerm("disapprove", "approv")).toBe(false);
    expect(hasTerm("sendAll", "end")).toBe(false);
    expect(hasTerm("end-all", "end")).toBe(true);
    expect(hasTerm("write-inside.ts", "writeinside")).toBe(true);
  });
});
