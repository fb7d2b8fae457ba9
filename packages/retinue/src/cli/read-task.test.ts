import { createReadStream, openSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { readTask } from "./read-task.ts";

const piped = (text: string): Readable & { isTTY?: boolean } => Readable.from([Buffer.from(text)]);
const terminal = (): Readable & { isTTY?: boolean } => Object.assign(new Readable({ read: () => undefined }), { isTTY: true });

test.each([
  ["words of the command line", ["fix", "the", "bug"], terminal(), "fix the bug"],
  ["words alone, where a program left its input open", ["fix"], piped("other"), "fix"],
  ["words and what a dash asks for", ["fix", "-"], piped("other"), "fix\n\nother"],
  ["what is piped, without words", [], piped("from the pipe\n"), "from the pipe\n"],
  ["what is piped, by a dash", ["-"], piped("from the pipe"), "from the pipe"],
])("%s", async (_name, words, input, expected) => expect(await readTask(words, input)).toBe(expected));

test.each([
  ["no words at a terminal", [], terminal(), "task_empty"],
  ["an empty word", [""], terminal(), "task_empty"],
  ["white space from a pipe", [], piped(" \n\t"), "task_empty"],
  ["more than 8 MiB", [], piped("x".repeat(8 * 1024 * 1024 + 1)), "task_too_large"],
])("%s is refused", async (_name, words, input, code) => {
  await expect(readTask(words, input)).rejects.toMatchObject({ code });
});

test("exactly 8 MiB are taken", async () => {
  expect(await readTask([], piped("x".repeat(8 * 1024 * 1024)))).toHaveLength(8 * 1024 * 1024);
});

test("what a pipe or a file gives joins the words of the command line", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "retinue-task-"));
  try {
    const file = path.join(folder, "diff.txt");
    for (const [text, expected] of [
      ["+ a line\n", "review this\n\n+ a line\n"],
      [" \n", "review this"],
    ] as const) {
      await writeFile(file, text);
      expect(await readTask(["review", "this"], createReadStream("", { fd: openSync(file, "r") }))).toBe(expected);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
