/** The rows of a nested run, held against the table of the third design (`messages`, 1.1), column by column. */
import { createPostgresLog } from "@retinue/store/postgres";
import { createSqliteLog } from "@retinue/store/sqlite";
import { startPostgres } from "@retinue/store/testing/postgres";
import type { MessageRow } from "@retinue/store";
import { MESSAGE_COLUMNS } from "@retinue/store";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NestedRun } from "./testing/nested-run.ts";
import { runNested } from "./testing/nested-run.ts";

/** The columns of the design, in its order. */
const DESIGNED = MESSAGE_COLUMNS.slice(0, MESSAGE_COLUMNS.indexOf("metadata_json") + 1);

type Shown = Record<string, unknown>;

/** What a row is called here: its call, its run, or the turn of its run. */
const nameOf = ({ call_id: callId, agent_role: agent, step }: MessageRow): string =>
  callId ?? (step === null ? `${agent}` : `${agent} turn ${step}`);

const show = async ({ rows, readSide }: NestedRun): Promise<Record<string, Shown>> => {
  const names = new Map(rows.map((row) => [row.id, nameOf(row)]));
  const prompts = new Map<string, string>();
  for (const { system_prompt_id: id } of rows)
    if (id !== null) prompts.set(id, (await readSide.systemPrompt(id))?.text.split("\n")[0] ?? "");
  return Object.fromEntries(
    rows.map((row) => {
      const shown: Shown = {};
      for (const column of DESIGNED) if (row[column] !== null) shown[column] = row[column];
      delete shown["id"];
      if (row.parent_message_id !== null) shown["parent_message_id"] = names.get(row.parent_message_id);
      if (row.system_prompt_id !== null) shown["system_prompt_id"] = prompts.get(row.system_prompt_id);
      if (row.tool_calls_json !== null) shown["tool_calls_json"] = JSON.parse(row.tool_calls_json);
      return [nameOf(row), shown];
    }),
  );
};

/** What stands in every row of a kind. Columns that are not named are NULL. */
const any = {
  session_id: expect.stringMatching(/^ses_/),
  started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  completed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  duration_ms: expect.any(Number),
};
const run = (agent: string, depth: number, calls: number, iterations = calls): Shown => ({
  ...any,
  agent_role: agent,
  agent_depth: depth,
  model_id: "scripted/model",
  context_token_count: 110,
  files_modified_json: "[]",
  prompt_tokens: 100 * calls,
  completion_tokens: 10 * calls,
  total_tokens: 110 * calls,
  iteration_count: iterations,
  status: "completed",
  metadata_json: expect.stringContaining('"workspace"'),
});
const turn = (agent: string, depth: number, said: Shown): Shown => ({
  ...any,
  parent_message_id: agent,
  agent_role: agent,
  agent_depth: depth,
  model_id: "scripted/model",
  request_type: "continuation",
  context_token_count: expect.any(Number),
  response_content: "",
  prompt_tokens: 100,
  completion_tokens: 10,
  total_tokens: 110,
  iteration_count: 1,
  status: "completed",
  ...said,
});
const calling = (callId: string, tool: string, written: string): Shown => ({
  tool_calls_json: [{ callId, tool, arguments: written }],
});
const call = (agent: string, depth: number, at: number, how: Shown): Shown => ({
  ...any,
  parent_message_id: `${agent} turn ${at}`,
  agent_role: agent,
  agent_depth: depth,
  request_type: "tool_call",
  iteration_count: 0,
  status: "completed",
  ...how,
});
const failed = (request: string, code: string, message: unknown): Shown => ({
  request_content: request,
  response_content: expect.stringContaining(code),
  status: "failed",
  error_message: message,
});

const TO_EXECUTOR = '{"agent":"executor","task":"build it","context_mode":"full"}';
const TO_REVIEWER = '{"agent":"reviewer","task":"check it","success_criteria":"no bug is left","limits":{"iterations":1}}';
const BUILT = "## Summary\nNothing was written.\n\n## Details\nThe file may not be written.";

const EXPECTED: Record<string, Shown> = {
  main: {
    ...run("main", 0, 3),
    system_prompt_id: expect.stringMatching(/^You are the main agent/),
    request_type: "prompt",
    request_content: "build something",
    response_content: "Built.",
    response_summary: "Built.",
    max_iterations: 50,
    max_duration_ms: 600_000,
  },
  "main turn 1": turn("main", 0, calling("m1", "delegate_to_agent", TO_EXECUTOR)),
  m1: call("main", 0, 1, {
    request_content: TO_EXECUTOR,
    response_content: expect.stringContaining('"status":"completed","agent":"executor"'),
    files_modified_json: "[]",
  }),
  executor: {
    ...run("executor", 1, 7),
    parent_message_id: "m1",
    system_prompt_id: expect.stringMatching(/^You are an executor/),
    request_type: "delegation",
    request_content: "build it",
    context_mode: "full",
    response_content: BUILT,
    response_summary: "Nothing was written.",
    max_iterations: 31,
    max_duration_ms: 300_000,
  },
  "executor turn 1": turn("executor", 1, calling("e1", "read", '{"path":"a.txt"}')),
  e1: call("executor", 1, 1, { request_content: '{"path":"a.txt"}', response_content: expect.stringContaining("one") }),
  "executor turn 2": turn("executor", 1, calling("e2", "read", '{"path":"absent.txt"}')),
  e2: call("executor", 1, 2, failed('{"path":"absent.txt"}', "tool_failed", "absent.txt does not exist.")),
  "executor turn 3": turn("executor", 1, calling("e3", "read", '{"path":7}')),
  e3: call("executor", 1, 3, failed('{"path":7}', "tool_arguments_invalid", expect.stringContaining("expected string"))),
  "executor turn 4": turn("executor", 1, calling("e4", "read", '{"path": ')),
  e4: call("executor", 1, 4, failed('{"path": ', "tool_arguments_not_json", expect.stringContaining("are not JSON"))),
  "executor turn 5": turn("executor", 1, calling("e5", "write", '{"path":"b.txt","content":"b"}')),
  e5: call("executor", 1, 5, failed('{"path":"b.txt","content":"b"}', "act_denied", '"write" was denied: not today')),
  "executor turn 6": turn("executor", 1, calling("e6", "delegate_to_agent", TO_REVIEWER)),
  e6: call("executor", 1, 6, {
    request_content: TO_REVIEWER,
    response_content: expect.stringContaining('"bailoutReason":"max_iterations"'),
    files_modified_json: "[]",
  }),
  reviewer: {
    ...run("reviewer", 2, 2, 1),
    parent_message_id: "e6",
    system_prompt_id: expect.stringMatching(/^You are a reviewer/),
    request_type: "delegation",
    request_content: "check it\n\n## Success criteria\n\nno bug is left",
    context_mode: "none",
    response_content: "I saw one file.",
    response_summary: "I saw one file.",
    max_iterations: 1,
    max_duration_ms: 120_000,
    bailout_reason: "max_iterations",
    error_message: "The run was stopped by its limit iterations: 1 used of 1.",
  },
  "reviewer turn 1": turn("reviewer", 2, calling("r1", "read", '{"path":"a.txt"}')),
  r1: call("reviewer", 2, 1, { request_content: '{"path":"a.txt"}', response_content: expect.stringContaining("one") }),
  "reviewer turn 2": turn("reviewer", 2, { response_content: "I saw one file.", metadata_json: '{"handIn":true}' }),
  "executor turn 7": turn("executor", 1, { response_content: BUILT }),
  "main turn 2": turn("main", 0, calling("m2", "fly", '{"to":"the moon"}')),
  m2: call("main", 0, 2, failed('{"to":"the moon"}', "tool_unknown", expect.stringContaining('There is no tool "fly"'))),
  "main turn 3": turn("main", 0, { response_content: "Built." }),
};

const describeRecords = (name: string, start: () => Promise<NestedRun>): void => {
  describe(`the record of a nested run in ${name}`, () => {
    let nested: NestedRun;
    beforeAll(async () => {
      nested = await start();
    }, 120_000);
    afterAll(async () => nested?.remove());

    test("has the rows of the design, every column of them filled as it says", async () => {
      const shown = await show(nested);
      expect(Object.keys(shown)).toEqual(Object.keys(EXPECTED));
      for (const [row, expected] of Object.entries(EXPECTED)) expect({ row, ...shown[row] }).toEqual({ row, ...expected });
    });

    test("has only words of the design where it lists them, and times that fit", () => {
      for (const row of nested.rows) {
        expect(["prompt", "tool_call", "delegation", "continuation"]).toContain(row.request_type);
        expect(["pending", "running", "completed", "failed", "cancelled", "timeout"]).toContain(row.status);
        expect(row.session_id).toBe(nested.sessionId);
        expect(row.duration_ms).toBeGreaterThanOrEqual(0);
        expect(Date.parse(row.completed_at ?? "")).toBeGreaterThanOrEqual(Date.parse(row.started_at));
      }
    });

    test("is what its events say", async () => {
      expect((await nested.readSide.verify(nested.sessionId)).damage).toEqual([]);
    });
  });
};

describeRecords("SQLite", async () => {
  const folder = await mkdtemp(join(tmpdir(), "retinue-records-"));
  const nested = await runNested(createSqliteLog({ path: join(folder, "record.db") }));
  return {
    ...nested,
    remove: async () => {
      await nested.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
});

describeRecords("PostgreSQL", async () => {
  const postgres = await startPostgres();
  const nested = await runNested(await createPostgresLog({ url: postgres.url }));
  return {
    ...nested,
    remove: async () => {
      await nested.remove();
      await postgres.stop();
    },
  };
});
