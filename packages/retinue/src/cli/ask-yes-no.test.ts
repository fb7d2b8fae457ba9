import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { askYesNo } from "./ask-yes-no.ts";

const asked = (typed: string, end = false): ReturnType<typeof askYesNo> => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  output.resume();
  const answer = askYesNo("Really? ", { input, output });
  input.write(typed);
  if (end) input.end();
  return answer;
};

test.each([
  ["y\r", "yes"],
  [" YES \r", "yes"],
  ["n\r", "no"],
  ["\r", "no"],
  ["yesterday\r", "no"],
])("%j is %s", async (typed, answer) => {
  expect(await asked(typed)).toBe(answer);
});

test("leaving is no yes", async () => {
  expect(await asked("\u0004")).toBe("no");
  expect(await asked("y", true)).toBe("no");
  expect(await asked("y\u0003")).toBe("interrupted");
});
