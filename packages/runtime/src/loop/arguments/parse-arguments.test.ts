import { expect, test } from "vitest";
import { parseArguments } from "./parse-arguments.ts";

const VALUE = { path: "a,}b.ts", edits: [{ old: 'say ",]"', new: "" }] };

test.each([
  ["plain JSON", JSON.stringify(VALUE)],
  ["a fence around it", `\`\`\`json\n${JSON.stringify(VALUE, undefined, 2)}\n\`\`\``],
  ["commas before closing brackets", '{"path":"a,}b.ts","edits":[{"old":"say \\",]\\"","new":"",},],}'],
  ["JSON in a text", JSON.stringify(JSON.stringify(VALUE))],
])("%s is read to the letter", (_what, text) => {
  expect(parseArguments(text)).toEqual({ type: "value", value: VALUE });
});

test("nothing at all is no arguments", () => {
  expect(parseArguments("  ")).toEqual({ type: "value", value: {} });
});

test.each(['{"path": "a', '{"path": "a",', "path=a", '```json\n{"path": "a"'])(
  "%j, cut off or no JSON, is not completed",
  (text) => {
    expect(parseArguments(text)).toMatchObject({ type: "notJson" });
  },
);
