/** Three questions at once to an agent of Claude Code, read as it is: their answers come back in the order in which they were asked. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { play } from "../stage/play.ts";
import { script } from "./script.ts";

await using played = await play({
  example: import.meta.dirname,
  words: ["run", "Research error handling patterns across the codebase"],
  script,
  protocol: "anthropic",
});
const { main, events, requests, exitCode, run, workspace } = played;
assert.equal(exitCode, 0);
assert.deepEqual(
  main.below.map(({ agent, result }) => [agent, result.status]),
  Array.from({ length: 3 }, () => ["error-detective", "completed"]),
);

// All three were at work before the first of them was done.
const steps = events.flatMap(({ type, depth }) =>
  depth === 1 && (type === "run.requested" || type === "run.settled") ? [type] : [],
);
assert.deepEqual(steps.slice(0, 3), ["run.requested", "run.requested", "run.requested"]);

// The tools are those of the file, by the names that they have here; reading needs nobody's approval.
for (const { tools } of main.below) for (const tool of tools) assert.ok(["read", "grep"].includes(tool), tool);
const offered = requests
  .filter(({ text }) => text.includes("error-detective** sub-agent"))
  .map(({ body }) => body as { tools: { name: string }[] });
for (const { tools } of offered) assert.deepEqual(tools.map(({ name }) => name).toSorted(), ["glob", "grep", "read"]);

// The main agent reads the three answers in the order of its questions, whoever was first.
const last = JSON.stringify(requests.findLast(({ text }) => !text.includes("sub-agent (depth"))?.body);
const places = ["Four except clauses", "both below OrderError", "Two places: orders/checkout.py"].map((text) =>
  last.indexOf(text),
);
assert.ok(
  places.every((place, index) => place > (places[index - 1] ?? 0)),
  String(places),
);

// The detectives were right, and touched nothing.
for (const [file, line, text] of [
  ["orders/report.py", 7, "except:"],
  ["orders/errors.py", 4, "class OrderError"],
  ["orders/checkout.py", 23, 'log.error("payment failed")'],
] as const)
  assert.ok((await readFile(path.join(workspace, file), "utf8")).split("\n")[line - 1]?.includes(text), `${file}:${line}`);
assert.equal(await run("git", "status", "--short"), "");
