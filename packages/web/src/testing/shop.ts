/** The story that the page's tests and pictures tell: a small shop gets a discount, by agents three levels deep. */
import { call, delegate, type Part } from "./played-model.ts";

export const SHOP: Readonly<Record<string, string>> = {
  "src/cart.ts": `import { parsePrice } from "./price.ts";

export type Item = { name: string; price: string };

/** The sum of all items, in cents. */
export const total = (items: readonly Item[]): number => {
  const sum = items.map(({ price }) => parsePrice(price)).reduce((a, b) => a + b, 0);
  return sum;
};
`,
  "src/price.ts": `/** "12.50" to 1250. */
export const parsePrice = (text: string): number => Math.round(Number(text) * 100);
`,
  "test/cart.test.ts": `import assert from "node:assert/strict";
import test from "node:test";
import { total } from "../src/cart.ts";

test("items add up", () => {
  assert.equal(total([{ name: "tea", price: "3.20" }]), 320);
});
`,
  "package.json": `{ "name": "shop", "type": "module" }\n`,
};

/** An agent of the user's that starts others, so that there are two levels below the main agent. */
export const LEAD = `---
name: lead
description: Carries a change through with an executor and a researcher.
icon: "🧭"
tools: [read, grep, ls, edit, write]
delegates: [executor, researcher]
limits:
  iterations: 20
  costUsd: 0.2
---

You lead a change.
`;

export const DISCOUNT_EDIT = {
  path: "src/cart.ts",
  edits: [
    { old: "(items: readonly Item[]): number", new: "(items: readonly Item[], discount = 0): number" },
    { old: "  return sum;", new: "  return Math.round(sum * (1 - discount));" },
  ],
};

const TEST_EDIT = {
  path: "test/cart.test.ts",
  content: `import assert from "node:assert/strict";
import test from "node:test";
import { total } from "../src/cart.ts";

test("items add up", () => {
  assert.equal(total([{ name: "tea", price: "3.20" }]), 320);
});

test("a discount is taken from the sum", () => {
  assert.equal(total([{ name: "tea", price: "10.00" }], 0.25), 750);
});
`,
};

export const DISCOUNT_TASK = "Add a discount to the cart, with a test for it.";

export const FOUND = `The sum of a cart is computed in one place:

- \`src/cart.ts:6\` **total(items)** adds the parsed prices, in cents.
- \`src/price.ts:2\` **parsePrice** rounds to cents.

| caller | file |
| --- | --- |
| the test | \`test/cart.test.ts\` |

Nothing else calls \`total\`, so that a second parameter with a default breaks nobody.`;

/** Replies named in `hold` wait for the test. */
export const discountParts: readonly Part[] = [
  {
    agent: "main",
    task: "Add a discount",
    replies: [
      {
        text: "I'll have the place found first, then the change made and tested.",
        calls: [delegate("researcher", "Find where the total of a cart is computed and who calls it.")],
      },
      {
        text: "One place, and no other callers. A lead carries the change through.",
        calls: [
          delegate("lead", "Add an optional discount between 0 and 1 to total() in src/cart.ts, and a test for it.", {
            context: "src/cart.ts:6 total(items); only test/cart.test.ts calls it.",
          }),
        ],
      },
      "The discount is in: `total(items, discount)` takes a share between 0 and 1 and rounds to cents.\n\n```ts\ntotal(items, 0.25); // a quarter off\n```\n\n- `src/cart.ts` has the parameter, 0 by default.\n- `test/cart.test.ts` checks a quarter off.",
    ],
  },
  {
    agent: "researcher",
    task: "total of a cart",
    replies: [
      [call("grep", { pattern: "total\\(|parsePrice" }), call("read", { path: "src/cart.ts" })],
      [call("read", { path: "src/price.ts" }), call("ls", { path: "." })],
      FOUND,
    ],
  },
  {
    agent: "lead",
    replies: [
      {
        text: "Two executors: one for the code, one for the test.",
        calls: [
          delegate("executor", "Give total() in src/cart.ts an optional discount, a share between 0 and 1."),
          delegate("executor", "Write a test for the discount in test/cart.test.ts."),
        ],
      },
      "Both are done: the parameter is there and the test covers a quarter off.",
    ],
  },
  {
    agent: "executor",
    task: "Give total()",
    replies: [
      [call("read", { path: "src/cart.ts" })],
      { text: "The sum is multiplied by what is left after the discount.", calls: [call("edit", DISCOUNT_EDIT)] },
      "`total` takes a discount now; without one it does what it did.",
    ],
    hold: { 2: "code is done" },
  },
  {
    agent: "executor",
    task: "Write a test",
    replies: [[call("read", { path: "test/cart.test.ts" })], [call("write", TEST_EDIT)], "The test is written."],
    hold: { 1: "test is written" },
  },
];
