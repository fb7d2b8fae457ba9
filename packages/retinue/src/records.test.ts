/** The rows of a nested run, held against the table of the third design, column by column. */
import { createScriptedModel } from "@retinue/model/testing";
import { createMemoryLog } from "@retinue/store";
import { afterAll, describe, expect, test } from "vitest";
import { createProject } from "./cli/testing/spawn-retinue.ts";
import { createRetinue } from "./create-retinue.ts";
import { DEFAULT_SETTINGS } from "./settings/settings.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const runNested = async () => {
  const project = await createProject();
  const model = createScriptedModel(
    ({ system }, answered) => {
      if (!system.startsWith("You are the main agent")) return { text: "## Summary\nTwo steps.\n\n## Details\n1. a\n2. b" };
      if (answered > 1)
        return answered > 2 ? { text: "Planned." } : { toolCalls: [{ tool: "read", arguments: '{"path": 7', callId: "bad" }] };
      const context_mode = answered === 0 ? "full" : "none";
      return {
        toolCalls: [
          {
            tool: "delegate_to_agent",
            input: { agent: "researcher", task: `look ${answered}`, context_mode },
            callId: `c${answered}`,
          },
        ],
      };
    },
    { usage: { input: 100, output: 10 }, contextWindow: 100_000 },
  );
  const retinue = await createRetinue({
    workspace: project.workspace,
    env: { RETINUE_HOME: project.home },
    settings: DEFAULT_SETTINGS,
    store: createMemoryLog(),
    model,
  });
  cleanups.push(project.remove, retinue.close);
  const { sessionId, result } = await retinue.run("plan it");
  await result;
  return { rows: (await retinue.sessions.messages(sessionId, { limit: 100 })).items, sessionId };
};

describe("the record of a nested run", () => {
  test("has every column of the table filled as the design says", async () => {
    const { rows, sessionId } = await runNested();
    const [main] = rows;
    const call = rows.find((row) => row.call_id === "c0");
    const child = rows.find((row) => row.request_type === "delegation" && row.agent_role === "researcher");
    expect(main).toMatchObject({
      session_id: sessionId,
      parent_message_id: null,
      agent_role: "main",
      agent_depth: 0,
      model_id: "scripted/model",
      request_type: "prompt",
      request_content: "plan it",
      response_content: "Planned.",
      iteration_count: 4,
      prompt_tokens: 400,
      completion_tokens: 40,
      total_tokens: 440,
      max_iterations: 50,
      max_duration_ms: 600_000,
      bailout_reason: null,
      status: "completed",
      error_message: null,
    });
    expect(child).toMatchObject({
      session_id: sessionId,
      parent_message_id: call?.id,
      agent_role: "researcher",
      agent_depth: 1,
      request_type: "delegation",
      request_content: "look 0",
      context_mode: "full",
      context_token_count: 110,
      response_content: "## Summary\nTwo steps.\n\n## Details\n1. a\n2. b",
      response_summary: "Two steps.",
      iteration_count: 1,
      total_tokens: 110,
      status: "completed",
    });
    expect(rows.find((row) => row.call_id === "bad")).toMatchObject({
      request_type: "tool_call",
      request_content: '{"path": 7',
      status: "failed",
      error_code: "tool_arguments_not_json",
    });
    for (const row of rows) {
      expect(row.started_at).toMatch(/^\d{4}-\d\d-\d\dT/);
      expect(row.completed_at).not.toBeNull();
      expect(row.duration_ms).toBeGreaterThanOrEqual(0);
      expect(["pending", "running", "completed", "failed", "cancelled", "timeout"]).toContain(row.status);
      expect(["prompt", "tool_call", "delegation", "continuation"]).toContain(row.request_type);
    }
  });

  test("has one id for the prompt of a role, whatever its runs were told to do", async () => {
    const { rows } = await runNested();
    const ids = rows
      .filter((row) => row.agent_role === "researcher" && row.request_type === "delegation")
      .map((row) => row.system_prompt_id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).not.toBe(rows[0]?.system_prompt_id);
  });
});
