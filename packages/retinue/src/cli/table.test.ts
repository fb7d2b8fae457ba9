import { expect, test } from "vitest";
import { widthOf } from "../terminal/text-width.ts";
import { formatTable } from "./table.ts";

test("columns are as wide as they need to be, numbers to the right", () => {
  const columns = [{ title: "name" }, { title: "count", align: "right" as const }];
  expect(
    formatTable(columns, [
      ["one", "1"],
      ["🤖 two", "22"],
    ]),
  ).toEqual(["name    count", "one         1", "🤖 two     22"]);
});

test("one column gives way, so that all fit into 80 columns; wide characters count twice", () => {
  const columns = [{ title: "id" }, { title: "task", isFlexible: true }, { title: "cost", align: "right" as const }];
  const lines = formatTable(columns, [
    ["a".repeat(16), "漢".repeat(100), "$1.00"],
    ["b", "short", "$0.10"],
  ]);
  expect(lines.map(widthOf)).toEqual([80, 80, 80]);
  expect(lines[1]).toContain("漢…");
});

test("without titles there is no line of titles", () => {
  expect(formatTable([{ title: "" }, { title: "" }], [["a", "b"]])).toEqual(["a  b"]);
});
