import { describe, expect, it } from "vitest";
import { parseRevision } from "./parse-revision.ts";

describe("a revision", () => {
  it.each([
    ["HEAD", ["HEAD"]],
    ["^main~2", ["main~2"]],
    ["a..b", ["a", "b"]],
    ["..b", ["HEAD", "b"]],
    ["feature/x...HEAD^2", ["feature/x", "HEAD^2"]],
    ["v1^{}", ["v1^{}"]],
    ["HEAD@{2 days ago}", undefined],
    ["HEAD@{2.days.ago}", ["HEAD@{2.days.ago}"]],
    ["HEAD@{12:00}", ["HEAD@{12:00}"]],
    ["HEAD^!", ["HEAD"]],
    ["HEAD^{/fix: it}", ["HEAD^{/fix: it}"]],
    [":/fix", [":/fix"]],
  ])("%s names commits", (word, names) => {
    // Spaces are a part of times only.
    expect(parseRevision(word)).toMatchObject({ type: "commits", names: names ?? [word] });
  });

  it.each([
    ["HEAD:a.txt", "HEAD", "a.txt"],
    ["HEAD:a:b", "HEAD", "a:b"],
    ["HEAD^{tree}:a", "HEAD", "a"],
    ["HEAD@{12:00}:a", "HEAD@{12:00}", "a"],
    [":a.txt", undefined, "a.txt"],
    [":2:a.txt", undefined, "a.txt"],
  ])("%s names a file", (word, name, path) => {
    expect(parseRevision(word)).toMatchObject({ type: "file", names: name === undefined ? [] : [name], path });
  });

  it.each([
    "HEAD^{/a}:x",
    "HEAD:a..HEAD:b",
    "a..b:c",
    ":/a..b",
    "HEAD:../x",
    "HEAD^{blob}",
    "--all",
    "a b",
    "HEAD^{/a..b}",
    "HEAD@{a..b}",
    ":0:a:b",
    "",
  ])("%s is not taken", (word) => {
    expect(parseRevision(word)).toBeUndefined();
  });
});
