/** Calls that a host makes itself, in the tree of `messages`: read back from SQLite, beside the runs of agents. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createSqliteLog } from "@retinue/store/sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Retinue, RetinueStore, RunId, SessionId } from "../index.ts";
import { createRetinue } from "../index.ts";
import type { ScriptedModel } from "./testing.ts";
import { createScriptedModel } from "./testing.ts";

let workspace: string;
let store: RetinueStore;
let retinue: Retinue;
const open = async (model: ScriptedModel = createScriptedModel([])): Promise<Retinue> => {
  const env = {
    PATH: process.env["PATH"],
    HOME: workspace,
    RETINUE_HOME: path.join(workspace, "home"),
    SHOP_TOKEN: "sk-quince-4711-quince",
  };
  return (retinue = await createRetinue({ model, workspace, env, store, secrets: ["sk-quince-4711-quince"] }));
};
beforeEach(async () => {
  workspace = await realpath(await mkdtemp(path.join(tmpdir(), "retinue-recording-")));
  store = createSqliteLog({ path: path.join(workspace, "retinue.db") });
});
afterEach(async () => {
  await retinue.close();
  await store.close();
  await rm(workspace, { recursive: true, force: true });
});

const rowOf = async (id: number) => store.readSide.message(id);
const sessionOf = async (id: number) => (await rowOf(id))?.session_id as SessionId;
const runOf = async (id: number) => (await rowOf(id))?.run_id as RunId;

test("a call is running from its start, and has its answer, files, tokens and duration when it is completed", async () => {
  await open();
  const id = await retinue.startMessage({
    agentRole: "main",
    requestContent: "Add authentication",
    modelId: "acme/large",
    systemPrompt: "You are the host's own agent.",
    contextMode: "full",
    maxIterations: 5,
    maxDurationMs: 60_000,
  });
  expect(await rowOf(id)).toMatchObject({
    status: "running",
    request_type: "prompt",
    request_content: "Add authentication",
    agent_role: "main",
    agent_depth: 0,
    model_id: "acme/large",
    context_mode: "full",
    max_iterations: 5,
    max_duration_ms: 60_000,
    parent_message_id: null,
    completed_at: null,
  });
  await retinue.completeMessage(id, {
    responseContent: "Done, with sk-quince-4711-quince.",
    responseSummary: "Done.",
    toolCalls: [{ callId: "c1", tool: "edit_file", arguments: "{}" }],
    filesModified: ["a.ts"],
    filesCreated: ["b.ts"],
    promptTokens: 100,
    completionTokens: 20,
    iterationCount: 3,
    costUsd: 0.5,
  });
  const row = await rowOf(id);
  expect(row).toMatchObject({
    status: "completed",
    response_summary: "Done.",
    files_modified_json: '["a.ts","b.ts"]',
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    iteration_count: 3,
    completed_at: expect.any(String),
    duration_ms: expect.any(Number),
    cost_usd: 0.5,
  });
  expect(row?.response_content).toMatch(/^Done, with /);
  expect(row?.response_content).not.toContain("quince");
  expect((await store.readSide.systemPrompt(row?.system_prompt_id ?? ""))?.text).toBe("You are the host's own agent.");
  const [call] = (await store.readSide.children(id)).items;
  expect(call).toMatchObject({
    request_type: "continuation",
    model_id: "acme/large",
    tool_calls_json: expect.stringContaining("edit_file"),
  });
  const session = await store.readSide.session(await sessionOf(id));
  expect(session).toMatchObject({ status: "completed", promptTokens: 100, costUsd: 0.5, title: "Add authentication" });
  expect((await store.readSide.verify()).damage).toEqual([]);
  expect(await retinue.verify(await sessionOf(id))).toMatchObject({ divergence: null });
});

test("a call below another is a delegation, and one that fails says why", async () => {
  await open();
  const parent = await retinue.startMessage({ agentRole: "main", requestContent: "Build it" });
  const child = await retinue.startMessage({ agentRole: "coder", requestContent: "Write it", parentMessageId: parent });
  const late = await retinue.startMessage({ agentRole: "tester", requestContent: "Test it", parentMessageId: child });
  await retinue.failMessage(late, { message: "It took too long.", status: "timeout" });
  await retinue.failMessage(child, "The provider said no.");
  await retinue.completeMessage(parent, { responseContent: "It failed." });
  expect(await rowOf(child)).toMatchObject({
    request_type: "delegation",
    agent_depth: 1,
    parent_message_id: parent,
    status: "failed",
    error_message: "The provider said no.",
    bailout_reason: "error",
  });
  expect(await rowOf(late)).toMatchObject({
    agent_depth: 2,
    parent_message_id: child,
    status: "timeout",
    bailout_reason: "timeout",
  });
  const [tree] = await store.readSide.tree(await sessionOf(parent));
  expect(tree).toMatchObject({ agent: "main", children: [{ agent: "coder", children: [{ agent: "tester" }] }] });
});

test("a session of agents and one of the host go on with each other", async () => {
  await open(
    createScriptedModel([
      { text: "Hello." },
      { expect: ({ messages }) => expect(JSON.stringify(messages)).toContain("The host knows: 42."), text: "42, as you said." },
    ]),
  );
  const { sessionId, result } = await retinue.run("hello");
  await result;
  const id = await retinue.startMessage({ sessionId, agentRole: "host", requestContent: "What is it?" });
  await retinue.completeMessage(id, { responseContent: "The host knows: 42." });
  expect((await (await retinue.run("What was it?", { sessionId })).result).details).toBe("42, as you said.");
  expect(await retinue.verify(sessionId)).toMatchObject({ divergence: null });
});

test("nobody resumes a call of a host, and another process can end it", async () => {
  await open();
  const id = await retinue.startMessage({ agentRole: "main", requestContent: "Build it" });
  await expect(retinue.resume(await runOf(id), { takeOver: true })).rejects.toMatchObject({ code: "run_of_host" });
  const again = await retinue.startMessage({ agentRole: "main", requestContent: "Once more" });
  await retinue.completeMessage(again, { responseContent: "Done." });
  expect((await (await retinue.resume(await runOf(again))).result).details).toBe("Done.");

  // The process that started it is gone.
  await retinue.close();
  await store.close();
  store = createSqliteLog({ path: path.join(workspace, "retinue.db") });
  await open();
  await retinue.completeMessage(id, { responseContent: "Done." });
  expect(await rowOf(id)).toMatchObject({ status: "completed", response_content: "Done." });
  await expect(retinue.completeMessage(id, { responseContent: "Again." })).rejects.toMatchObject({ code: "run_settled" });
  await expect(retinue.failMessage(999_999, "x")).rejects.toMatchObject({ code: "message_unknown" });
  await expect(retinue.startMessage({ agentRole: "a", requestContent: "b", sessionId: "ses_none" })).rejects.toMatchObject({
    code: "session_unknown",
  });
});

test("a row of an agent is not the host's to end", async () => {
  await open(createScriptedModel([{ text: "Hello." }]));
  const { sessionId, result } = await retinue.run("hello");
  await result;
  const [row] = (await store.readSide.messages(sessionId)).items;
  await expect(retinue.completeMessage(row?.id ?? 0, { responseContent: "Mine." })).rejects.toMatchObject({
    code: "message_unknown",
  });
});
