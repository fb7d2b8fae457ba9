/** Planted in the redactor of streams: no secret gets through, wherever a chunk ends. */
import type { Mutation } from "../mutation.ts";

const redactor = "packages/retinue/src/secrets/create-redactor.ts";
const matcher = "packages/retinue/src/secrets/create-matcher.ts";
const deltas = "packages/runtime/src/record/delta-redaction.ts";
const tests = ["packages/retinue/src/secrets/create-redactor.test.ts", "packages/retinue/src/secrets/split-secrets.test.ts"];
const deltaTests = ["packages/runtime/src/record/delta-redaction.test.ts"];

export const REDACTOR_STREAM: readonly Mutation[] = [
  {
    name: "redactor-stream/holds-nothing-back",
    file: redactor,
    before: "const holdFrom = Math.max(from, squeezed.originalStart(open));",
    after: "const holdFrom = text.length;",
    tests,
  },
  {
    name: "redactor-stream/forgets-what-it-held",
    file: redactor,
    before: "const text = held + chunk;",
    after: "const text = chunk;",
    tests,
  },
  {
    name: "redactor-stream/swallows-the-end",
    file: redactor,
    before: '      const rest = redact(held, matcher, marks);\n      held = "";\n      return rest;',
    after: '      held = "";\n      return "";',
    tests,
  },
  {
    name: "redactor-stream/gives-the-end-as-it-is",
    file: redactor,
    before: "const rest = redact(held, matcher, marks);",
    after: "const rest = held;",
    tests,
  },
  {
    name: "redactor-stream/gives-the-end-twice",
    file: redactor,
    before: '      held = "";\n      return rest;',
    after: "      return rest;",
    tests,
  },
  {
    name: "redactor-stream/marks-a-secret-that-may-become-a-longer-one",
    file: redactor,
    before: "match && match.start < open;",
    after: "match;",
    tests,
  },
  {
    name: "redactor-stream/gives-what-lies-before-a-match-twice",
    file: redactor,
    before: "        from = squeezed.originalEnd(end);\n        open",
    after: "        open",
    tests,
  },
  {
    name: "redactor-stream/a-tail-one-too-short",
    file: matcher,
    before: "text.length - longest + 1)",
    after: "text.length - longest + 2)",
    tests,
  },
  {
    name: "redactor-stream/one-character-is-never-a-beginning",
    file: matcher,
    before: "if (length === 1) return firsts.has(text.charCodeAt(start));",
    after: "if (length === 1) return false;",
    tests,
  },
  {
    name: "redactor-stream/steps-over-a-match",
    file: matcher,
    before: "Math.min(shifts[triple] ?? 0, least - 1 - end)",
    after: "Math.min(shifts[triple] ?? 0, least - end)",
    tests,
  },
  {
    name: "redactor-stream/one-stream-for-text-and-reasoning",
    file: deltas,
    before: "let stream = streams.get(kind);",
    after: "let [stream] = streams.values();",
    tests: deltaTests,
  },
  {
    name: "redactor-stream/a-void-answer-goes-on",
    file: deltas,
    before: "reset: () => streams.clear(),",
    after: "reset: () => undefined,",
    tests: deltaTests,
  },
];
