/** What the model says: the main agent hands out three questions in one turn, and three detectives work on them at the same time. */
import { call, delegate, type Part } from "../stage/script.ts";

export const script: readonly Part[] = [
  {
    agent: "main",
    replies: [
      [
        delegate("error-detective", "Find the except clauses in orders/ and say which of them swallow errors."),
        delegate("error-detective", "Find the error classes in orders/errors.py and what they have in common."),
        delegate("error-detective", "Find where errors are logged across the codebase."),
      ],
      [
        "Errors of an order have one base, OrderError (orders/errors.py:4), and are raised where they happen.",
        "Two places do not follow it: orders/report.py:7 swallows everything with a bare except, and orders/checkout.py:22 catches",
        "Exception and logs without the reason (orders/checkout.py:23).",
      ].join(" "),
    ],
  },
  {
    agent: "error-detective",
    task: "except clauses",
    replies: [
      [call("grep", { pattern: "except", glob: "*.py" })],
      [call("read", { path: "orders/report.py" })],
      "Four except clauses. orders/report.py:7 is bare and swallows every error as 0; the three in orders/checkout.py raise or try again.",
    ],
  },
  {
    agent: "error-detective",
    task: "error classes",
    replies: [
      [call("read", { path: "orders/errors.py" })],
      "OutOfStock and PaymentRefused, both below OrderError (orders/errors.py:4).",
    ],
  },
  {
    agent: "error-detective",
    task: "logged",
    replies: [
      [call("grep", { pattern: "log\\.(warning|error|exception)" })],
      "Two places: orders/checkout.py:20 with the error, orders/checkout.py:23 without it.",
    ],
  },
];
