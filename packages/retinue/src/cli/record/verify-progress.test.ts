import { expect, test } from "vitest";
import { tellNowAndThen } from "./verify-command.ts";

test("a long verification is told every two seconds, a short one not at all", () => {
  const lines: string[] = [];
  let time = 0;
  const stderr = { write: async (text: string) => void lines.push(text) };
  const tell = tellNowAndThen(stderr, () => time);
  for (; time < 5000; time += 500) tell({ of: "sessions", done: time / 500, all: 10 });
  tell({ of: "search index", done: 10, all: 10 });
  time = 7000;
  tell({ of: "search index", done: 10, all: 10 });
  expect(lines).toEqual([
    "retinue: verifying the sessions: 4 of 10\n",
    "retinue: verifying the sessions: 8 of 10\n",
    "retinue: verifying the search index\n",
  ]);
});
