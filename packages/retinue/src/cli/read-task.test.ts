import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { readTask } from "./read-task.ts";

const piped = (text: string): Readable & { isTTY?: boolean } => Readable.from([Buffer.from(text)]);
const terminal = (): Readable & { isTTY?: boolean } => Object.assign(new Readable({ read: () => undefined }), { isTTY: true });

test.each([
  ["words of the command line", ["fix", "the", "bug"], terminal(), "fix the bug"],
  ["words win over what is piped", ["fix"], piped("other"), "fix"],
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
