import { expect, test } from "vitest";
import { rowText } from "../screen/row.ts";
import { createMarkdownStream, renderMarkdown } from "./markdown-stream.ts";

const TEXT = `# Title

Some **bold** and \`code\` and [a link](https://example.org/x).

- one
  - two that is longer than the width of the terminal allows
1. [x] done

> quoted

| name | value |
|------|-------|
| a    | 漢字  |
| bb   | **2** |

\`\`\`diff
-old
+new
\`\`\`
end`;

const lines = (width: number): readonly string[] => renderMarkdown(TEXT, width).map(rowText);

test("blocks are drawn as people read them", () => {
  expect(lines(40)).toEqual([
    "Title",
    "",
    "Some bold and code and a link ",
    "(https://example.org/x).",
    "",
    "• one",
    "  • two that is longer than the width of",
    "    the terminal allows",
    "1. ☑ done",
    "",
    "│ quoted",
    "",
    "name │ value",
    "─────┼──────",
    "a    │ 漢字 ",
    "bb   │ 2    ",
    "",
    "  -old",
    "  +new",
    "end",
  ]);
});

test("a stream cut anywhere gives the same rows, and a table waits until it has ended", () => {
  const whole = renderMarkdown(TEXT, 40);
  for (let at = 0; at <= TEXT.length; at += 1) {
    const stream = createMarkdownStream(() => 40);
    expect([...stream.push(TEXT.slice(0, at)), ...stream.push(TEXT.slice(at)), ...stream.end()]).toEqual(whole);
  }
  const stream = createMarkdownStream(() => 40);
  expect(stream.push("| a | b |\n|---|---|\n| 1 | 2 |\n")).toEqual([]);
  expect(stream.tail().map(rowText)).toHaveLength(3);
  expect(stream.push("\n").map(rowText)).toHaveLength(4);
});

test("no row is wider than the terminal, also at 40 columns", () => {
  for (const width of [20, 40, 79]) for (const line of lines(width)) expect(line.length).toBeLessThanOrEqual(Math.max(width, 14));
});
