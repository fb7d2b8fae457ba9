/** The goals that sessions are given: real small projects in four languages, each checked by its own tests and by what else was asked. */
import type { JsonObject } from "@retinue/protocol";
import type { Act, Goal } from "./goal.ts";

const act = (tool: string, input: JsonObject): Act => ({ tool, input });

const edit = (path: string, old: string, replacement: string): Act => act("edit", { path, edits: [{ old, new: replacement }] });

const TODO = act("todo", {
  items: [
    { text: "look at the code", status: "completed" },
    { text: "make the change", status: "in_progress" },
    { text: "run the tests", status: "pending" },
  ],
});

const MODULE = JSON.stringify({ name: "small", type: "module", scripts: { test: "node --test" } });

const PRICE_JS = [
  "/** Prices in cents. */",
  "export const discount = (cents, percent) => {",
  "  if (percent <= 0) return cents;",
  "  const off = cents * percent;",
  "  return Math.round(cents - off);",
  "};",
  "",
  "export const total = (items) => {",
  "  let sum = 0;",
  "  for (const item of items) sum += item.cents;",
  "  return sum;",
  "};",
  "",
].join("\n");

const priceJs: Goal = {
  name: "javascript-fix",
  language: "javascript",
  files: {
    "package.json": MODULE,
    "src/price.js": PRICE_JS,
    "test/price.test.js":
      'import assert from "node:assert";\nimport { test } from "node:test";\nimport { discount, total } from "../src/price.js";\n' +
      'test("ten percent off", () => assert.equal(discount(1000, 10), 900));\ntest("nothing off", () => assert.equal(discount(1000, 0), 1000));\n' +
      'test("the sum", () => assert.equal(total([{ cents: 1 }, { cents: 2 }]), 3));\n',
  },
  task: "discount(1000, 10) in src/price.js should be 900. Fix it and run the tests.",
  acts: [
    TODO,
    act("grep", { pattern: "discount", path: "src" }),
    act("read", { path: "src/price.js", offset: 1, limit: 40 }),
    edit("src/price.js", "  const off = cents * percent;", "  const off = (cents * percent) / 100;"),
    act("test", {}),
  ],
  check: ["node", "--test", "test/price.test.js"],
  claim: "I fixed `src/price.js`. All tests pass.",
};

const slugJs: Goal = {
  name: "javascript-add",
  language: "javascript",
  files: {
    "package.json": MODULE,
    "src/index.js": 'export const VERSION = "1.0.0";\nexport const NAME = "small";\nexport const AUTHOR = "somebody";\n',
    "test/slug.test.js":
      'import assert from "node:assert";\nimport { test } from "node:test";\nimport { AUTHOR, NAME, VERSION, slug } from "../src/index.js";\n' +
      'test("a slug", () => assert.equal(slug("Hello, Big World!"), "hello-big-world"));\n' +
      'test("the rest stays", () => assert.equal(`${NAME} ${VERSION} ${AUTHOR}`, "small 1.0.0 somebody"));\n',
  },
  task: "Add slug(text) in src/slug.js, export it from src/index.js beside what is there, and run the tests.",
  acts: [
    act("glob", { pattern: "src/**/*.js" }),
    act("write", {
      path: "src/slug.js",
      content:
        "/** A title as the part of an address. */\nexport const slug = (text) =>\n" +
        '  text\n    .toLowerCase()\n    .replaceAll(/[^a-z0-9]+/g, "-")\n    .replaceAll(/^-|-$/g, "");\n',
    }),
    act("read", { path: "src/index.js" }),
    edit("src/index.js", 'export const NAME = "small";', 'export const NAME = "small";\nexport { slug } from "./slug.js";'),
    act("test", { path: "test" }),
  ],
  check: ["node", "--test", "test/slug.test.js"],
  claim: "I created `src/slug.js` and changed `src/index.js`. All tests pass.",
};

const statsPy: Goal = {
  name: "python-fix",
  language: "python",
  files: {
    "stats.py":
      "def mean(values):\n    total = 0\n    for value in values:\n        total += value\n    return total / len(values)\n\n\n" +
      "def median(values):\n    ordered = sorted(values)\n    middle = len(ordered) // 2\n    return ordered[middle]\n",
    "test_stats.py":
      "import unittest\nfrom stats import mean, median\n\n\nclass StatsTest(unittest.TestCase):\n" +
      "    def test_mean(self):\n        self.assertEqual(mean([1, 2, 3]), 2)\n\n    def test_even(self):\n        self.assertEqual(median([1, 2, 3, 4]), 2.5)\n\n" +
      "    def test_odd(self):\n        self.assertEqual(median([3, 1, 2]), 2)\n\n\nif __name__ == '__main__':\n    unittest.main()\n",
  },
  task: "median in stats.py is wrong for an even number of values. Fix it and run the tests.",
  acts: [
    act("ls", { path: ".", depth: 2 }),
    act("read", { path: "stats.py" }),
    edit(
      "stats.py",
      "    return ordered[middle]",
      "    if len(ordered) % 2 == 1:\n        return ordered[middle]\n    return (ordered[middle - 1] + ordered[middle]) / 2",
    ),
    act("test", {}),
    act("shell", { command: "python3 -m unittest -q" }),
  ],
  check: ["python3", "-m", "unittest", "-q"],
  claim: "I fixed `stats.py`; the unit tests were run.",
};

const configPy: Goal = {
  name: "python-keep",
  language: "python",
  files: {
    "settings.py": `HOST = "localhost"\nPORT = 8080\nDEBUG = False\n${Array.from({ length: 30 }, (_, at) => `OPTION_${at} = ${at}\n`).join("")}`,
    "check.py":
      'import settings\nassert settings.HOST == "localhost"\nassert settings.DEBUG is True, "debug"\nassert settings.PORT == 9090, "port"\nassert settings.OPTION_29 == 29\nprint("checked")\n',
  },
  task: "In settings.py set PORT to 9090 and DEBUG to True, and run check.py.",
  acts: [
    act("read", { path: "settings.py" }),
    edit("settings.py", "PORT = 8080", "PORT = 9090"),
    edit("settings.py", "DEBUG = False", "DEBUG = True"),
    act("shell", { command: "python3 check.py", timeoutMs: 60_000 }),
  ],
  check: ["python3", "check.py"],
  claim: "I changed `settings.py` as asked.",
};

const greetSh: Goal = {
  name: "shell-fix",
  language: "shell",
  files: {
    "greet.sh":
      '#!/usr/bin/env bash\nname="$1"\nif [ -z "$name" ]; then\n  echo "usage: greet.sh NAME"\n  exit 0\nfi\necho "Hello $name"\n',
    "test.sh":
      'set -e\n[ "$(bash greet.sh Ada)" = "Hello, Ada!" ]\nif bash greet.sh > /dev/null; then exit 1; fi\necho "2 passed"\n',
    Makefile: "test:\n\tbash test.sh\n",
  },
  task: 'greet.sh NAME should say "Hello, NAME!" and exit with 2 without a name. Fix it and run make test.',
  acts: [
    act("read", { path: "greet.sh" }),
    act("edit", {
      path: "greet.sh",
      edits: [
        { old: "  exit 0", new: "  exit 2" },
        { old: 'echo "Hello $name"', new: 'echo "Hello, $name!"' },
      ],
    }),
    act("shell", { command: "bash test.sh" }),
  ],
  check: ["bash", "test.sh"],
  claim: "I changed `greet.sh`; it greets as asked.",
};

const counterSh: Goal = {
  name: "shell-count",
  language: "shell",
  files: {
    "bump.sh": 'count=$(cat count.txt)\necho $((count + 1)) > count.txt\necho "ok"\n',
    "count.txt": "0\n",
    "check.sh": '[ "$(cat count.txt)" = 4 ] && grep -q "four" NOTES.md && grep -q "Keep this line" NOTES.md\n',
    "NOTES.md": "# Notes\n\nKeep this line.\n\nThe counter stands at zero.\n",
  },
  task: "Run bump.sh four times, then say in NOTES.md that the counter stands at four.",
  acts: [
    act("shell", { command: "bash bump.sh" }),
    act("shell", { command: "bash bump.sh" }),
    act("shell", { command: "bash bump.sh" }),
    act("shell", { command: "bash bump.sh" }),
    act("read", { path: "NOTES.md" }),
    edit("NOTES.md", "stands at zero", "stands at four"),
  ],
  check: ["bash", "check.sh"],
  claim: "I ran the script four times and updated `NOTES.md`.",
};

const queueTs: Goal = {
  name: "typescript-fix",
  language: "typescript",
  files: {
    "package.json": MODULE,
    "src/queue.ts":
      "export class Queue<T> {\n  readonly #items: T[] = [];\n\n  add(item: T): void {\n    this.#items.push(item);\n  }\n\n" +
      "  take(): T | undefined {\n    return this.#items.pop();\n  }\n\n  get size(): number {\n    return this.#items.length;\n  }\n}\n",
    "test/queue.test.ts":
      'import assert from "node:assert";\nimport { test } from "node:test";\nimport { Queue } from "../src/queue.ts";\n' +
      'test("first in, first out", () => {\n  const queue = new Queue<number>();\n  queue.add(1);\n  queue.add(2);\n  assert.equal(queue.take(), 1);\n  assert.equal(queue.size, 1);\n});\n',
  },
  task: "Queue.take in src/queue.ts should give the oldest item. Fix it and run the tests.",
  acts: [
    TODO,
    act("glob", { pattern: "**/*.ts" }),
    act("read", { path: "src/queue.ts", offset: 1, limit: 30 }),
    edit("src/queue.ts", "    return this.#items.pop();", "    return this.#items.shift();"),
    act("test", { path: "test/queue.test.ts" }),
  ],
  check: ["node", "--test", "test/queue.test.ts"],
  claim: "I fixed `src/queue.ts`. All tests pass.",
};

const delegateTs: Goal = {
  name: "typescript-delegate",
  language: "typescript",
  files: {
    "package.json": MODULE,
    "src/roman.ts": "export const toRoman = (value: number): string => {\n  throw new Error(`not implemented: ${value}`);\n};\n",
    "test/roman.test.ts":
      'import assert from "node:assert";\nimport { test } from "node:test";\nimport { toRoman } from "../src/roman.ts";\n' +
      'test("four", () => assert.equal(toRoman(4), "IV"));\ntest("1994", () => assert.equal(toRoman(1994), "MCMXCIV"));\n',
  },
  task: "Have an executor implement toRoman in src/roman.ts, then look at what was done.",
  acts: [
    act("delegate_to_agent", {
      agent: "executor",
      task: "Implement toRoman in src/roman.ts so that the tests pass.",
      context_files: ["src/roman.ts", "test/roman.test.ts"],
    }),
    act("read", { path: "src/roman.ts" }),
    act("test", {}),
  ],
  childActs: [
    act("read", { path: "src/roman.ts" }),
    edit(
      "src/roman.ts",
      "  throw new Error(`not implemented: ${value}`);",
      '  const signs = ["M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"];\n' +
        "  const values = [1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1];\n" +
        '  let left = value;\n  return values.map((one, at) => {\n    const times = Math.floor(left / one);\n    left -= times * one;\n    return (signs[at] ?? "").repeat(times);\n  }).join("");',
    ),
    act("test", {}),
  ],
  check: ["node", "--test", "test/roman.test.ts"],
  claim: "The executor implemented toRoman in `src/roman.ts`. All tests pass.",
};

export const GOALS: readonly Goal[] = [priceJs, slugJs, statsPy, configPy, greetSh, counterSh, queueTs, delegateTs];
