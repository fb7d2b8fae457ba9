import { describe, expect, it } from "vitest";
import { definedName, kindOf, rank } from "./ranking.ts";
import { toTerms } from "./terms.ts";

const order = (question: string, lines: readonly string[], paths: readonly string[] = []): readonly string[] => {
  const found = lines.map((each) => {
    const [, path = "", line, text = ""] = /^([^:]+):(\d+): (.*)$/.exec(each) ?? [];
    return { path, line: Number(line), text };
  });
  return rank({ lines: found, paths }, toTerms(question)).map(({ path, lines: [best] }) =>
    best ? `${path}:${best.line}` : path,
  );
};

describe("ranking", () => {
  it("puts definitions before uses and uses before imports", () => {
    const lines = [
      'a.ts:1: import { retry } from "./b.ts";',
      "b.ts:4: export const retry = (attempt: number) => {",
      "c.ts:9: await retry(2);",
    ];
    expect(order("where is retry", lines)).toEqual(["b.ts:4", "c.ts:9", "a.ts:1"]);
  });

  it("puts sources before tests before documents before what is generated", () => {
    const lines = ["docs/x.md:1: retry", "package-lock.json:1: retry", "src/x.test.ts:1: retry", "src/x.ts:1: retry"];
    expect(order("retry", lines)).toEqual(["src/x.ts:1", "src/x.test.ts:1", "docs/x.md:1", "package-lock.json:1"]);
  });

  it("puts files that say more of what was asked first", () => {
    const lines = ["a.ts:1: the retry", "b.ts:1: the retry", "b.ts:8: a backoff", "c.ts:2: backoff"];
    expect(order("retry with backoff", lines)[0]).toBe("b.ts:1");
  });

  it("puts a file named for it first", () => {
    expect(order("how does the loop work", ["a.ts:1: loop", "loop.ts:5: loop", "z.ts:1: loop"])[0]).toBe("loop.ts:5");
    expect(order("loop", ["a.ts:1: const x = 1; // loop"], ["src/loop.ts"])[0]).toBe("src/loop.ts");
  });

  it("puts whole words before parts of others", () => {
    expect(order("loop", ["a.ts:3: const isLoopback = (x) => 1;", "b.ts:3: const runLoop = (x) => 1;"])).toEqual([
      "b.ts:3",
      "a.ts:3",
    ]);
  });

  it("keeps to the order of paths where nothing tells files apart", () => {
    expect(order("retry", ["b.ts:1: retry", "a.ts:1: retry"])).toEqual(["a.ts:1", "b.ts:1"]);
  });
});

it.each([
  ["export const limit = 1;", "limit"],
  ["export async function* runLoop({", "runLoop"],
  ["export default class Foo extends Bar {", "Foo"],
  ["  private async handle(request: Request): Promise<void> {", "handle"],
  ["  stream: async function* (request) {", "stream"],
  ["def handle(self):", "handle"],
  ["pub(crate) fn parse(x: u8) -> u8 {", "parse"],
  ["func (s *Server) Serve() error {", "Serve"],
  ["## Rate limits", "Rate limits"],
  ["  if (limit) {", undefined],
  ["return limit;", undefined],
  ["handle(request);", undefined],
])("%s defines %s", (text, name) => {
  expect(definedName(text)).toBe(name);
});

it.each([
  ["src/a.ts", "source"],
  ["src/a.test.ts", "test"],
  ["tests/a.py", "test"],
  ["pkg/a_test.go", "test"],
  ["README.md", "docs"],
  ["docs/a.html", "docs"],
  ["settings.yaml", "config"],
  ["dist/a.js", "generated"],
  ["yarn.lock", "generated"],
  ["src/distance.ts", "source"],
])("%s is %s", (path, kind) => {
  expect(kindOf(path)).toBe(kind);
});
