/** Planted in the pacer: how many sub-agents of a run work at a time. */
import type { Mutation } from "../mutation.ts";

const file = "packages/engine/src/embedded/pacer.ts";
const tests = ["packages/engine/src/embedded/pacer.test.ts"];

export const PACER: readonly Mutation[] = [
  { name: "pacer/one-too-many", file, before: "if (running >= most)", after: "if (running > most)", tests },
  {
    name: "pacer/who-gives-up-stays-in-the-queue",
    file,
    before: "          waiting.splice(waiting.indexOf(enter), 1);\n",
    after: "",
    tests,
  },
  {
    name: "pacer/who-failed-keeps-the-place",
    file,
    before: "    try {\n      return await work();\n    } finally {",
    after: "    const value = await work();\n    try {\n      return value;\n    } finally {",
    tests,
  },
  { name: "pacer/last-come-first-served", file, before: "waiting.shift()", after: "waiting.pop()", tests },
  { name: "pacer/frees-the-place-too-early", file, before: "return await work();", after: "return work();", tests },
  {
    name: "pacer/hands-the-place-on-and-frees-it",
    file,
    before: "if (next) next();\n      else running -= 1;",
    after: "if (next) next();\n      running -= 1;",
    tests,
  },
  {
    name: "pacer/who-came-in-hears-a-late-abort",
    file,
    before: '          signal.removeEventListener("abort", leave);\n',
    after: "",
    tests,
  },
];
