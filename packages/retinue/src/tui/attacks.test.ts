/** F1 to F7: whatever a model, a file, a tool or an agent is named or says, the terminal is sent nothing but what we draw. */
import { createSessionView, type SessionView } from "@retinue/client";
import { createEventSource } from "@retinue/client/testing";
import type { Json, RetinueEvent } from "@retinue/protocol";
import { afterEach, expect, test } from "vitest";
import { FORBIDDEN, SEQUENCES } from "../terminal/testing/terminal-attacks.ts";
import type { CaseResult } from "@retinue/protocol/test-case";
import { drawCase } from "./command/test-command.ts";
import { drawTree } from "./draw/agent-tree.ts";
import { drawHeader } from "./draw/header-line.ts";
import { drawInput } from "./draw/input-box.ts";
import { drawQuestion } from "./draw/question-card.ts";
import { drawDetails } from "./draw/run-details.ts";
import { nameRuns } from "./draw/run-names.ts";
import { textOf } from "./input/text-editor.ts";
import { toNotification, toTitle } from "./screen/notify.ts";
import { encodeRow, type Row } from "./screen/row.ts";
import { createTranscript } from "./session/transcript.ts";
import { call, ENTER, playTui, type Played } from "./testing/play-tui.ts";

const plain = (text: string): string => text;

/** Our own codes of colour are taken away; nothing else is. */
// oxlint-disable-next-line no-control-regex
const withoutStyle = (bytes: string): string => bytes.replace(/\u001b\[(?:[0-9]{1,3}(?:;[0-9]{1,3})*)m/g, "");

const expectHarmless = (rows: readonly Row[]): void => {
  for (const one of rows) expect(withoutStyle(encodeRow(one, "256"))).not.toMatch(FORBIDDEN);
};

const approvalOf = (view: SessionView) => {
  const [approval] = view.approvals.values();
  if (!approval) throw new Error("no question");
  return approval;
};

/** A session in which everything that can carry a name or a text carries the attack. */
const attacked = (evil: string): { readonly view: SessionView; readonly rows: readonly Row[] } => {
  const source = createEventSource();
  const main = source.run("run_main", undefined, "main");
  const child = source.run("run_child", main.identity, `agent ${evil}`);
  const input: Json = { path: `src/${evil}.ts`, content: evil, command: evil };
  const store = createSessionView(source.sessionId);
  const transcript = createTranscript({ width: () => 79, secrets: () => [], redact: plain, kind: "conversation" });
  const rows: Row[] = [];
  const take = (event: RetinueEvent): void => {
    store.apply(event);
    rows.push(...transcript.take(event, store.view), ...transcript.tail());
  };
  take(main.requested({ task: [{ type: "text", text: evil }] }));
  take(main.started());
  take(main.asked(1, { model: `model/${evil}` }));
  // Split at every unit.
  for (const unit of `<${evil.slice(0, 80)}>`.split(""))
    take(main.live({ type: "model.delta", step: 1, kind: "text", text: unit }));
  take(
    main.answered(
      1,
      `<${evil.slice(0, 80)}>\n\n| ${evil.slice(0, 80)} |\n|---|\n| x |\n\n\`\`\`ts\nconst a = "${evil}"; // ${evil}\n\`\`\``,
      {
        a: "write",
        b: "delegate_to_agent",
      },
    ),
  );
  take(main.toolStarted("a", `tool ${evil}`, { input }));
  take(main.live({ type: "tool.progress", callId: "a", text: evil }));
  take(
    main.toolSettled("a", `tool ${evil}`, {
      outcome: "error",
      error: { code: "tool_failed", message: evil },
      content: [{ type: "text", text: evil }],
    }),
  );
  take(main.toolStarted("b", "delegate_to_agent", { input }));
  take(child.requested({ task: [{ type: "text", text: evil }], parentCallId: "b" }));
  take(child.started());
  take(child.asked(1));
  take(child.answered(1, evil, { c: "write" }));
  take(
    child.say({
      type: "approval.requested",
      approvalId: "apr_1",
      hash: "h",
      act: { callId: "c", tool: `write${evil}`, effect: "write", input, paths: [`/w/${evil}`], hosts: [evil], unsandboxed: evil },
    }),
  );
  const names = nameRuns(store.view.roots);
  const approval = approvalOf(store.view);
  const question = { type: "approval", id: approval.approvalId, approval } as const;
  for (const width of [40, 79])
    for (const isOpen of [true, false]) {
      const shown = { question, isOpen, place: 1, count: 2, reason: undefined };
      const card = { path: names.get("run_child") ?? "", rule: undefined, redact: plain, width, mostRows: 30 };
      rows.push(...drawQuestion({ ...card, shown, diff: `--- ${evil}\n+++ ${evil}\n+${evil}` }));
      rows.push(...drawQuestion({ ...card, shown, diff: undefined }));
      const ask = { type: "ask", id: "q", text: evil, options: [evil, evil], settle: () => undefined } as const;
      rows.push(...drawQuestion({ ...card, shown: { ...shown, question: ask }, diff: undefined }));
    }
  const review = { at: 2, remarks: new Map([[2, evil]]), typing: textOf(evil.slice(0, 200)) };
  const reviewed = { question, isOpen: true, place: 1, count: 1, reason: undefined };
  for (const one of [review, { ...review, typing: undefined }])
    rows.push(
      ...drawQuestion({
        path: names.get("run_child") ?? "",
        rule: undefined,
        redact: plain,
        width: 40,
        mostRows: 12,
        shown: reviewed,
        diff: `--- a/${evil}.ts\n+++ b/${evil}.ts\n@@ -1,1 +1,1 @@\n+const x = "${evil}"; // ${evil}`,
        review: one,
      }),
    );
  rows.push(...drawCase(toEvilCase(evil), plain, 79));
  for (const run of store.view.runs.values()) rows.push(...drawDetails(run, { names, redact: plain, now: 0, width: 60 }));
  rows.push(
    ...drawTree({ roots: store.view.roots, names, now: 0, width: 79, mostRows: 20, folds: new Map(), lastEventAt: () => 0 }).rows,
    drawHeader({ project: evil, model: evil, spent: undefined, others: 0, isWorking: true, waiting: 1, width: 79 }),
    ...drawInput({ edited: textOf(evil.slice(0, 200)), prompt: "›", hint: "", width: 79, mostRows: 8 }).rows,
  );
  take(child.say({ type: "approval.answered", approvalId: "apr_1", allowed: false, scope: "once", reason: evil }));
  take(child.settled({ summary: evil, details: evil, filesModified: [evil] }));
  take(main.asked(2));
  take(main.answered(2, evil));
  take(
    main.settled({
      summary: evil,
      details: evil,
      filesModified: [evil],
      status: "failed",
      error: { code: "tool_failed", message: evil },
    }),
  );
  return { view: store.view, rows };
};

/** A test case all of whose words carry the attack. */
const toEvilCase = (evil: string): CaseResult => ({
  id: evil,
  title: evil,
  file: evil,
  tags: [evil],
  verdict: "fail",
  reason: evil,
  flaky: false,
  healed: false,
  attempt: 1,
  sessionId: null,
  steps: [
    {
      number: 1,
      action: evil,
      expected: evil,
      verdict: "fail",
      reason: evil,
      said: "fail",
      attempts: 1,
      recovered: false,
      checks: [],
      evidence: [],
      screenshots: [],
      healed: [],
      runs: [],
      durationMs: 1,
    },
  ],
  summary: evil,
  durationMs: 1,
  iterations: 0,
  toolCalls: 0,
  usage: { input: 0, output: 0, cached: 0, reasoning: 0 },
  costUsd: 0,
  problems: [evil],
});

test.each(SEQUENCES)("%s %s reaches the terminal nowhere: text, names, paths, output, reasons", (_id, _name, sequence) => {
  expectHarmless(attacked(sequence.slice(0, 400)).rows);
});

test.each(SEQUENCES)("F2 %s %s leaves neither title nor notification early", (_id, _name, sequence) => {
  for (const sent of [toTitle(sequence, 1), toNotification(sequence, "osc9"), toNotification(sequence, "osc777")])
    expect(sent.slice(2, -1)).not.toMatch(FORBIDDEN);
});

let open: Played | undefined;
afterEach(() => open?.close());

/** Everything that we send ourselves: cursor, erasing, modes, colour, title. */
// oxlint-disable-next-line no-control-regex
const OURS = /\u001b\[(?:\?(?:25|1004|2004|2026)[hl]|>4;[01]m|[0-9]*[ABCJK]|[0-9;]*m)|\u001b\]0;[^\u0007\u001b]*\u0007|\r\n|\r/g;

test("F7 all of them at once, streamed unit by unit by a model that then writes a file of such a name, leave only our own codes", async () => {
  const evil = SEQUENCES.map(([, , sequence]) => sequence.slice(0, 60)).join("\n");
  open = await playTui({
    script: [
      { text: evil, chunkSize: 1, toolCalls: [call("w", "write", { path: `src/${evil.slice(0, 200)}`, content: evil })] },
      { text: "End." },
    ],
  });
  await open.press("go", ENTER);
  await open.until("End.");
  expect(open.bytes().replace(OURS, "").replaceAll("\n", "")).not.toMatch(FORBIDDEN);
});
