import type { RetinueEvent } from "@retinue/protocol";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Project } from "../testing/spawn-retinue.ts";
import { callRetinue } from "../testing/call-retinue.ts";
import { createProject } from "../testing/spawn-retinue.ts";

let made: Project | undefined;

afterAll(() => made?.remove());

const FILES: Readonly<Record<string, string>> = {
  "cmd/main.go":
    'package main\n\nimport "shop/billing"\n\nfunc main() {\n\thttp.HandleFunc("/refund", billing.HandleRefund)\n}\n',
  "billing/refund.go": "package billing\n\n// HandleRefund takes a payment back.\nfunc HandleRefund(w Writer, r *Request) {\n}\n",
  "worker/refunds.py":
    '"""Works through the queue."""\n\n\nclass RefundWorker:\n    def process_refund(self, order):\n        pass\n',
  "web/refund-button.tsx": "export const RefundButton = () => <button>Refund</button>;\n",
  "lib/src/lib.rs": "pub struct Money(i64);\n\nimpl Money {\n    pub fn refund(&self) -> Money {\n        Money(0)\n    }\n}\n",
  "app/RefundService.java":
    "package org.shop;\n\npublic class RefundService {\n    boolean isRefundable(Order order) { return true; }\n}\n",
  "node_modules/refund/index.js": "export const refund = () => {};\n",
  ".gitignore": "node_modules/\n",
};

test("a question about a repository of many languages is handed to code-search and answered with paths and lines", async () => {
  made = await createProject();
  for (const [name, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(made.workspace, name)), { recursive: true });
    await writeFile(join(made.workspace, name), text);
  }
  await mkdir(join(made.workspace, ".git"));
  const ended = await callRetinue(made, ["run", "where are refunds handled?", "--model", "offline/rules", "--json"]);
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  const events = ended.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as RetinueEvent);
  const runs = events.filter(({ type }) => type === "run.requested" || type === "run.settled");
  expect(runs.map(({ type, agent, depth }) => [type, agent, depth])).toEqual([
    ["run.requested", "main", 0],
    ["run.requested", "code-search", 1],
    ["run.settled", "code-search", 1],
    ["run.settled", "main", 0],
  ]);
  const last = events.at(-1);
  if (last?.type !== "run.settled") throw new Error(`the last event is ${last?.type}`);
  const { details } = last.result;
  for (const place of [
    "billing/refund.go:4: func HandleRefund",
    "worker/refunds.py:4: class RefundWorker",
    "web/refund-button.tsx:1: export const RefundButton",
    "lib/src/lib.rs:4: pub fn refund",
    "app/RefundService.java:3: public class RefundService",
    "cmd/main.go:6:",
  ])
    expect(details).toContain(`- ${place}`);
  expect(details).not.toContain("node_modules");
  // The code itself is shown, too, and nobody takes it for the words of an LLM.
  expect(details).toMatch(/^ *4 {2}func HandleRefund\(w Writer, r \*Request\) \{$/m);
  expect(details).toContain("no LLM");
});
