/** What the page of the library shows is code that runs: every snippet of it stands word for word in an example. */
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.dirname(import.meta.dirname);
const readText = (file: string): string => readFileSync(path.join(root, file), "utf8");

const examples = globSync("examples/*.ts", { cwd: root }).map((file) => ({ file, text: `\n${readText(file)}` }));
const snippets = [...readText("docs/library.md").matchAll(/```ts\n([^]*?)```/g)].map(([, code = ""]) => code);

test("the page has snippets", () => {
  expect(snippets.length).toBeGreaterThan(8);
});

test.each(snippets)("%s", (snippet) => {
  expect(examples.filter(({ text }) => text.includes(`\n${snippet}`)).map(({ file }) => file)).not.toEqual([]);
});
