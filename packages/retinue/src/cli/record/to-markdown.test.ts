import { createEventSource } from "@retinue/client/testing";
import type { EventDraft, RecordedEvent } from "@retinue/protocol";
import { NO_USAGE } from "@retinue/protocol";
import type { SessionExport } from "@retinue/store";
import { createMemoryLog } from "@retinue/store";
import { expect, test } from "vitest";
import { toMarkdown } from "./to-markdown.ts";

const MAIN = { sessionId: "ses_a", runId: "run_main", parentRunId: null, depth: 0, agent: "main" } as const;
const AT = { at: "2026-11-15T22:00:00.000Z" } as const;

const SPEC = {
  system: "",
  model: "m/x",
  fallbacks: [],
  tools: [],
  limits: {},
  treeLimits: {},
  grant: { tools: [], writes: [], hosts: [], approve: "ask", maxDepth: 3 },
  delegates: [],
  workspace: "/w",
} as const;

const DIFF = "Edited a.ts (1 replacement).\n--- a/a.ts\n+++ b/a.ts\n@@ -1,1 +1,1 @@\n-old\n+new";

/** Events of every kind that no short session has. */
const DRAFTS: readonly EventDraft[] = [
  { ...MAIN, ...AT, type: "run.requested", task: [{ type: "text", text: "change it" }], spec: SPEC },
  { ...MAIN, ...AT, type: "run.started", epoch: 1, resumed: true },
  {
    ...MAIN,
    ...AT,
    type: "model.answered",
    step: 1,
    model: "m/x",
    content: [
      { type: "reasoning", text: "Hm." },
      { type: "tool-call", callId: "c1", tool: "edit", arguments: "{}" },
      { type: "tool-call", callId: "c2", tool: "look", arguments: "not json" },
      { type: "tool-call", callId: "c3", tool: "shell", arguments: "{}" },
    ],
    finishReason: "tool-calls",
    usage: { ...NO_USAGE, input: 10, output: 2 },
    costUsd: null,
    activeMs: 5,
  },
  {
    ...MAIN,
    ...AT,
    type: "approval.requested",
    approvalId: "apr_1",
    act: { callId: "c1", tool: "edit", effect: "write", input: { path: "a.ts" }, paths: [], hosts: [] },
    hash: "h",
  },
  { ...MAIN, ...AT, type: "approval.answered", approvalId: "apr_1", allowed: true, scope: "once" },
  {
    ...MAIN,
    ...AT,
    type: "tool.started",
    callId: "c1",
    tool: "edit",
    input: { path: "a.ts" },
    effect: "write",
    repeatable: false,
  },
  {
    ...MAIN,
    ...AT,
    type: "tool.settled",
    callId: "c1",
    tool: "edit",
    outcome: "ok",
    content: [{ type: "text", text: DIFF }],
    files: { modified: ["a.ts"], created: [] },
    activeMs: 7,
  },
  {
    ...MAIN,
    ...AT,
    type: "tool.settled",
    callId: "c2",
    tool: "look",
    outcome: "ok",
    content: [
      { type: "image", mediaType: "image/png", data: "AAAA" },
      { type: "image", mediaType: "image/png) <b>", data: "AAAA" },
    ],
    artifact: { artifactId: "art_1", chars: 9, lines: 1 },
    activeMs: 8,
  },
  { ...MAIN, ...AT, type: "message.received", from: "human", content: [{ type: "text", text: "hurry" }] },
  { ...MAIN, ...AT, type: "limit.reached", limit: "iterations", used: 1, max: 1 },
  {
    ...MAIN,
    ...AT,
    type: "tool.started",
    callId: "c3",
    tool: "shell",
    input: { command: "a\nb" },
    effect: "execute",
    repeatable: false,
  },
];

const exported = (): SessionExport => {
  const log = createMemoryLog();
  log.append(DRAFTS.slice(0, 1));
  const lease = log.lease("run_main");
  log.append(DRAFTS.slice(1), lease);
  const events: readonly RecordedEvent[] = log.read("ses_a");
  return {
    format: "retinue-session",
    version: 1,
    session: {
      sessionId: "ses_a",
      number: 1,
      title: "change it",
      agent: "main",
      model: "m/x",
      workspace: "/w",
      status: "running",
      createdAt: AT.at,
      updatedAt: AT.at,
      runCount: 1,
      messageCount: 3,
      promptTokens: 10,
      completionTokens: 2,
      cachedTokens: 0,
      reasoningTokens: 0,
      costUsd: 0,
      unpricedCalls: 1,
      headSeq: events.length,
      headHash: "",
      importedAt: null,
    },
    events,
    messages: [],
    artifacts: [{ artifactId: "art_1", text: "full text" }],
    damage: { sessionId: "ses_a", seq: 12, what: "its hash is wrong" },
  };
};

test("diffs, images, approvals, messages, limits, open calls, artifacts and damage stand in the document", () => {
  const text = toMarkdown(exported());
  for (const part of [
    "- **damaged** at event #12: its hash is wrong. What follows verified.",
    "- **main** (#1): not ended",
    "**Resumed** (#2)",
    "*Thoughts:*\n\n> Hm.",
    "**Asked** (#4): `edit path=a.ts`",
    "**Allowed, once** (#5)",
    `\`\`\`diff\n${DIFF}\n\`\`\``,
    "Files modified: `a.ts`",
    "### look: ok (#8)\n\n```\nnot json\n```",
    "![image](data:image/png;base64,AAAA)",
    "(an image of type image/png) &lt;b>)",
    "The full output (1 line) is `art_1` below.",
    "**Heard from `human`** (#9):\n\n> hurry",
    "**Limit reached** (#10): iterations, 1 of 1",
    "### shell: under way where the record ends (#11)\n\n`command`:\n\n```\na\nb\n```",
    "## Artifacts\n\n### `art_1`\n\n```\nfull text\n```",
  ])
    expect(text).toContain(part);
});

test("runs below stand in the call that they are the body of, and the tree tells own and inclusive sums", () => {
  const source = createEventSource("ses_a");
  const main = source.run("run_1");
  const child = source.run("run_2", main.identity, "coder");
  const events = [
    main.requested(),
    main.started(),
    main.answered(1, "I ask.", { c1: "delegate_to_agent" }),
    main.toolStarted("c1", "delegate_to_agent", { input: { agent: "coder" } }),
    child.requested({ parentCallId: "c1" }),
    child.answered(1, "Coded."),
    child.settled(),
    main.toolSettled("c1", "delegate_to_agent"),
    main.settled(),
  ];
  const text = toMarkdown({ ...exported(), events, artifacts: [], damage: null });
  expect(text).toContain("- 200 tokens in, 20 out, $0.50\n");
  expect(text).toMatch(/^- \*\*main\*\* \(#1\): completed in .*; with 1 run below: 200 tokens in, 20 out, \$0\.50$/m);
  expect(text).toMatch(/^ {2}- \*\*coder\*\* \(#5\): completed in [^;]*$/m);
  const places = [
    "### delegate_to_agent: ok (#8)",
    "#### coder: task (#5)",
    "#### coder: completed (#7)",
    "### delegate_to_agent: result (#8)",
  ].map((part) => text.indexOf(`${part}\n`));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(places).not.toContain(-1);
  expect(text.split("coder: task")).toHaveLength(2);
});
