import { protectionOf } from "@retinue/runtime";
import { expect, test } from "vitest";
import { RULE_PLACES, toSettingsPlaces } from "./rule-places.ts";

const ALL = Object.values(RULE_PLACES).flat();

test("I3 no agent writes a place of the project from which rules are read", () => {
  const ofProject = ALL.filter(({ at }) => at.startsWith("./"));
  expect(ofProject.length).toBeGreaterThan(6);
  for (const { at } of ofProject) expect([at, protectionOf(at.slice(2))?.write]).toEqual([at, "deny"]);
});

test("each place stands once in its table, with where the other program names it", () => {
  for (const places of Object.values(RULE_PLACES)) expect(new Set(places.map(({ at }) => at)).size).toBe(places.length);
  for (const { source } of ALL) expect(source).toMatch(/^(?:https:\/\/|github\.com\/)/);
});

test("places of folders below the root of the project are read, too", async () => {
  const [first] = ALL.filter(({ at }) => at === "./.claude/settings.json");
  const found = first && (await toSettingsPlaces(first, { projectDir: "/p", innerDirs: ["/p/a"] }));
  expect(found?.map(({ file, origin, inside }) => [file, origin, inside])).toEqual([
    ["/p/.claude/settings.json", "project", "/p"],
    ["/p/a/.claude/settings.json", "project", "/p"],
  ]);
});
