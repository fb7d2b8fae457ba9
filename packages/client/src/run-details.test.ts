/** What a view tells of a run besides its state: steps and their words, calls, messages, limits, plan, worktree, errors. */
import { describe, expect, test } from "vitest";
import type { RetinueEvent } from "@retinue/protocol";
import { toCallDuration } from "./call-duration.ts";
import { createSessionView } from "./create-session-view.ts";
import { toLimitUses } from "./limit-uses.ts";
import type { RunView } from "./session-view.ts";
import { createEventSource } from "./testing/index.ts";

const open = () => {
  const source = createEventSource();
  const store = createSessionView("ses_a");
  const main = source.run("run_1");
  const run = (): RunView => {
    const found = store.view.runs.get("run_1");
    if (found === undefined) throw new Error("the run is not in the view");
    return found;
  };
  const hear = (...events: readonly RetinueEvent[]): readonly string[] => events.map(store.apply);
  hear(main.requested(), main.started());
  return { source, main, run, hear, view: store.view };
};

describe("words", () => {
  test("what is streamed is shown until the recorded answer takes its place", () => {
    const { main, run, hear } = open();
    hear(main.asked(1), main.live({ type: "model.delta", step: 1, kind: "reasoning", text: "Hm." }));
    hear(
      main.live({ type: "model.delta", step: 1, kind: "text", text: "I lo" }),
      main.live({ type: "model.delta", step: 1, kind: "text", text: "ok" }),
    );
    hear(main.live({ type: "model.delta", step: 1, kind: "tool-input", text: '{"pa' }));
    expect(run().steps).toMatchObject([{ state: "asked", text: "I look", reasoning: "Hm.", toolInput: '{"pa' }]);
    hear(main.answered(1, "I looked.", { c1: "read" }));
    expect(run().steps).toMatchObject([
      { state: "answered", text: "I looked.", reasoning: "", toolInput: "", calls: [{ callId: "c1" }] },
    ]);
    expect(hear(main.live({ type: "model.delta", step: 1, kind: "text", text: "late" }))).toEqual(["late"]);
    expect(run().steps[0]?.text).toBe("I looked.");
  });

  test("a retry voids what was streamed and is told until words come again", () => {
    const { main, run, hear } = open();
    const error = { code: "model_overloaded", message: "busy" } as const;
    hear(main.asked(1), main.live({ type: "model.delta", step: 1, kind: "text", text: "I lo" }));
    hear(main.live({ type: "model.retrying", step: 1, model: "test/model", attempt: 2, waitMs: 500, error }));
    expect(run().steps).toMatchObject([{ text: "", retrying: { attempt: 2, waitMs: 500, error } }]);
    hear(main.live({ type: "model.delta", step: 1, kind: "text", text: "Again" }));
    expect(run().steps).toMatchObject([{ text: "Again", retrying: null }]);
  });

  test("a fallback is asked in the same step, and what failed is kept", () => {
    const { main, run, hear } = open();
    const error = { code: "model_overloaded", message: "busy" } as const;
    hear(main.asked(1), main.live({ type: "model.delta", step: 1, kind: "text", text: "I lo" }));
    hear(
      main.say({ type: "model.failed", step: 1, model: "test/model", error, next: "test/other" }),
      main.asked(1, { model: "test/other" }),
    );
    expect(run()).toMatchObject({ model: "test/other", errors: [{ from: "model", name: "test/model", error }] });
    expect(run().steps).toMatchObject([{ state: "asked", model: "test/other", text: "", failures: [{ next: "test/other" }] }]);
    hear(main.say({ type: "model.failed", step: 1, model: "test/other", error, next: null }));
    expect(run().steps).toMatchObject([{ state: "failed" }]);
  });

  test("a live event of a run that was not seen is dropped", () => {
    const { source, hear, view } = open();
    expect(hear(source.run("run_9").live({ type: "model.delta", step: 1, kind: "text", text: "x" }))).toEqual(["late"]);
    expect(view.runs.has("run_9")).toBe(false);
  });
});

describe("calls", () => {
  test("a call tells its input, how far it is, its outcome, artifact, time and what it spent", () => {
    const { main, run, hear } = open();
    hear(
      main.asked(1),
      main.answered(1, "", { c1: "shell" }),
      main.toolStarted("c1", "shell", { input: { command: "ls" }, effect: "execute" }),
    );
    hear(
      main.live({ type: "tool.progress", callId: "c1", text: "one" }),
      main.live({ type: "tool.progress", callId: "c1", text: "two" }),
    );
    expect(run().calls.get("c1")).toMatchObject({
      state: "running",
      input: { command: "ls" },
      arguments: "{}",
      step: 1,
      progress: "two",
    });
    const artifact = { artifactId: "art_1", chars: 10, lines: 2 } as const;
    const spent = { usage: { input: 7, output: 3, cached: 0, reasoning: 0 }, costUsd: null };
    hear(main.toolSettled("c1", "shell", { artifact, spent, sandbox: "bwrap 0.8", files: { modified: ["a"], created: [] } }));
    const call = run().calls.get("c1");
    expect(call).toMatchObject({
      state: "settled",
      outcome: "ok",
      artifact,
      sandbox: "bwrap 0.8",
      progress: "",
      files: { modified: ["a"] },
    });
    expect(call && toCallDuration(call)).toBe(1000);
    expect(run().steps[0]?.calls[0]).toBe(call);
    expect(run().own).toMatchObject({ toolCalls: 1, unpricedCalls: 1, usage: { input: 107, output: 13 } });
    expect(hear(main.live({ type: "tool.progress", callId: "c1", text: "late" }))).toEqual(["late"]);
  });

  test("a call of our own counts as none of the model's", () => {
    const { main, run, hear } = open();
    hear(main.toolStarted("a1", "shell", { aside: "accept" }), main.toolSettled("a1", "shell", { aside: "accept" }));
    expect(run()).toMatchObject({ own: { toolCalls: 0 }, steps: [] });
    expect(run().calls.get("a1")).toMatchObject({ aside: "accept", outcome: "ok" });
  });

  test("the list of the todo tool is the one that was last given", () => {
    const { main, run, hear } = open();
    expect(run().todo).toBeNull();
    const items = [
      { text: "read", status: "completed" },
      { text: "write", status: "in_progress" },
    ] as const;
    hear(
      main.toolStarted("c1", "todo", { input: { items: [{ text: "read", status: "pending" }] } }),
      main.toolSettled("c1", "todo"),
    );
    hear(main.toolStarted("c2", "todo", { input: { items } }), main.toolSettled("c2", "todo"));
    hear(main.toolStarted("c3", "todo", { input: { items: [] } }), main.toolSettled("c3", "todo", { outcome: "error" }));
    hear(main.toolStarted("c4", "todo", { input: { other: 1 } }), main.toolSettled("c4", "todo"));
    expect(run().todo).toEqual(items);
  });
});

describe("what others say", () => {
  test("a message that was taken back is queued no more; one that was on its way by then is delivered", () => {
    const { main, run, hear } = open();
    const content = [{ type: "text", text: "Be brief." }] as const;
    for (const messageId of ["msg_1", "msg_2"] as const) {
      hear(main.say({ type: "message.received", messageId, from: "human", content }));
      hear(main.say({ type: "message.withdrawn", messageId }));
    }
    expect(run().queuedMessages.size).toBe(0);
    hear(main.say({ type: "message.delivered", messageIds: ["msg_2"] }));
    expect(run().messages.map(({ withdrawnAt, deliveredAt }) => [withdrawnAt !== null, deliveredAt !== null])).toEqual([
      [true, false],
      [true, true],
    ]);
  });

  test("a message is queued until it is delivered; one without an id never was", () => {
    const { main, run, hear } = open();
    const content = [{ type: "text", text: "hello" }] as const;
    hear(
      main.say({ type: "message.received", messageId: "msg_1", from: "human", content, source: { via: "command", user: "ada" } }),
    );
    hear(main.say({ type: "message.received", messageId: "msg_2", from: "run_9", content }));
    hear(main.say({ type: "message.received", from: "human", content }));
    expect([...run().queuedMessages.keys()]).toEqual(["msg_1", "msg_2"]);
    hear(main.say({ type: "message.delivered", messageIds: ["msg_1"] }));
    expect([...run().queuedMessages.keys()]).toEqual(["msg_2"]);
    expect(run().messages.map(({ deliveredAt }) => deliveredAt !== null)).toEqual([true, false, true]);
    expect(run().messages[0]?.source).toEqual({ via: "command", user: "ada" });
  });

  test("requests to stop are told with their reason and who made them", () => {
    const { main, run, hear } = open();
    hear(
      main.say({ type: "cancel.requested", finish: true, reason: "late", source: { via: "library" } }),
      main.say({ type: "cancel.requested" }),
    );
    expect(run().cancelRequests).toMatchObject([
      { reason: "late", isFinish: true, source: { via: "library" } },
      { reason: null, isFinish: false, source: null },
    ]);
  });
});

test("limits tell what was used and what remains, of the run and of its tree", () => {
  const { source, main, run, hear } = open();
  const child = source.run("run_2", main.identity);
  hear(main.asked(1), main.answered(1, "", { c1: "delegate_to_agent" }), main.toolStarted("c1", "delegate_to_agent"));
  hear(child.requested({ parentCallId: "c1" }), child.started(), child.asked(1), child.answered(1, "", { d1: "read" }));
  hear(
    child.toolStarted("d1", "read"),
    child.toolSettled("d1", "read"),
    child.settled(),
    main.toolSettled("c1", "delegate_to_agent"),
  );
  expect(toLimitUses(run())).toEqual([
    { limit: "iterations", of: "run", used: 1, max: 5, remaining: 4 },
    { limit: "tokens", of: "run", used: 220, max: 1000, remaining: 780 },
    { limit: "toolCalls", of: "tree", used: 2, max: 10, remaining: 8 },
  ]);
});

test("a shortened context costs what its summary cost", () => {
  const { main, run, hear } = open();
  hear(main.asked(1, { estimatedTokens: 900 }));
  const summary = {
    from: 1,
    to: 3,
    text: "short",
    model: "m/cheap",
    usage: { input: 30, output: 5, cached: 0, reasoning: 0 },
    costUsd: 0.5,
  };
  hear(main.say({ type: "context.fitted", cleared: [], summary, beforeTokens: 900, afterTokens: 300, limitTokens: 800 }));
  expect(run()).toMatchObject({ contextTokens: 300, own: { costUsd: 0.5, usage: { input: 30 }, modelCalls: 0 } });
});

test("a worktree is told from its request to its merge", () => {
  const { source, hear, view } = open();
  const worker = source.run("run_2");
  const request = worker.requested();
  if (request.type !== "run.requested") throw new Error("no request");
  const states: unknown[] = [];
  const error = { code: "worktree_unavailable", message: "no git" } as const;
  const merge = { created: ["a"], modified: [], deleted: [], conflicts: [], ref: null };
  for (const event of [
    { ...request, spec: { ...request.spec, worktree: { folder: "/w", of: "/workspace" } } },
    worker.say({ type: "worktree.made", base: "abc" }),
    worker.say({ type: "worktree.merging", commit: "def", changes: [], conflicts: [] }),
    worker.say({ type: "worktree.merged", ...merge }),
    worker.say({ type: "worktree.refused", error }),
  ]) {
    hear(event);
    states.push(view.runs.get("run_2")?.worktree?.state);
  }
  expect(states).toEqual(["requested", "made", "merging", "merged", "refused"]);
  expect(view.runs.get("run_2")).toMatchObject({
    worktree: { folder: "/w", of: "/workspace", base: "abc", merging: { commit: "def" }, merged: merge },
    errors: [{ from: "worktree", error }],
  });
});

test("a settled run tells its result, warnings and error", () => {
  const { main, run, hear } = open();
  const error = { code: "model_empty_answer", message: "nothing" } as const;
  hear(main.settled({ status: "failed", warnings: ["careful"], error }));
  expect(run()).toMatchObject({
    warnings: ["careful"],
    errors: [{ from: "run", name: "main", error }],
    result: { status: "failed" },
  });
  expect(run().endedAt).not.toBeNull();
});
