/** Planted in the stopwatch: the time that a run works, without what it waits for a human. */
import type { Mutation } from "../mutation.ts";

const file = "packages/runtime/src/limits/stopwatch.ts";
const tests = [
  "packages/runtime/src/limits/stopwatch.test.ts",
  "packages/runtime/src/limits/limits.test.ts",
  "packages/engine/src/waiting-clocks.test.ts",
];

export const STOPWATCH: readonly Mutation[] = [
  {
    name: "stopwatch/starts-at-nothing-after-a-resume",
    file,
    before: "alreadyMs + clock.now()",
    after: "clock.now()",
    tests,
  },
  {
    name: "stopwatch/counts-the-wait-that-is-under-way",
    file,
    before: " - (waiting > 0 ? clock.now() - waitingSince : 0)",
    after: "",
    tests,
  },
  {
    name: "stopwatch/counts-waits-that-are-over",
    file,
    before: "startedAt - waitedMs -",
    after: "startedAt -",
    tests,
  },
  {
    name: "stopwatch/a-second-wait-begins-anew",
    file,
    before: "if (waiting++ === 0) waitingSince = clock.now();",
    after: "waiting++;\n      waitingSince = clock.now();",
    tests,
  },
  {
    name: "stopwatch/the-first-to-go-on-ends-all-waits",
    file,
    before: "if (--waiting === 0) waitedMs",
    after: "if (waiting-- > 0) waitedMs",
    tests,
  },
  {
    name: "stopwatch/keeps-only-the-last-wait",
    file,
    before: "waitedMs += clock.now() - waitingSince",
    after: "waitedMs = clock.now() - waitingSince",
    tests,
  },
  {
    name: "stopwatch/calls-back-after-it-was-taken-back",
    file,
    before: "return () => takeBack?.();",
    after: "return () => undefined;",
    tests,
  },
  {
    name: "stopwatch/calls-back-though-it-waited-meanwhile",
    file,
    before: ": left, look);",
    after: ": left, callback);",
    tests,
  },
];
