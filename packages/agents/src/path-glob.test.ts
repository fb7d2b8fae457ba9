import { createPathMatcher } from "@retinue/runtime";
import { expect, test } from "vitest";
import { fromGitignoreRule, fromOpencodePattern } from "./path-glob.ts";

test.each([
  [fromGitignoreRule, "**.pem", ["key.pem", "deep/down/key.pem"], ["key.pem.txt"]],
  [fromGitignoreRule, "./secrets/**.key", ["secrets/a.key"], ["a.key", "secrets/deep/a.key"]],
  [fromGitignoreRule, "secrets/**/*.key", ["secrets/a.key", "secrets/deep/a.key"], ["a.key"]],
  [fromOpencodePattern, "**.env", ["a.env", "deep/a.env"], ["a.env.txt"]],
  [fromOpencodePattern, "src/**", ["src/a/b.ts"], ["lib/b.ts"]],
])("%o reads %s as those who wrote it mean it", (read, pattern, matched, others) => {
  const glob = read(pattern);
  expect(glob).toBeDefined();
  for (const forbids of [true, false]) {
    const matches = createPathMatcher([glob ?? ""], { forbids });
    expect(matched.filter((file) => !matches(file))).toEqual([]);
    expect(others.filter(matches)).toEqual([]);
  }
});
