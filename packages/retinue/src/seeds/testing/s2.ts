/** S2, the recorded hierarchy: the `messages` table, roles, `delegate_to_agent`, what sub-agents are told, recording, icons, guidelines. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "vitest";
import type { WireBody } from "./seed-bench.ts";
import { playTask } from "./seed-bench.ts";
import type { Seed, SeedItem } from "./seed-item.ts";
import { STRICTER } from "./seed-item.ts";

const column = (
  line: number,
  words: string,
  type: string,
  more: { readonly notnull?: 1; readonly value?: string; readonly pk?: 1 } = {},
): SeedItem => {
  const name = words.split(" ")[0] ?? "";
  return {
    line,
    words,
    asserts: `the table has the column ${name}`,
    check: ({ columns }) =>
      expect(columns().find((one) => one.name === name)).toMatchObject({
        type,
        notnull: more.notnull ?? 0,
        dflt_value: more.value ?? null,
        pk: more.pk ?? 0,
      }),
  };
};

const index = (line: number, name: string, indexed: string): SeedItem => ({
  line,
  words: `CREATE INDEX ${name} ON messages(${indexed})`,
  asserts: "an index of this name begins with this column",
  check: ({ indexes }) => expect(indexes().get(name)?.[0]).toBe(indexed),
});

const COLUMNS: readonly SeedItem[] = [
  column(15, "id INTEGER PRIMARY KEY AUTOINCREMENT", "INTEGER", { pk: 1 }),
  column(16, "session_id TEXT NOT NULL", "TEXT", { notnull: 1 }),
  column(17, "parent_message_id INTEGER", "INTEGER"),
  column(20, "started_at TEXT NOT NULL", "TEXT", { notnull: 1 }),
  column(21, "completed_at TEXT", "TEXT"),
  column(22, "duration_ms INTEGER", "INTEGER"),
  column(25, "agent_role TEXT", "TEXT"),
  column(26, "agent_depth INTEGER DEFAULT 0", "INTEGER", { value: "0" }),
  column(27, "model_id TEXT", "TEXT"),
  column(28, "system_prompt_id TEXT", "TEXT"),
  column(31, "request_type TEXT", "TEXT"),
  column(32, "request_content TEXT", "TEXT"),
  column(33, "context_mode TEXT", "TEXT"),
  column(34, "context_token_count INTEGER", "INTEGER"),
  column(37, "response_content TEXT", "TEXT"),
  column(38, "response_summary TEXT", "TEXT"),
  column(39, "tool_calls_json TEXT", "TEXT"),
  column(40, "files_modified_json TEXT", "TEXT"),
  column(43, "prompt_tokens INTEGER", "INTEGER"),
  column(44, "completion_tokens INTEGER", "INTEGER"),
  column(45, "total_tokens INTEGER", "INTEGER"),
  column(46, "iteration_count INTEGER DEFAULT 0", "INTEGER", { value: "0" }),
  column(49, "max_iterations INTEGER", "INTEGER"),
  column(50, "max_duration_ms INTEGER", "INTEGER"),
  column(51, "bailout_reason TEXT", "TEXT"),
  column(54, "status TEXT DEFAULT 'pending'", "TEXT", { value: "'pending'" }),
  column(55, "error_message TEXT", "TEXT"),
  column(58, "metadata_json TEXT", "TEXT"),
  {
    line: 60,
    words: "FOREIGN KEY (parent_message_id) REFERENCES messages(id)",
    asserts: "the key is in the table",
    check: ({ foreignKeys }) =>
      expect(foreignKeys()).toContainEqual(expect.objectContaining({ from: "parent_message_id", table: "messages", to: "id" })),
  },
  {
    line: 61,
    words: "FOREIGN KEY (session_id) REFERENCES sessions(session_id)",
    asserts: "the key is in the table",
    check: ({ foreignKeys }) =>
      expect(foreignKeys()).toContainEqual(expect.objectContaining({ from: "session_id", table: "sessions", to: "session_id" })),
  },
  index(64, "idx_messages_session", "session_id"),
  index(65, "idx_messages_parent", "parent_message_id"),
  index(66, "idx_messages_role", "agent_role"),
  index(67, "idx_messages_depth", "agent_depth"),
  index(68, "idx_messages_started", "started_at"),
  index(69, "idx_messages_status", "status"),
];

const delegate = (agent: string, more: object = {}) => ({
  name: "delegate_to_agent",
  input: { agent, task: "Look at it.", ...more },
});
const LIST = { name: "ls", input: { path: "." } };

const requestType = (words: string): SeedItem => ({
  line: 31,
  words: `'${words}'`,
  asserts: "a run with a call and a delegation has a row of this kind",
  check: async ({ play }) => {
    const { rows } = await play([LIST, delegate("debugger")]);
    expect(rows.map(({ request_type: kind }) => kind)).toContain(words);
  },
});

const contextMode = (words: string): SeedItem => ({
  line: 33,
  words: `'${words}'`,
  asserts: "a delegation with this context_mode has it in its row",
  check: async ({ play }) => {
    const { rows } = await play([delegate("debugger", { context_mode: words, context_files: ["a.txt"] })]);
    expect(rows.find((row) => row.request_type === "delegation")?.context_mode).toBe(words);
  },
});

const ENUMS: readonly SeedItem[] = [
  ...["prompt", "tool_call", "delegation", "continuation"].map(requestType),
  ...["full", "summary", "selective"].map(contextMode),
  {
    line: 51,
    words: "'max_iterations'",
    asserts: "a run that reaches its iterations has this reason",
    check: async ({ play }) => {
      const { rows } = await play([LIST, LIST, LIST], { limits: { iterations: 1 } });
      expect(rows[0]).toMatchObject({ bailout_reason: "max_iterations", max_iterations: 1 });
    },
  },
  {
    line: 51,
    words: "'error'",
    asserts: "a run whose model fails has this reason and an error_message",
    check: async ({ retinue }) => {
      const at = await retinue();
      const run = await at.run(playTask([], { fault: { type: "status", status: 400 } }));
      await run.result.catch(() => undefined);
      const [row] = (await at.sessions.messages(run.sessionId)).items;
      expect(row).toMatchObject({ bailout_reason: "error", status: "failed", error_message: expect.any(String) });
    },
  },
  {
    line: 51,
    words: "'timeout'",
    asserts: "a call that times out has this reason",
    check: async ({ retinue }) => {
      const at = await retinue();
      const id = await at.startMessage({ agentRole: "main", requestContent: "x" });
      await at.failMessage(id, { message: "too late", status: "timeout" });
      expect(await at.sessions.message(id)).toMatchObject({ bailout_reason: "timeout", status: "timeout" });
    },
  },
  {
    line: 54,
    words: "'completed'",
    asserts: "a run that ends has this status in every one of its rows",
    check: async ({ play }) => {
      const { rows } = await play([LIST]);
      expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(["completed"]));
    },
  },
  {
    line: 54,
    words: "'running'",
    asserts: "a call that is under way has this status",
    check: async ({ retinue }) => {
      const at = await retinue();
      const id = await at.startMessage({ agentRole: "main", requestContent: "x" });
      expect(await at.sessions.message(id)).toMatchObject({ status: "running", completed_at: null });
      await at.completeMessage(id, { responseContent: "y" });
    },
  },
  {
    line: 54,
    words: "'cancelled'",
    asserts: "a run that is cancelled has this status",
    check: async ({ retinue }) => {
      const at = await retinue();
      const stop = new AbortController();
      stop.abort();
      const run = await at.run("x", { signal: stop.signal });
      await run.result;
      expect((await at.sessions.messages(run.sessionId)).items[0]).toMatchObject({ status: "cancelled" });
    },
  },
  {
    line: 54,
    words: "'pending'",
    asserts: "a row has this status where none is given",
    check: ({ columns }) => expect(columns().find(({ name }) => name === "status")?.dflt_value).toBe("'pending'"),
  },
  {
    line: 54,
    words: "'failed'",
    asserts: "a tool call that fails has this status",
    check: async ({ play }) => {
      const { rows } = await play([{ name: "read", input: { path: "absent.txt" } }]);
      expect(rows.find(({ tool_name: tool }) => tool === "read")?.status).toBe("failed");
    },
  },
  {
    line: 26,
    words: "0=main, 1=sub-agent, 2=sub-sub-agent",
    asserts: "rows have the depth of their run",
    check: async ({ play }) => {
      const { rows } = await play([delegate("executor", { task: playTask([delegate("tester")]) })]);
      const depthOf = (role: string) => rows.find(({ agent_role: agent }) => agent === role)?.agent_depth;
      expect(["main", "executor", "tester"].map(depthOf)).toEqual([0, 1, 2]);
    },
  },
  {
    line: 28,
    words: "Reference to role's system prompt",
    asserts: "the prompt of the role is found by it",
    check: async ({ agent, retinue }) => {
      const { row, system } = await agent("debugger");
      const prompt = await (await retinue()).sessions.systemPrompt(row.system_prompt_id ?? "");
      expect(system.startsWith(prompt?.text ?? "-")).toBe(true);
    },
  },
  {
    line: 39,
    words: "JSON array of tool calls",
    asserts: "the row of a model call lists its calls",
    check: async ({ play }) => {
      const { rows } = await play([LIST]);
      const lists = rows.flatMap(({ tool_calls_json: calls }) => (calls === null ? [] : [JSON.parse(calls) as unknown]));
      expect(lists).toContainEqual([expect.objectContaining({ tool: "ls" })]);
    },
  },
  {
    line: 40,
    words: "JSON array of files touched",
    asserts: "the rows of a call and of its run list the file",
    check: async ({ play }) => {
      const { rows } = await play([{ name: "write", input: { path: "touched.txt", content: "x" } }]);
      expect(rows.filter(({ files_modified_json: files }) => files?.includes("touched.txt"))).toHaveLength(2);
    },
  },
];

/** The roles of 2.1: iterations, milliseconds, whom they may delegate to, and the lines that say so. */
const ROLES = {
  main: {
    lines: [89, 91, 94, 95, 96],
    model: "qwen/qwen3-coder-30b",
    to: ["planner", "coder", "tester", "reviewer", "debugger"],
    limits: [50, 600_000],
  },
  coder: { lines: [99, 101, 104, 105, 106], model: "qwen/qwen3-coder-30b", to: ["tester"], limits: [30, 300_000] },
  tester: { lines: [109, 111, 113, 114, 115], model: "deepseek-chat", to: [], limits: [20, 180_000] },
  reviewer: { lines: [118, 120, 122, 123, 124], model: "anthropic/claude-opus-4.5", to: [], limits: [10, 120_000] },
  planner: {
    lines: [127, 129, 132, 133, 134],
    model: "deepseek-reasoner",
    to: ["coder", "tester", "reviewer"],
    limits: [15, 180_000],
  },
  debugger: { lines: [137, 139, 141, 142, 143], model: "qwen/qwen3-coder-30b", to: [], limits: [25, 240_000] },
} as const;

const ROLE_ITEMS: readonly SeedItem[] = Object.entries(ROLES).flatMap(
  ([role, { lines, model, to, limits }]): readonly SeedItem[] => {
    const [id = 0, modelLine = 0, delegations = 0, iterations = 0, duration = 0] = lines;
    const read = async (roles: () => Promise<{ readonly agents: ReadonlyMap<string, unknown> }>) =>
      (await roles()).agents.get(role);
    return [
      {
        line: id,
        words: `"RoleId": "${role}"`,
        asserts: "the role is an agent",
        check: async ({ roles }) => expect(await read(roles)).toMatchObject({ name: role }),
      },
      {
        line: modelLine,
        words: `"ModelId": "${model}"`,
        asserts: `${role} has this model`,
        check: async ({ roles }) => expect(await read(roles)).toMatchObject({ model }),
      },
      {
        line: delegations,
        words: to.length === 0 ? `"CanDelegate": false` : `"AllowedDelegations": [${to.map((one) => `"${one}"`).join(", ")}]`,
        asserts: `${role} may start just these`,
        check: async ({ roles }) => expect(await read(roles)).toMatchObject({ delegates: to }),
      },
      {
        line: iterations,
        words: `"MaxIterations": ${limits[0]}`,
        asserts: `${role} has this limit`,
        check: async ({ roles }) => expect(await read(roles)).toMatchObject({ limits: { iterations: limits[0] } }),
      },
      {
        line: duration,
        words: `"MaxDurationMs": ${limits[1]}`,
        asserts: `${role} has this limit`,
        check: async ({ roles }) => expect(await read(roles)).toMatchObject({ limits: { durationMs: limits[1] } }),
      },
    ];
  },
);

/** The summary of the configuration, as the built-in agents have it by the preset of this design. */
const summary = (line: number, words: string, name: string, limits: object, delegates: readonly string[]): SeedItem => ({
  line,
  words,
  asserts: `with the preset s2, a run of ${name} is recorded with these limits and delegates`,
  decided: STRICTER,
  check: async ({ agent }) => {
    const { row, spec } = await agent(name, "s2");
    expect(row).toMatchObject(limits);
    expect(spec.delegates.toSorted()).toEqual(delegates.toSorted());
  },
});

const SUMMARY: readonly SeedItem[] = [
  summary(465, "| main | qwen3-coder-30b | 50 | 10 min |", "main", { max_iterations: 50, max_duration_ms: 600_000 }, [
    "planner",
    "executor",
    "tester",
    "reviewer",
    "debugger",
  ]),
  summary(466, "| coder | qwen3-coder-30b | 30 | 5 min |", "executor", { max_iterations: 30, max_duration_ms: 300_000 }, [
    "tester",
  ]),
  summary(467, "| tester | deepseek-chat | 20 | 3 min |", "tester", { max_iterations: 20, max_duration_ms: 180_000 }, []),
  summary(468, "| reviewer | claude-opus | 10 | 2 min |", "reviewer", { max_iterations: 10, max_duration_ms: 120_000 }, []),
  summary(469, "| planner | deepseek-reasoner | 15 | 3 min |", "planner", { max_iterations: 15, max_duration_ms: 180_000 }, [
    "executor",
    "tester",
    "reviewer",
  ]),
  summary(470, "| debugger | qwen3-coder-30b | 25 | 4 min |", "debugger", { max_iterations: 25, max_duration_ms: 240_000 }, []),
];

const delegateTool = ({ tools = [] }: WireBody) => tools.find(({ function: { name } }) => name === "delegate_to_agent")?.function;

const parameter = (line: number, words: string, name: string): SeedItem => ({
  line,
  words,
  asserts: `${name} has this description in the request`,
  check: async ({ agent }) => {
    const { body } = await agent("main");
    expect(delegateTool(body)?.parameters.properties?.[name]?.description).toBe(words);
  },
});

const TOOL: readonly SeedItem[] = [
  {
    line: 167,
    words: "delegate_to_agent",
    asserts: "the main agent has the tool",
    check: async ({ agent }) => expect((await agent("main")).toolNames).toContain("delegate_to_agent"),
  },
  {
    line: 168,
    words:
      "Delegate a specialized task to a sub-agent with a specific role. Use this when a task requires specialized expertise. The sub-agent will work on the task and return a structured result.",
    asserts: "the tool has this description in the request",
    check: async ({ agent }) =>
      expect(delegateTool((await agent("main")).body)?.description).toBe(
        "Delegate a specialized task to a sub-agent with a specific role. Use this when a task requires specialized expertise. The sub-agent will work on the task and return a structured result.",
      ),
  },
  {
    line: 172,
    words: '"enum": ["coder", "tester", "reviewer", "planner", "debugger"]',
    asserts: "the enum holds just those that the run may start; coder is the alias of executor",
    decided: "the enum holds just the agents this run may start",
    check: async ({ agent }) =>
      expect(delegateTool((await agent("main", "s2")).body)?.parameters.properties?.["agent"]?.enum?.toSorted()).toEqual(
        ["executor", "tester", "reviewer", "planner", "debugger"].toSorted(),
      ),
  },
  parameter(173, "The role/specialization of the sub-agent", "agent"),
  parameter(177, "Clear description of what the sub-agent should accomplish", "task"),
  parameter(182, "Optional: specific files the sub-agent should focus on", "context_files"),
  parameter(186, "Optional: how to determine if the task was successful", "success_criteria"),
  {
    line: 170,
    words: '"role": {',
    asserts: "a call that says role, by the name of the design, is understood",
    decided: "{agent (alias role, skill_name), task",
    check: async ({ play }) => {
      const { answers } = await play([{ name: "delegate_to_agent", input: { role: "coder", task: "Look." } }]);
      expect(answers).toEqual([expect.objectContaining({ status: "completed", agent: "executor" })]);
    },
  },
  {
    line: 189,
    words: '"required": ["role", "task"]',
    asserts: "agent and task are required, and nothing else",
    check: async ({ agent }) => expect(delegateTool((await agent("main")).body)?.parameters.required).toEqual(["agent", "task"]),
  },
];

const answer = (line: number, words: string, field: string, value: unknown): SeedItem => ({
  line,
  words,
  asserts: `the parent reads ${field}`,
  check: async ({ play }) => {
    const { answers } = await play([
      delegate("executor", {
        task: playTask([{ name: "write", input: { path: "made.txt", content: "x" } }]),
      }),
    ]);
    expect(answers[0]).toMatchObject({ [field]: value });
  },
});

const FORMAT: readonly SeedItem[] = [
  answer(199, '"status": "completed"', "status", "completed"),
  answer(200, '"summary":', "summary", "It is done."),
  answer(201, '"details":', "details", expect.stringContaining("As asked.")),
  answer(207, '"files_created": [', "filesCreated", ["made.txt"]),
  answer(212, '"warnings": []', "warnings", ["slow"]),
  answer(213, '"suggestions": [', "suggestions", ["rest"]),
  answer(217, '"iteration_count": 8', "iterations", expect.any(Number)),
  {
    line: 218,
    words: '"duration_ms": 45000',
    asserts: "the result of the run and its row have the duration",
    check: async ({ agent }) => {
      const { result, row } = await agent("debugger");
      expect([typeof result.durationMs, typeof row.duration_ms]).toEqual(["number", "number"]);
    },
  },
  {
    line: 202,
    words: '"files_modified": [',
    asserts: "a file that was there before is told as modified",
    check: async ({ play }) => {
      const { answers } = await play([
        delegate("executor", {
          task: playTask([
            { name: "read", input: { path: "a.txt" } },
            { name: "write", input: { path: "a.txt", content: "two\n" } },
          ]),
        }),
      ]);
      expect(answers[0]).toMatchObject({ filesModified: ["a.txt"] });
    },
  },
  {
    line: 210,
    words: '"tests_run": 0',
    asserts: "a run that ran no tests says no number; its result counts 0",
    decided: "Fields are filled or absent, never constant",
    check: async ({ agent }) => expect((await agent("debugger")).result).toMatchObject({ testsRun: 0, testsPassed: 0 }),
  },
];

const told = (line: number, words: string, text: string): SeedItem => ({
  line,
  words,
  asserts: "a sub-agent is told this in its prompt",
  check: async ({ agent }) => expect((await agent("executor")).system).toContain(text),
});

const AWARENESS: readonly SeedItem[] = [
  told(258, "## Sub-Agent Context", "## Sub-Agent Context"),
  told(
    260,
    "You are operating as a **{{ROLE}}** sub-agent (depth {{DEPTH}}/{{MAX_DEPTH}}).",
    "You are operating as a **executor** sub-agent (depth 1/3).",
  ),
  told(261, "- Parent agent: {{PARENT_ROLE}}", "- Parent agent: main"),
  told(262, "- Your task: {{TASK}}", "- Your task: Look at it."),
  told(263, "- Success criteria: {{CRITERIA}}", "- Success criteria: "),
  told(265, "## Response Requirements", "## Response Requirements"),
  told(268, "Summary (1-2 sentences of what you accomplished)", "(1-2 sentences of what you accomplished)"),
  told(269, "Details (technical specifics)", "technical specifics"),
  told(270, "Files modified/created", "modified or created"),
  told(271, "Any warnings or suggestions for the parent", "`## Warnings` and `## Suggestions` for the parent"),
  told(273, "## Constraints", "## Constraints"),
  {
    line: 275,
    words: "- Max iterations: {{MAX_ITERATIONS}}",
    asserts: "a sub-agent is told the limit that its row has",
    check: async ({ agent }) => {
      const { system, row } = await agent("executor");
      expect(system).toContain(`- Max iterations: ${row.max_iterations}`);
      expect(row.max_iterations).toBeGreaterThanOrEqual(30);
    },
  },
  told(276, "- Time limit: {{MAX_DURATION}}", "- Time limit: 300 s"),
  told(277, "- You {{CAN/CANNOT}} delegate to other sub-agents", "- You CAN delegate to other sub-agents"),
  told(279, "- Available delegations: {{ALLOWED_DELEGATIONS}}", "- Available delegations: tester, reviewer"),
  {
    line: 278,
    words: "{{#IF CAN_DELEGATE}}",
    asserts: "one that may start nobody is told so, and no names",
    check: async ({ agent }) => {
      const { system } = await agent("debugger");
      expect(system).toContain("- You CANNOT delegate to other sub-agents");
      expect(system).not.toContain("Available delegations");
    },
  },
];

const RECORDING: readonly SeedItem[] = [
  {
    line: 298,
    words: "StartMessageAsync",
    asserts: "startMessage gives the id of a row",
    check: async ({ retinue }) => {
      const at = await retinue();
      const id = await at.startMessage({ agentRole: "main", requestContent: "x" });
      expect(await at.sessions.message(id)).toMatchObject({ request_content: "x", agent_role: "main" });
    },
  },
  {
    line: 301,
    words: "CompleteMessageAsync",
    asserts: "completeMessage updates it with the response",
    check: async ({ retinue }) => {
      const at = await retinue();
      const id = await at.startMessage({ agentRole: "main", requestContent: "x" });
      await at.completeMessage(id, { responseContent: "y" });
      expect(await at.sessions.message(id)).toMatchObject({ response_content: "y", status: "completed" });
    },
  },
  {
    line: 304,
    words: "FailMessageAsync",
    asserts: "failMessage marks it as failed",
    check: async ({ retinue }) => {
      const at = await retinue();
      const id = await at.startMessage({ agentRole: "main", requestContent: "x" });
      await at.failMessage(id, "no");
      expect(await at.sessions.message(id)).toMatchObject({ error_message: "no", status: "failed" });
    },
  },
  {
    line: 307,
    words: "GetSessionMessagesAsync",
    asserts: "sessions.messages gives the rows of a session",
    check: async ({ play }) => expect((await play([LIST])).rows.length).toBeGreaterThan(2),
  },
  {
    line: 310,
    words: "GetChildMessagesAsync",
    asserts: "sessions.children gives the rows below one",
    check: async ({ play, retinue }) => {
      const { rows } = await play([LIST]);
      const children = await (await retinue()).sessions.children(rows[0]?.id ?? 0);
      expect(children.items.every((row) => row.parent_message_id === rows[0]?.id)).toBe(true);
      expect(children.items.length).toBeGreaterThan(0);
    },
  },
  {
    line: 315,
    words: "Record each LLM call",
    asserts: "each request of a run has a row with its tokens",
    check: async ({ play }) => {
      const { rows } = await play([LIST]);
      expect(
        rows.filter(({ request_type: kind, total_tokens: tokens }) => kind === "continuation" && tokens !== null),
      ).toHaveLength(2);
    },
  },
];

const icon = (line: number, role: string, name: string, sign: string): SeedItem => ({
  line,
  words: role,
  asserts: `${name} has the icon ${sign}`,
  check: async ({ retinue }) => expect((await retinue()).agents.get(name)?.icon).toBe(sign),
});

const ICONS: readonly SeedItem[] = [
  icon(356, "Main agent", "main", "🤖"),
  icon(357, "Coder", "executor", "👨‍💻"),
  icon(358, "Tester", "tester", "🧪"),
  icon(359, "Reviewer", "reviewer", "👀"),
  icon(360, "Planner", "planner", "📋"),
  icon(361, "Debugger", "debugger", "🔧"),
];

const guideline = (line: number, words: string, text = words): SeedItem => ({
  line,
  words,
  asserts: "it stands in the main agent's prompt",
  ...(words === text ? {} : { decided: "`executor` (alias `coder`)" }),
  check: async ({ agent }) => expect((await agent("main")).system).toContain(text),
});

const GUIDELINES: readonly SeedItem[] = [
  guideline(379, "## Delegation Guidelines"),
  guideline(381, "You can delegate specialized tasks to sub-agents using the `delegate_to_agent` tool."),
  guideline(383, "### When to Delegate"),
  guideline(385, "**Delegate to CODER when:**", "**Delegate to EXECUTOR when:**"),
  guideline(386, "- Implementing new features or components"),
  guideline(387, "- Writing or modifying multiple files"),
  guideline(388, "- Complex refactoring tasks"),
  guideline(390, "**Delegate to TESTER when:**"),
  guideline(391, "- Writing unit or integration tests"),
  guideline(392, "- Running and analyzing test results"),
  guideline(393, "- Test-driven development tasks"),
  guideline(395, "**Delegate to REVIEWER when:**"),
  guideline(396, "- Code review is needed before committing"),
  guideline(397, "- Security analysis required"),
  guideline(398, "- Architecture decisions need validation"),
  guideline(400, "**Delegate to PLANNER when:**"),
  guideline(401, "- Complex multi-step tasks need breakdown"),
  guideline(402, "- Architecture decisions required"),
  guideline(403, "- Project planning or roadmap work"),
  guideline(405, "**Delegate to DEBUGGER when:**"),
  guideline(406, "- Investigating failing tests"),
  guideline(407, "- Tracing runtime errors"),
  guideline(408, "- Performance issues"),
  guideline(410, "### When NOT to Delegate"),
  guideline(412, "- Simple questions or explanations"),
  guideline(413, "- Single file modifications"),
  guideline(414, "- Quick fixes (< 5 minutes of work)"),
  guideline(415, "- Tasks requiring user interaction"),
  guideline(417, "### Delegation Best Practices"),
  guideline(419, "1. Provide clear, specific task descriptions"),
  guideline(420, "2. Include relevant file paths if known"),
  guideline(421, "3. Define success criteria when possible"),
  guideline(422, "4. Review sub-agent results before proceeding"),
];

const MORE: readonly SeedItem[] = [
  {
    line: 84,
    words: '"MaxDepth": 2',
    asserts: "runs of the project nest no deeper",
    check: async ({ roles }) => {
      const at = await roles();
      const run = await at.run("x", { model: "local/any-name" });
      await run.result;
      const [requested] = await at.events(run.sessionId);
      expect(requested).toMatchObject({ spec: { grant: { maxDepth: 2 } } });
    },
  },
  ...(
    [
      [85, '"DefaultMaxIterations": 20', { limits: { iterations: 7 } }],
      [86, '"DefaultMaxDurationMs": 300000', { limits: { durationMs: 9_000 } }],
    ] as const
  ).map(([line, words, limits]): SeedItem => ({
    line,
    words,
    asserts: "a role without a limit of its own has the default of the file, another keeps its own",
    check: async ({ project }) => {
      const { agents } = await project({
        "appsettings.json": JSON.stringify({
          AgentRoles: {
            DefaultMaxIterations: 7,
            DefaultMaxDurationMs: 9_000,
            Roles: [
              { RoleId: "plain", SystemPromptFile: "p.md" },
              { RoleId: "own", SystemPromptFile: "p.md", MaxIterations: 3, MaxDurationMs: 4_000 },
            ],
          },
        }),
        "p.md": "You work.",
      });
      expect(agents.get("plain")).toMatchObject(limits);
      expect(agents.get("own")).toMatchObject({ limits: { iterations: 3, durationMs: 4_000 } });
    },
  })),
  ...(
    [
      ["main", 90, "Main Agent", 92],
      ["coder", 100, "Coder", 102],
      ["tester", 110, "Tester", 112],
      ["reviewer", 119, "Code Reviewer", 121],
      ["planner", 128, "Task Planner", 130],
      ["debugger", 138, "Debugger", 140],
    ] as const
  ).flatMap(([role, displayLine, display, promptLine]): readonly SeedItem[] => [
    {
      line: displayLine,
      words: `"DisplayName": "${display}"`,
      asserts: `the description of ${role} begins with it`,
      check: async ({ roles }) => expect((await roles()).agents.get(role)?.description).toMatch(new RegExp(`^${display}`)),
    },
    {
      line: promptLine,
      words: `"SystemPromptFile": "prompts/roles/${role}.md"`,
      asserts: "the prompt is that of the file",
      check: async ({ roles }) => {
        const at = await roles();
        const text = await readFile(path.join(at.folder, `prompts/roles/${role}.md`), "utf8");
        expect(at.agents.get(role)?.prompt.slice(0, 40)).toBe(text.trim().slice(0, 40));
      },
    },
  ]),
  {
    line: 211,
    words: '"tests_passed": 0',
    asserts: "a run that ran no tests counts 0",
    check: async ({ agent }) => expect((await agent("debugger")).result).toMatchObject({ testsPassed: 0 }),
  },
  {
    line: 362,
    words: "Indentation based on depth",
    asserts: "sessions show indents a sub-agent below its parent",
    check: async ({ play, command }) => {
      const { rows } = await play([delegate("debugger")]);
      const { stdout } = await command(["sessions", "show", rows[0]?.session_id ?? ""]);
      const [, tree = ""] = stdout.split(/^run .*$/m);
      const indentOf = (agent: string): number =>
        tree
          .split("\n")
          .find((row) => row.includes(agent))
          ?.indexOf(agent) ?? -1;
      expect(indentOf("debugger")).toBeGreaterThan(indentOf("main"));
    },
  },
  {
    line: 364,
    words: "Status badges",
    asserts: "sessions show tells the status of each run",
    check: async ({ play, command }) => {
      const { rows } = await play([delegate("debugger")]);
      const { stdout } = await command(["sessions", "show", rows[0]?.session_id ?? ""]);
      expect(stdout.split("\n").find((row) => row.includes("debugger"))).toContain("completed");
    },
  },
  {
    line: 477,
    words: "Per-role tool allowlists/denylists",
    asserts: "a role has the tools of AllowedTools without those of DeniedTools",
    check: async ({ project }) => {
      const at = await project({
        "appsettings.json": JSON.stringify({
          AgentRoles: {
            Roles: [
              { RoleId: "auditor", SystemPromptFile: "p.md", AllowedTools: ["read", "ls", "shell"], DeniedTools: ["shell"] },
            ],
          },
        }),
        "p.md": "You audit.",
      });
      const run = await at.run("x", { agent: "auditor" });
      await run.result;
      const [requested] = await at.events(run.sessionId);
      expect(requested).toMatchObject({ spec: { tools: expect.not.arrayContaining(["shell"]) } });
      expect(requested?.type === "run.requested" && requested.spec.tools.toSorted()).toEqual(["ls", "read"]);
    },
  },
  {
    line: 478,
    words: "Allow concurrent delegations",
    asserts: "delegations of one turn overlap; the limit is 3",
    check: async ({ settings }) => expect((await settings({})).settings.agent.maxConcurrent).toBe(3),
  },
  {
    line: 480,
    words: "Track delegation success rates",
    asserts: "figures by pair of agents have a rate",
    check: async ({ play, retinue }) => {
      await play([delegate("debugger")]);
      expect((await (await retinue()).sessions.stats({ by: "pair" })).some(({ successRate }) => successRate !== null)).toBe(true);
    },
  },
  {
    line: 481,
    words: "Per-role token usage and cost estimates",
    asserts: "figures by agent have tokens",
    check: async ({ play, retinue }) => {
      await play([LIST]);
      expect(
        (await (await retinue()).sessions.stats({ by: "agent" })).find(({ key }) => key === "main")?.promptTokens,
      ).toBeGreaterThan(0);
    },
  },
];

export const S2: Seed = {
  id: "S2",
  items: [
    ...COLUMNS,
    ...ENUMS,
    ...ROLE_ITEMS,
    ...SUMMARY,
    ...TOOL,
    ...FORMAT,
    ...AWARENESS,
    ...RECORDING,
    ...ICONS,
    ...GUIDELINES,
    ...MORE,
  ],
};
