/** A project with the roles file of the third design, word for word: who works, with which model, how long and how deep, seen at the models' server and in the record. */
import type { MockReply } from "@retinue/model/testing";
import type { MessageRow } from "@retinue/store";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callRetinue } from "./cli/testing/call-retinue.ts";
import type { MockProject } from "./cli/testing/mock-project.ts";
import { call, createMockProject } from "./cli/testing/mock-project.ts";
import type { Ended } from "./cli/testing/spawn-retinue.ts";
import { toEnvironment } from "./cli/testing/spawn-retinue.ts";
import { createRetinue } from "./create-retinue.ts";

const FIXTURE = join(import.meta.dirname, "../../agents/fixtures/agent-roles");

/** The summary of the design: model, iterations, duration, and whom the role may hand work to. */
const ROLES = {
  main: ["qwen/qwen3-coder-30b", 50, 600_000, "planner, coder, tester, reviewer, debugger"],
  coder: ["qwen/qwen3-coder-30b", 30, 300_000, "tester"],
  tester: ["deepseek-chat", 20, 180_000, "nobody"],
  reviewer: ["anthropic/claude-opus-4.5", 10, 120_000, "nobody"],
  planner: ["deepseek-reasoner", 15, 180_000, "coder, tester, reviewer"],
  debugger: ["qwen/qwen3-coder-30b", 25, 240_000, "nobody"],
} as const;

const delegate = (role: string, task: string): MockReply => ({ toolCalls: [call("delegate_to_agent", { role, task })] });

/** By role and depth. */
const TURNS: Readonly<Record<string, readonly MockReply[]>> = {
  "main 0": [
    delegate("coder", "Create the JWT middleware"),
    delegate("planner", "Plan the token refresh"),
    { text: "Authentication stands." },
  ],
  "coder 1": [delegate("tester", "Write unit tests for the middleware"), { text: "## Summary\nThe middleware is there." }],
  "tester 2": [{ text: "## Summary\nThe tests are written." }],
  "planner 1": [delegate("coder", "Sketch the refresh"), { text: "## Summary\nThe plan has two steps." }],
  // The coder may hand work to the tester, but not from here.
  "coder 2": [delegate("tester", "Try the sketch"), { text: "## Summary\nThe sketch is there." }],
};

/** Whose request it is, by the prompt file of the role and by what every sub-agent is told of its place. */
const askedBy = (text: string): string => {
  const [, role = ""] = /You are the (\w+) of this team/.exec(text) ?? [];
  const [, told = "", depth = "0"] = /operating as a \*\*(\w+)\*\* sub-agent \(depth (\d)\/2\)/.exec(text) ?? [];
  return `${told || role} ${depth}`;
};

describe("a project with the roles file of the design, trusted", () => {
  let mock: MockProject;
  let untrusted: Ended;
  let trusted: Ended;
  let ran: Ended;
  let rows: readonly MessageRow[];

  beforeAll(async () => {
    const asked = new Map<string, number>();
    mock = await createMockProject(({ text }) => {
      const who = askedBy(text);
      const turn = asked.get(who) ?? 0;
      asked.set(who, turn + 1);
      return TURNS[who]?.[turn] ?? { fault: { type: "status", status: 400 } };
    });
    const { project, server, settingsFile } = mock;
    // The models' own names in the file lead to one server here.
    const provider = `{ type: openai-compatible, baseUrl: "${server.baseUrl}" }`;
    await writeFile(
      settingsFile,
      [
        "model: qwen/other",
        `providers: { qwen: ${provider}, anthropic: ${provider}, deepseek: ${provider} }`,
        "models: { deepseek-chat: deepseek/deepseek-chat, deepseek-reasoner: deepseek/deepseek-reasoner }",
        "",
      ].join("\n"),
    );
    await cp(FIXTURE, project.workspace, { recursive: true });
    untrusted = await callRetinue(project, ["agents", "show", "tester"]);
    trusted = await callRetinue(project, ["trust", "--yes"]);
    ran = await callRetinue(project, ["run", "--json", "Add authentication to the API"]);
    const retinue = await createRetinue({ workspace: project.workspace, env: toEnvironment(project.home) });
    const { sessionId } = JSON.parse(ran.stdout.split("\n")[0] ?? "{}") as { sessionId: never };
    rows = (await retinue.sessions.messages(sessionId, { limit: 100 })).items;
    await retinue.close();
  }, 60_000);
  afterAll(async () => mock?.remove());

  test("puts its roles in the place of the built-in agents only after that", () => {
    expect(untrusted.stdout).not.toContain("deepseek-chat");
    for (const role of ["main", "tester", "reviewer", "planner"])
      expect(trusted.stdout).toMatch(new RegExp(`the built-in agent ${role} answers, whose place it takes`));
  });

  for (const [role, [model, iterations, durationMs, delegates]] of Object.entries(ROLES))
    test(`has a ${role} with the model, the limits and the delegations of the table`, async () => {
      const { stdout } = await callRetinue(mock.project, ["agents", "show", role]);
      expect(stdout).toContain(`model: ${model} (`);
      expect(stdout).toContain(`limits.iterations: ${iterations} (`);
      expect(stdout).toContain(`limits.durationMs: ${durationMs} (`);
      expect(stdout).toContain(`delegates: ${delegates} (`);
    });

  test("runs main, below it the coder, below that the tester, each with the model of its role", () => {
    expect(ran.code).toBe(0);
    const sent = mock.server.requests.map(({ body, text }) => `${askedBy(text)}: ${(body as { model: string }).model}`);
    expect(sent).toEqual([
      "main 0: qwen3-coder-30b",
      "coder 1: qwen3-coder-30b",
      "tester 2: deepseek-chat",
      "coder 1: qwen3-coder-30b",
      "main 0: qwen3-coder-30b",
      "planner 1: deepseek-reasoner",
      "coder 2: qwen3-coder-30b",
      "coder 2: qwen3-coder-30b",
      "planner 1: deepseek-reasoner",
      "main 0: qwen3-coder-30b",
    ]);
  });

  test("gives every role the prompt of its file, and says to whom it may hand work", () => {
    const [first] = mock.server.requests;
    expect(first?.text).toContain("# main\\n\\nYou are the main of this team.");
    expect(first?.text).toContain('"enum":["planner","coder","tester","reviewer","debugger"]');
    expect(mock.server.requests[1]?.text).toContain("# coder\\n\\nYou are the coder of this team.");
    expect(mock.server.requests[1]?.text).toContain('"enum":["tester"]');
    expect(mock.server.requests[2]?.text).not.toContain('"name":"delegate_to_agent"');
  });

  test("answers a third level with a value that says how deep the run is", () => {
    const text = mock.server.requests[7]?.text ?? "";
    const { messages } = JSON.parse(text) as { messages: readonly { role: string; content: string }[] };
    const read = messages.findLast(({ role }) => role === "tool")?.content ?? "";
    expect(JSON.parse(read)).toEqual({
      status: "failed",
      error: expect.stringMatching(/^depth_exceeded: This run is at depth 2, and 2 is the deepest\./),
      currentDepth: 2,
    });
    expect(rows.filter(({ agent_depth: depth }) => depth > 2)).toEqual([]);
    expect(rows.filter(({ error_code: code }) => code !== null)).toMatchObject([
      { agent_role: "coder", agent_depth: 2, request_type: "tool_call", status: "failed", error_code: "depth_exceeded" },
    ]);
  });

  test("records a row for every run, with its place in the tree and the model and limits of its role", () => {
    const byId = new Map(rows.map((row) => [row.id, row]));
    /** Over the call and the turn that made it, to the run. */
    const parentOf = ({ parent_message_id: id }: MessageRow): string | null => {
      const parent = id === null ? undefined : byId.get(id);
      return parent === undefined ? null : parent.system_prompt_id === null ? parentOf(parent) : parent.agent_role;
    };
    const runs = rows.filter(({ system_prompt_id: id }) => id !== null);
    const of = (row: MessageRow) => [
      row.agent_role,
      row.agent_depth,
      parentOf(row),
      row.request_type,
      row.request_content,
      row.model_id,
      row.max_iterations,
      row.max_duration_ms,
      row.status,
    ];
    const limited = (role: keyof typeof ROLES) => [...ROLES[role].slice(0, 3), "completed"];
    expect(runs.map(of)).toEqual([
      ["main", 0, null, "prompt", "Add authentication to the API", ...limited("main")],
      ["coder", 1, "main", "delegation", "Create the JWT middleware", ...limited("coder")],
      ["tester", 2, "coder", "delegation", "Write unit tests for the middleware", ...limited("tester")],
      ["planner", 1, "main", "delegation", "Plan the token refresh", ...limited("planner")],
      ["coder", 2, "planner", "delegation", "Sketch the refresh", "qwen/qwen3-coder-30b", 30, expect.any(Number), "completed"],
    ]);
    // A coder has more time than a planner, but not below one.
    expect(runs.at(-1)?.max_duration_ms).toBeLessThan(ROLES.planner[2]);
  });
});
