/** Planted in the purse: what runs side by side may spend, and what they have. */
import type { Mutation } from "../mutation.ts";

const file = "packages/runtime/src/limits/purse.ts";
const tests = ["packages/runtime/src/limits/purse.test.ts", "packages/runtime/src/limits/limits.test.ts"];

export const PURSE: readonly Mutation[] = [
  {
    name: "purse/settles-twice",
    file,
    before: "    this.#isOpen = false;\n",
    after: "",
    tests,
  },
  {
    name: "purse/keeps-what-was-reserved",
    file,
    before: '    add(this.#purse, "reserved", this.#amounts, -1);\n',
    after: "",
    tests,
  },
  {
    name: "purse/gives-back-what-was-spent-instead-of-what-was-reserved",
    file,
    before: 'add(this.#purse, "reserved", this.#amounts, -1);',
    after: 'add(this.#purse, "reserved", spent, -1);',
    tests,
  },
  {
    name: "purse/reserves-nothing",
    file,
    before: '  add(purse, "reserved", amounts, 1);\n',
    after: "",
    tests,
  },
  {
    name: "purse/reserves-in-its-own-alone",
    file,
    before: "    sums.costUsd += sign * costUsd;\n  }",
    after: '    sums.costUsd += sign * costUsd;\n    if (column === "reserved") return;\n  }',
    tests,
  },
  {
    name: "purse/spends-from-its-own-alone",
    file,
    before: "    sums.costUsd += sign * costUsd;\n  }",
    after: '    sums.costUsd += sign * costUsd;\n    if (column === "used") return;\n  }',
    tests,
  },
  {
    name: "purse/forgets-what-is-reserved",
    file,
    before: "max - one.used[axis] - one.reserved[axis] -",
    after: "max - one.used[axis] -",
    tests,
  },
  {
    name: "purse/lets-children-use-what-is-kept-back",
    file,
    before: "(one === purse ? 0 : one.kept[axis])",
    after: "0",
    tests,
  },
  {
    name: "purse/keeps-back-from-its-own-run",
    file,
    before: "(one === purse ? 0 : one.kept[axis])",
    after: "one.kept[axis]",
    tests,
  },
  {
    name: "purse/takes-the-widest-limit",
    file,
    before: "if (left < tightest.left) tightest",
    after: "if (left > tightest.left || tightest.max === Infinity) tightest",
    tests,
  },
  {
    name: "purse/looks-at-its-own-limit-alone",
    file,
    before: "    if (left < tightest.left) tightest = { left, used: one.used[axis], max };\n  }",
    after: "    if (left < tightest.left) tightest = { left, used: one.used[axis], max };\n    break;\n  }",
    tests,
  },
  {
    name: "purse/bills-only-the-run",
    file,
    before: "    one.unpriced ||= unpriced;\n  }",
    after: "    one.unpriced ||= unpriced;\n    return;\n  }",
    tests,
  },
  {
    name: "purse/forgets-that-a-price-was-missing",
    file,
    before: "one.unpriced ||= unpriced;",
    after: "one.unpriced = unpriced;",
    tests,
  },
];
