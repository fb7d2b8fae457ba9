import { expect, test } from "vitest";
import { namesTool } from "./tool-spellings.ts";

test.each([
  ["a.append", "a.append", true],
  ["a__append", "a.append", true],
  ["A__Append", "a.append", true],
  ["mcp__a__append", "a.append", true],
  ["mcp__a", "a.append", true],
  ["mcp__a__*", "a.append", true],
  ["mcp__*", "a.append", true],
  ["a_append", "a.append", true],
  ["a_*", "a.append", true],
  ["*", "a.append", true],
  ["mcp__ab", "a.append", false],
  ["b__append", "a.append", false],
  ["mcp__a__b__c", "a__b.c", true],
  ["mcp__a__do_it", "a.do_it-0123abcd", true],
  ["a__x__y", "a.x.y", true],
  ["a_x_y", "a.x.y", true],
  // A built-in tool is that tool, and no tool of a server that reads alike.
  ["web_fetch", "web_fetch", true],
  ["web_fetch", "web.fetch", false],
  ["web__fetch", "web.fetch", true],
  ["web__fetch", "web_fetch", false],
  ["shell", "shell", true],
  ["Shell", "shell", true],
])("N14 a deny of %j means %j: %s", (pattern, tool, isMeant) => {
  expect(namesTool([pattern], tool)).toBe(isMeant);
});
