import { describe, expect, it } from "vitest";
import type { Intent } from "./question.ts";
import { toIntent } from "./question.ts";
import { toAsked } from "./rules/asked.ts";

const kindOf = (question: string): string => {
  const intent = toIntent(toAsked(question));
  switch (intent.type) {
    case "unable":
      return `unable ${intent.wanted}`;
    case "occurrences":
      return intent.filesOnly ? "files" : "occurrences";
    case "search":
      return intent.explain ? "search explain" : "search";
    case "read":
    case "list":
      return intent.type;
    default:
      return intent satisfies never;
  }
};

describe("what is wanted is told from how it is asked", () => {
  it.each([
    ["what about it", "unable unclear"],
    ["where is the rate limit handled?", "search"],
    ["hi, where is the parser?", "search"],
    ["can you find where approvals are answered", "search"],
    ["Which file defines the Ports type?", "search"],
    ["how does the loop work", "search explain"],
    ["explain how retries are done", "search explain"],
    ["What happens when a tool times out?", "search explain"],
    ["find TODO comments", "occurrences"],
    ["who calls runLoop?", "occurrences"],
    ["where is tool_failed used", "occurrences"],
    ["list all uses of defineTool", "occurrences"],
    ["which files mention limits", "files"],
    ["what files import zod?", "files"],
    ["list the files that use undici", "files"],
    ["list the files in src", "list"],
    ["ls packages/model", "list"],
    ["what files are in packages/model?", "list"],
    ["show the tree", "list"],
    ["what is in this folder?", "list"],
    ["what's in the directory", "list"],
    ["show me package.json", "read"],
    ["package.json", "read"],
    ["what's in README.md", "read"],
    ["read lines 10-30 of foo.ts", "read"],
    ["write a function that sorts a list", "unable change"],
    ["please refactor src/loop.ts", "unable change"],
    ["can you fix the failing test?", "unable change"],
    ["run the tests", "unable change"],
    ["explain this", "unable explain"],
    ["why?", "unable explain"],
    ["translate the README to German", "unable translate"],
    ["tell me a joke", "unable talk"],
    ["what is 2 + 2?", "unable talk"],
  ])("%s → %s", (question, expected) => {
    expect(kindOf(question)).toBe(expected);
  });

  it.each<[string, Intent]>([
    ["show me package.json", { type: "read", path: "package.json" }],
    ["read lines 10-30 of foo.ts", { type: "read", path: "foo.ts", from: 10, to: 30 }],
    ["show lines 5 to 7 of src/a.ts please", { type: "read", path: "src/a.ts", from: 5, to: 7 }],
    ["src/loop.ts:12-20", { type: "read", path: "src/loop.ts", from: 12, to: 20 }],
    ["open src/loop.ts:12", { type: "read", path: "src/loop.ts", from: 12, to: 12 }],
    ["print line 3 of Makefile", { type: "read", path: "Makefile", from: 3, to: 3 }],
    ["list the files in src", { type: "list", path: "src" }],
    ["list the files in the runtime package", { type: "list", path: "runtime" }],
    ["ls", { type: "list", path: "." }],
    ["what is in this folder?", { type: "list", path: "." }],
    ["list all files of this project", { type: "list", path: "." }],
  ])("%s names what is meant", (question, expected) => {
    expect(toIntent(toAsked(question))).toEqual(expected);
  });

  it("only the beginning of a long text is taken as the question", () => {
    const intent = toIntent(toAsked(`where are limits checked? ${"overview this ".repeat(300_000)} needleAtTheEnd`));
    expect(JSON.stringify(intent)).not.toContain("needleAtTheEnd");
  });

  it("a question that names a file and something else is a search", () => {
    expect(kindOf("where is maxTokens set in src/settings.ts?")).toBe("search");
  });
});
