/** What the model says: the main agent, which calls agents as tools, and the four that it calls. */
import { call, type Part } from "../stage/script.ts";

export const script: readonly Part[] = [
  {
    agent: "main",
    replies: [
      [call("code-search", { query: "where are users looked up by name?", scope: "src" })],
      [
        call("code-review", { target: "src/users.js", focus: "bugs" }),
        call("planner", { task: "Make the lookup of users strict", constraints: "Change one file only" }),
      ],
      [call("fixer", { file: "src/users.js", change: "compare names with === and not with ==" })],
      [call("fixer", { file: "src/cli.js", change: "print nothing where there is no such user" })],
      "findUser in src/users.js:8 compares strictly now. src/cli.js was left as it is, as you said.",
    ],
  },
  {
    agent: "code-search",
    replies: [
      [call("ls", { path: "src" }), call("grep", { pattern: "find|lookup", path: "src" })],
      [call("read", { path: "src/users.js" })],
      "Users are looked up by findUser (src/users.js:6), which loads the file by loadUsers (src/users.js:4). src/cli.js:5 calls it.",
    ],
  },
  {
    agent: "code-review",
    replies: [
      [call("read", { path: "src/users.js" })],
      'minor: src/users.js:8 compares with ==, so that 1 finds a user named "1"; use ===.',
    ],
  },
  {
    agent: "planner",
    replies: [
      [call("read", { path: "src/users.js" })],
      "1. src/users.js:8: === in place of ==. Done when the file has no == left.",
    ],
  },
  {
    agent: "fixer",
    task: "src/users.js",
    replies: [
      [call("read", { path: "src/users.js" })],
      [call("edit", { path: "src/users.js", edits: [{ old: "user.name == name", new: "user.name === name" }] })],
      "src/users.js:8 compares with ===.",
    ],
  },
  {
    agent: "fixer",
    task: "src/cli.js",
    replies: [
      [call("read", { path: "src/cli.js" })],
      [call("edit", { path: "src/cli.js", edits: [{ old: "console.log(", new: "if (name) console.log(" }] })],
      "I did not change src/cli.js: the answer was no.",
    ],
  },
];
