/** What the model says: the main agent, the tester twice, and the executor between. */
import { call, delegate, type Part } from "../stage/script.ts";

const TESTS = `import assert from "node:assert/strict";
import test from "node:test";
import { calculateDiscount } from "../dist/pricing.js";

test("a discount is taken off the price", () => {
  assert.equal(calculateDiscount(1000, 20), 800);
});

test("no discount leaves the price as it is", () => {
  assert.equal(calculateDiscount(1000, 0), 1000);
});

test("a discount of 100 percent leaves nothing", () => {
  assert.equal(calculateDiscount(1000, 100), 0);
});

test("what is left is whole cents", () => {
  assert.equal(calculateDiscount(999, 50), 500);
});

test("a discount below 0 or above 100 percent is refused", () => {
  assert.throws(() => calculateDiscount(1000, -1), RangeError);
  assert.throws(() => calculateDiscount(1000, 101), RangeError);
});
`;

const CODE = `/** What is left of a price in cents after a discount in percent, in whole cents. */
export const calculateDiscount = (price, discountPercent) => {
  if (!(discountPercent >= 0 && discountPercent <= 100)) throw new RangeError(\`\${discountPercent} is no discount in percent\`);
  return Math.round(price * (1 - discountPercent / 100));
};
`;

export const script: readonly Part[] = [
  {
    agent: "main",
    replies: [
      [
        delegate(
          "tester",
          "Write tests for calculateDiscount(price, discountPercent) in src/pricing.js, which is not there yet.",
          {
            success_criteria: "At least five cases, all failing because the function is missing",
            details: true,
          },
        ),
      ],
      [
        delegate("executor", "Implement calculateDiscount in src/pricing.js so that the tests in test/pricing.test.js pass.", {
          context_files: ["test/pricing.test.js"],
          context_mode: "selective",
          success_criteria: "node --test passes",
        }),
      ],
      [delegate("tester", "Run the tests and report how many pass.")],
      "calculateDiscount stands in src/pricing.js. Its five tests were written first; all seven tests of the project pass.",
    ],
  },
  {
    agent: "tester",
    task: "Write tests",
    replies: [
      [call("read", { path: "test/money.test.js" }), call("read", { path: "src/money.js" })],
      [call("write", { path: "test/pricing.test.js", content: TESTS })],
      [call("test", { path: "test/pricing.test.js" })],
      // It would be quicker to write the code at once. The grant says no.
      [call("write", { path: "src/pricing.js", content: CODE })],
      "I wrote test/pricing.test.js with five cases. They fail, as they should: src/pricing.js is missing, and not mine to write.",
    ],
  },
  {
    agent: "executor",
    replies: [
      [call("write", { path: "src/pricing.js", content: CODE })],
      [call("test", {})],
      "I wrote src/pricing.js with calculateDiscount. All tests pass.",
    ],
  },
  { agent: "tester", task: "Run the tests", replies: [[call("test", {})], "All 7 tests pass."] },
];
