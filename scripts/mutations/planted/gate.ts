/** Planted in the gate: how many requests of a process a provider gets at a time, and what follows a refusal. */
import type { Mutation } from "../mutation.ts";

const file = "packages/model/src/gate.ts";
const tests = ["packages/model/src/gate.test.ts"];

export const GATE: readonly Mutation[] = [
  {
    name: "gate/one-too-many",
    file,
    before: "running < maxConcurrent &&",
    after: "running <= maxConcurrent &&",
    tests,
  },
  {
    name: "gate/a-storm-after-a-pause",
    file,
    before: "    allowed = 1;\n",
    after: "",
    tests,
  },
  {
    name: "gate/two-probes",
    file,
    before: "runningSincePause < allowed &&",
    after: "runningSincePause <= allowed &&",
    tests,
  },
  {
    name: "gate/nobody-wakes-after-a-pause",
    file,
    before: "      else drain();\n",
    after: "",
    tests,
  },
  {
    name: "gate/who-gives-up-stays-in-the-queue",
    file,
    before: "          queue.delete(onAdmitted);\n",
    after: "",
    tests,
  },
  {
    name: "gate/overtakes-the-queue",
    file,
    before: "if (queue.size === 0 && hasRoom())",
    after: "if (hasRoom())",
    tests,
  },
  {
    name: "gate/leaves-without-letting-the-next-in",
    file,
    before: "        if (allowed < maxConcurrent) allowed++;\n      }\n      drain();",
    after: "        if (allowed < maxConcurrent) allowed++;\n      }",
    tests,
  },
  {
    name: "gate/keeps-the-place-of-who-failed",
    file,
    before: "      running--;\n",
    after: '      if (departure.type === "ok") running--;\n',
    tests,
  },
  {
    name: "gate/an-old-success-opens-it-wider",
    file,
    before: 'departure.type === "ok" && isCurrent',
    after: 'departure.type === "ok"',
    tests,
  },
  {
    name: "gate/who-entered-before-the-pause-frees-a-place-after-it",
    file,
    before: "if (isCurrent) runningSincePause--;",
    after: "runningSincePause--;",
    tests,
  },
  {
    name: "gate/refused-together-is-refused-in-a-row",
    file,
    before: "if (retryAfterMs !== undefined) pausedUntil = Math.max(pausedUntil, now + retryAfterMs);\n      return;",
    after: "if (retryAfterMs !== undefined) pausedUntil = Math.max(pausedUntil, now + retryAfterMs);",
    tests,
  },
  {
    name: "gate/a-shorter-word-ends-a-longer-pause",
    file,
    before: "pausedUntil = Math.max(pausedUntil, now + retryAfterMs)",
    after: "pausedUntil = now + retryAfterMs",
    tests,
  },
  {
    name: "gate/success-does-not-end-the-row",
    file,
    before: "        refusalsInRow = 0;\n",
    after: "",
    tests,
  },
  {
    name: "gate/a-new-size-opens-it-after-a-refusal",
    file,
    before: "else allowed = Math.min(allowed, wanted);",
    after: "else allowed = wanted;",
    tests,
  },
];
