import { describe, expect, test } from "vitest";
import { isInScope } from "./judge.ts";
import { rebaseWrites } from "./rebase-writes.ts";

describe("globs from a folder below", () => {
  test.each([
    ["**", "packages/shop", ["**"]],
    ["packages/shop/src/**", "packages/shop", ["src/**"]],
    ["packages/*/tests/**", "packages/shop", ["tests/**"]],
    ["**/*.test.ts", "packages/shop", ["**/*.test.ts"]],
    ["**/shop/*.md", "packages/shop", ["**/shop/*.md", "*.md"]],
    ["tests/**", "packages/shop", []],
    ["packages/shop", "packages/shop", []],
    ["{packages,apps}/shop/**", "packages/shop", []],
    ["!(packages)/**", "packages", []],
  ])("%s in %s is %j", (glob, directory, expected) => {
    expect(rebaseWrites([[glob]], directory)).toEqual([expected]);
  });

  test("never hold a path that the grant does not", () => {
    const segments = ["a", "b", "*", "**", "a*", "?", "{a,b}", "!a", ".x"];
    const names = ["a", "b", "ab", ".x", "c"];
    let seed = 7;
    const pick = <T>(all: readonly T[]): T => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      // The index is below the length.
      return all[seed % all.length] as T;
    };
    const path = (all: readonly string[], most: number): string =>
      Array.from({ length: 1 + (seed % most) }, () => pick(all)).join("/");
    let inside = 0;
    for (let round = 0; round < 4_000; round += 1) {
      const writes = [
        [path(segments, 4), path(segments, 4)],
        [path(segments, 3), "**"],
      ];
      const [directory, file] = [path(names, 3), path(names, 3)];
      if (!isInScope(rebaseWrites(writes, directory), file)) continue;
      inside += 1;
      expect(isInScope(writes, `${directory}/${file}`), JSON.stringify({ writes, directory, file })).toBe(true);
    }
    expect(inside).toBeGreaterThan(200);
  });
});
